/** `npm start`: builds Bridle, which takes seconds only if something has changed, and plays the tour. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

console.log('Building Bridle (about ten seconds the first time)…');
run('npm', 'run', '--silent', 'build');
run(process.execPath, join(root, 'dist/cli/main.cjs'), 'tour');
