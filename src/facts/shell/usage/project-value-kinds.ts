/** Value kinds for project files: entries, source and test files, git names and arguments of scripts. */

import type { FolderReach, ValueRole } from './value-role.ts';

/**
 * Syntaxes of texts that name project files: patterns, arguments for scripts, git names, built-in names, `name=file`,
 * `xml:file`.
 */
export type ProjectTextSyntax =
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

interface ProjectValueKind {
  readonly role: ValueRole;
  readonly harmless: boolean;
  readonly reach: FolderReach | undefined;
  readonly syntax?: ProjectTextSyntax | 'endpoint';
}

export const projectValueKinds: readonly (readonly [string, ProjectValueKind])[] = [
  ['entry', { role: 'entry', harmless: true, reach: 'itself' }],
  ['compared', { role: 'entry', harmless: true, reach: 'picked' }],
  ['sources', { role: 'reads', harmless: true, reach: 'picked', syntax: 'sources' }],
  ['package', { role: 'reads', harmless: false, reach: 'picked' }],
  ['tests', { role: 'reads', harmless: true, reach: 'picked', syntax: 'tests' }],
  ['ref', { role: 'text', harmless: true, reach: undefined, syntax: 'ref' }],
  ['keyed', { role: 'reads', harmless: true, reach: 'tree', syntax: 'keyed' }],
  ['builtin', { role: 'text', harmless: true, reach: undefined, syntax: 'builtin' }],
  ['formatted', { role: 'writes', harmless: true, reach: 'picked', syntax: 'formatted' }],
  ['labelled', { role: 'text', harmless: true, reach: undefined, syntax: 'label' }],
  ['filled', { role: 'writes', harmless: false, reach: 'filled' }],
  ['walked', { role: 'reads', harmless: true, reach: 'walked' }],
  ['synced', { role: 'reads', harmless: true, reach: 'walked', syntax: 'endpoint' }],
  ['visible', { role: 'reads', harmless: true, reach: 'visible' }],
  ['unignored', { role: 'reads', harmless: true, reach: 'unignored', syntax: 'search' }],
  ['place', { role: 'folder', harmless: true, reach: undefined }],
  ['passed', { role: 'either', harmless: true, reach: undefined, syntax: 'passed' }],
  ['searched', { role: 'reads', harmless: true, reach: 'tree', syntax: 'search' }],
  ['pathspec', { role: 'writes', harmless: false, reach: 'filled', syntax: 'pathspec' }],
  ['pathspecs', { role: 'writes', harmless: false, reach: 'tree', syntax: 'pathspec' }],
];
