/** Installs a framework as its lock file says, puts the built package next to it, and finds a Node that it runs on. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mutants } from './mutants.mjs';

const here = new URL('./', import.meta.url);
const root = new URL('../../', import.meta.url);

export function build() {
  say('building Bridle …');
  npm(['run', '--silent', 'build'], root);
}

/** Returns the program that runs the framework: Node 22 from npm if its package names it, or this Node. */
export function install(name, mutant) {
  const folder = new URL(`${name}/`, here);
  const stamp = new URL('node_modules/.lock-hash', folder);
  const lock = readFileSync(new URL('package-lock.json', folder));
  const hash = createHash('sha256').update(lock).digest('hex');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== hash) {
    say(`installing ${name} (once, only in test/frameworks/${name}/node_modules) …`);
    npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], folder);
    writeFileSync(stamp, hash);
  }
  placeBridle(folder, mutant);
  const node = new URL('node_modules/node/bin/node', folder);
  return existsSync(node) ? fileURLToPath(node) : process.execPath;
}

/** A copy, not a link: the adapter must find the framework next to itself, as in a user's project. */
function placeBridle(folder, mutant) {
  const target = new URL('node_modules/bridle/', folder);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const part of ['dist', 'package.json', 'policy.schema.json']) {
    cpSync(new URL(part, root), new URL(part, target), { recursive: true });
  }
  symlinkSync(fileURLToPath(new URL('node_modules', root)), fileURLToPath(new URL('node_modules', target)));
  if (mutant === undefined) return;
  const { file, from, to } = mutants[mutant];
  const path = new URL(`dist/adapters/${file}`, target);
  const text = readFileSync(path, 'utf8');
  const broken = text.replace(from, to);
  if (broken === text) throw new Error(`${file} has no "${from}", so the mutant ${mutant} changes nothing`);
  writeFileSync(path, broken);
}

/** Its output goes to stderr: stdout is for results. */
function npm(args, cwd) {
  execFileSync('npm', args, { cwd: fileURLToPath(cwd), stdio: ['ignore', 2, 2] });
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}
