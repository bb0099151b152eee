/** The package manager of a Node.js project. */

import type { JsonObject } from '../../../kernel/json.ts';
import { textIn } from './read-jsonc.ts';

const managers = ['npm', 'pnpm', 'yarn', 'bun'] as const;

export type NodeManager = (typeof managers)[number];

const locks: readonly (readonly [file: string, manager: NodeManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['pnpm-workspace.yaml', 'pnpm'],
];

/** From the manifest, else from the lock file, else npm. */
export function nodeManager(manifest: JsonObject | undefined, has: (file: string) => boolean): NodeManager {
  const [declared = ''] = (textIn(manifest, 'packageManager') ?? '').split('@');
  return managers.find((name) => name === declared) ?? locks.find(([file]) => has(file))?.[1] ?? 'npm';
}
