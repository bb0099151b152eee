/** Makes sure that the coding agents are installed as the lock file says, and that Bridle is built. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = new URL('./', import.meta.url);
const root = new URL('../../', import.meta.url);

/** The folder with the packages of the coding agents. */
export function installAgents() {
  const modules = new URL('node_modules/', here);
  const stamp = new URL('.lock-hash', modules);
  const hash = createHash('sha256')
    .update(readFileSync(new URL('package-lock.json', here)))
    .digest('hex');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== hash) {
    say('installing the coding agents (once, about 1.5 GB, only in test/hosts/node_modules) …');
    npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], here);
    writeFileSync(stamp, hash);
  }
  return fileURLToPath(modules);
}

export function build() {
  say('building Bridle …');
  npm(['run', '--silent', 'build'], root);
}

/** Its output goes to stderr: stdout is for results. */
function npm(args, cwd) {
  execFileSync('npm', args, { cwd: fileURLToPath(cwd), stdio: ['ignore', 2, 2] });
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}
