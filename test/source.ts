/** The repository as data: its files and their syntax trees. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';

export const root = fileURLToPath(new URL('..', import.meta.url));

const skipped = new Set(['node_modules', 'dist', 'build', 'coverage', '.git']);

/** Every file in a folder of the repository, as paths relative to the root, with `/`. */
export function filesUnder(folder: string): string[] {
  const files: string[] = [];
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (skipped.has(entry.name)) continue;
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) files.push(...filesUnder(path));
    else if (entry.isFile()) files.push(path);
  }
  return files.toSorted();
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** The syntax tree of a TypeScript text. */
export function parse(path: string, text: string): Node {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors.map((error) => error.message).join('; ')}`);
  return program as unknown as Node;
}

/** Visits a node and everything below it; returning `false` skips the children. */
export function walk(node: Node, visit: (node: Node) => unknown): void {
  if (visit(node) === false) return;
  for (const value of Object.values(node)) {
    for (const item of Array.isArray(value) ? value : [value]) if (isNode(item)) walk(item, visit);
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** The imports and re-exports of a file, including type and dynamic imports. */
export function importsOf(path: string, text: string): string[] {
  const found = new Set<string>();
  walk(parse(path, text), (node) => {
    const source = node.type === 'TSImportType' ? (node['source'] ?? node['argument']) : node['source'];
    if (isNode(source) && typeof source['value'] === 'string') found.add(source['value']);
  });
  return [...found];
}

/** The target of a relative import, as a path from the root. */
export function resolveImport(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier).split(sep).join('/');
}
