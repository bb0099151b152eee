/** Makes sure that the peers are installed as the lock file says, and builds the library: an old build would be measured. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bench = new URL('./', import.meta.url);
const root = new URL('../', import.meta.url);

export function prepare() {
  install();
  build();
}

function install() {
  const stamp = new URL('node_modules/.lock-hash', bench);
  const hash = createHash('sha256')
    .update(readFileSync(new URL('package-lock.json', bench)))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  say('installing the peers (once, about 460 MB) …');
  try {
    npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], bench);
  } catch (cause) {
    throw new Error('the peers in bench/package.json cannot be installed: npm ci failed, see above', { cause });
  }
  writeFileSync(stamp, hash);
}

export function build() {
  npm(['run', '--silent', 'build'], root);
}

/** Its output goes to stderr: stdout is for results. */
function npm(args, cwd) {
  execFileSync('npm', args, { cwd: fileURLToPath(cwd), stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
}

export function say(text) {
  process.stderr.write(`${text}\n`);
}
