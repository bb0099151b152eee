/** Reads a mapping with known keys. */

import { didYouMean, quoteName } from '../../../kernel/names.ts';
import type { MapEntry } from '../syntax/file-node.ts';
import { reportWrongKind, type NodeReader } from './read-values.ts';

type Readers<T> = { readonly [K in keyof T]: NodeReader<T[K]> };

export interface KnownFields<T> {
  readonly values: Partial<T>;
  /** The entries by key. If a key appears twice, the first one. */
  readonly entries: ReadonlyMap<string, MapEntry>;
}

/** Reads the known keys and reports every other key. Returns undefined if the node is not a mapping. */
export function readFields<T extends object>(readers: Readers<T>): NodeReader<KnownFields<T>> {
  const known = Object.keys(readers);
  return (node, name, report) => {
    if (node.type !== 'map') return reportWrongKind(node, name, report)(`a mapping with ${known.join(', ')}`);
    const entries = new Map<string, MapEntry>();
    const values: Partial<T> = {};
    for (const entry of node.entries) {
      const { key, at, value } = entry;
      if (!known.includes(key))
        report.problem(at, () => `${name} has no key ${quoteName(key)}${suggestKey(key, known)}`);
      if (entries.has(key)) continue;
      entries.set(key, entry);
      const field = known.includes(key) ? (key as keyof T) : undefined;
      const read = field === undefined ? undefined : readers[field](value, key, report);
      if (field !== undefined && read !== undefined) values[field] = read;
    }
    return { values, entries };
  };
}

function suggestKey(key: string, known: readonly string[]): string {
  return didYouMean(key, known) || `; valid keys are ${known.join(', ')}`;
}

/** {@link readFields} for a mapping that must not be empty. */
export function readNonEmptyFields<T extends object>(readers: Readers<T>): NodeReader<Partial<T>> {
  const read = readFields(readers);
  return (node, name, report) => {
    const fields = read(node, name, report);
    if (fields === undefined || fields.entries.size > 0) return fields?.values;
    return report.problem(node.at, `${name} is empty; write ${Object.keys(readers).join(', ')}, or remove it`);
  };
}
