/** Roles of entries that are only looked at; of folders, of which a program takes some of the files, or which a shell enters; and of words for scripts. */

import type { Reach, Role } from './role.ts';

/** Files by patterns, arguments for scripts, names for git, what a program brings along, `name=file`, `xml:file`. */
export type TreeHolds =
  | 'sources'
  | 'formatted'
  | 'tests'
  | 'passed'
  | 'pathspec'
  | 'search'
  | 'ref'
  | 'builtin'
  | 'keyed'
  | 'label';

interface TreeValue {
  readonly role: Role;
  readonly harmless: boolean;
  readonly reach: Reach | undefined;
  readonly holds?: TreeHolds | 'endpoint';
}

export const treeValues: readonly (readonly [string, TreeValue])[] = [
  ['entry', { role: 'entry', harmless: true, reach: 'itself' }],
  ['compared', { role: 'entry', harmless: true, reach: 'picked' }],
  ['sources', { role: 'reads', harmless: true, reach: 'picked', holds: 'sources' }],
  ['package', { role: 'reads', harmless: false, reach: 'picked' }],
  ['tests', { role: 'reads', harmless: true, reach: 'picked', holds: 'tests' }],
  ['ref', { role: 'text', harmless: true, reach: undefined, holds: 'ref' }],
  ['keyed', { role: 'reads', harmless: true, reach: 'tree', holds: 'keyed' }],
  ['builtin', { role: 'text', harmless: true, reach: undefined, holds: 'builtin' }],
  ['formatted', { role: 'writes', harmless: true, reach: 'picked', holds: 'formatted' }],
  ['labelled', { role: 'text', harmless: true, reach: undefined, holds: 'label' }],
  ['filled', { role: 'writes', harmless: false, reach: 'filled' }],
  ['walked', { role: 'reads', harmless: true, reach: 'walked' }],
  ['synced', { role: 'reads', harmless: true, reach: 'walked', holds: 'endpoint' }],
  ['visible', { role: 'reads', harmless: true, reach: 'visible' }],
  ['unignored', { role: 'reads', harmless: true, reach: 'unignored', holds: 'search' }],
  ['place', { role: 'folder', harmless: true, reach: undefined }],
  ['passed', { role: 'either', harmless: true, reach: undefined, holds: 'passed' }],
  ['searched', { role: 'reads', harmless: true, reach: 'tree', holds: 'search' }],
  ['pathspec', { role: 'writes', harmless: false, reach: 'filled', holds: 'pathspec' }],
  ['pathspecs', { role: 'writes', harmless: false, reach: 'tree', holds: 'pathspec' }],
];
