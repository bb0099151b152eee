/** Roles of folders of which a program takes some of the files: those of its language, those that git does not ignore. */

import type { Reach, Role } from './role.ts';

interface TreeValue {
  readonly role: Role;
  readonly harmless: boolean;
  readonly reach: Reach;
  readonly holds?: 'edited';
}

export const treeValues: readonly (readonly [string, TreeValue])[] = [
  ['sources', { role: 'reads', harmless: true, reach: 'picked' }],
  ['formatted', { role: 'writes', harmless: false, reach: 'picked', holds: 'edited' }],
  ['restored', { role: 'writes', harmless: false, reach: 'restored' }],
  ['visible', { role: 'reads', harmless: true, reach: 'visible' }],
  ['unignored', { role: 'reads', harmless: false, reach: 'unignored' }],
];
