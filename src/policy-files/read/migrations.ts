/**
 * Reads the version of a policy file, and brings a file of an older version to the current one. The rest of the reader
 * knows only the current version.
 */

import type { PolicyFile } from '../policy-file.ts';
import type { FileNode, MapNode } from './syntax/file-node.ts';
import type { FileReport } from './syntax/file-report.ts';
import { reportWrongKind } from './shapes/shape.ts';

/**
 * Brings a file to the next version. Nodes that it keeps or moves keep their offsets, so a problem is reported where
 * the user wrote it.
 */
export type Migration = (root: MapNode) => MapNode;

/** The first migrates version 1 to 2, the next one 2 to 3. A format change adds one here and to the reference. */
export const migrations: readonly Migration[] = [];

export interface MigratedFile extends Pick<PolicyFile, 'migratedFrom'> {
  readonly root: MapNode;
}

/** Returns undefined if this Bridle cannot read the version. Other problems are reported and the file is read on. */
export function migrate(root: MapNode, steps: readonly Migration[], report: FileReport): MigratedFile | undefined {
  const current = steps.length + 1;
  const entry = root.entries.find(({ key }) => key === 'version');
  const version = entry === undefined ? undefined : readVersion(entry.value, current, report);
  if (entry === undefined || version === undefined || version === current) return { root };
  if (version > current) return undefined;
  const migrated = steps.slice(version - 1).reduce((file, step) => step(file), root);
  return { root: migrated, migratedFrom: { version, at: report.positionOf(entry.value.at) } };
}

/** The version, also if it is newer than the current one; undefined if it is no version. */
function readVersion(node: FileNode, current: number, report: FileReport): number | undefined {
  if (node.type !== 'scalar' || typeof node.value !== 'number')
    return reportWrongKind(node, 'version', report)(`"version: ${current}"`);
  const { value, raw } = node;
  const reads = current === 1 ? 'version 1' : `versions 1 to ${current}`;
  if (!/^[1-9]\d*$/.test(raw))
    return report.problem(node.at, `version ${raw} is not supported; this version of Bridle reads ${reads}`);
  if (value > current)
    report.problem(node.at, `this file has version ${raw}, but this Bridle reads ${reads}; upgrade Bridle`);
  return value;
}
