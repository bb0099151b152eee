/** Roles of folders of which a program takes some of the files: those of its language, those that git does not ignore. */

import type { Reach, Role } from './role.ts';

interface TreeValue {
  readonly role: Role;
  readonly harmless: boolean;
  readonly reach: Reach | undefined;
  readonly holds?: 'edited' | 'label';
}

export const treeValues: readonly (readonly [string, TreeValue])[] = [
  ['sources', { role: 'reads', harmless: true, reach: 'picked' }],
  ['formatted', { role: 'writes', harmless: false, reach: 'picked', holds: 'edited' }],
  ['labelled', { role: 'text', harmless: true, reach: undefined, holds: 'label' }],
  ['filled', { role: 'writes', harmless: false, reach: 'filled' }],
  ['visible', { role: 'reads', harmless: true, reach: 'visible' }],
  ['unignored', { role: 'reads', harmless: false, reach: 'unignored' }],
];
