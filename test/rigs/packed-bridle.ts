/** The package as a user gets it: packed, and installed into empty projects by npm. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../source.ts';
import { type Ended, run } from './child.ts';

/** True if this Node includes SQLite, so that nobody needs libsql. */
export const hasNodeSqlite = process.getBuiltinModule('node:sqlite') !== undefined;

/** Packs the build into the folder. */
export async function packBridle(
  folder: string,
): Promise<{ readonly file: string; readonly paths: readonly string[] }> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const { code, stdout, output } = await run({ command: 'npm', args, cwd: root });
  const [tarball] = code === 0 ? (JSON.parse(stdout) as { filename: string; files: { path: string }[] }[]) : [];
  if (tarball === undefined) throw new Error(output);
  return { file: join(folder, tarball.filename), paths: tarball.files.map(({ path }) => path) };
}

export function makeProject(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  return folder;
}

/** Runs a command line as a user would type it, with npm as it comes. */
export function shell(line: string, cwd: string): Promise<Ended> {
  const quiet = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
  return run({ command: 'bash', args: ['-c', line], cwd, env: { ...process.env, ...quiet } });
}

/** The names of the installed packages. */
export function installedIn(project: string): readonly string[] {
  const lock = readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8');
  const { packages } = JSON.parse(lock) as { packages: Record<string, unknown> };
  return Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''));
}
