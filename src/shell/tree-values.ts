/** Roles of entries that are only looked at; of folders, of which a program takes some of the files, or which a shell enters; and of words for scripts. */

import type { Reach, Role } from './role.ts';

interface TreeValue {
  readonly role: Role;
  readonly harmless: boolean;
  readonly reach: Reach | undefined;
  readonly holds?: 'edited' | 'label' | 'passed' | 'pathspec' | 'search';
}

export const treeValues: readonly (readonly [string, TreeValue])[] = [
  ['entry', { role: 'entry', harmless: true, reach: 'itself' }],
  ['compared', { role: 'entry', harmless: true, reach: 'picked' }],
  ['sources', { role: 'reads', harmless: true, reach: 'picked' }],
  ['formatted', { role: 'writes', harmless: true, reach: 'picked', holds: 'edited' }],
  ['labelled', { role: 'text', harmless: true, reach: undefined, holds: 'label' }],
  ['filled', { role: 'writes', harmless: false, reach: 'filled' }],
  ['walked', { role: 'reads', harmless: true, reach: 'walked' }],
  ['visible', { role: 'reads', harmless: true, reach: 'visible' }],
  ['unignored', { role: 'reads', harmless: true, reach: 'unignored' }],
  ['place', { role: 'folder', harmless: true, reach: undefined }],
  ['passed', { role: 'either', harmless: true, reach: undefined, holds: 'passed' }],
  ['searched', { role: 'reads', harmless: true, reach: 'tree', holds: 'search' }],
  ['pathspec', { role: 'writes', harmless: false, reach: 'filled', holds: 'pathspec' }],
  ['pathspecs', { role: 'writes', harmless: false, reach: 'tree', holds: 'pathspec' }],
];
