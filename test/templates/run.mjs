/**
 * `npm run test:templates`: generates templates from the packed package, installs what they depend on, and runs their
 * builds and tests with loopback only. `npm test` does this for all templates but the one of Next.js, which is large.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const work = join(root, 'build/templates');
const known = readdirSync(join(root, 'templates'));
const given = process.argv.slice(2);
const unknown = given.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`there is no template "${unknown}"; there are ${known.join(', ')}`);
  process.exit(2);
}

function npm(args, cwd, prefix = []) {
  const [command, ...words] = [...prefix, 'npm', ...args];
  execFileSync(command, words, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
}

/** What runs a command without a network, if this machine permits it. */
function offline() {
  const isPermitted = spawnSync('unshare', ['-rn', 'true']).status === 0;
  if (!isPermitted) console.error('unshare is not permitted here, so the network is reachable');
  return isPermitted ? ['unshare', '-rn', 'sh', '-c', 'ip link set lo up 2>/dev/null; exec "$@"', 'sh'] : [];
}

npm(['run', '--silent', 'build'], root);
mkdirSync(work, { recursive: true });
for (const old of readdirSync(work).filter((name) => name.endsWith('.tgz'))) rmSync(join(work, old));
npm(['pack', '--silent', '--ignore-scripts', '--pack-destination', work], root);
const tarball = readdirSync(work).find((name) => name.endsWith('.tgz'));

for (const name of given.length === 0 ? ['nextjs'] : given) {
  const folder = join(work, name);
  mkdirSync(folder, { recursive: true });
  const command = join(root, 'dist/cli/main.cjs');
  execFileSync(process.execPath, [command, 'init', '--template', name, '--force', '--cwd', folder], {
    stdio: 'inherit',
  });
  // The template names the published version; this is the same one, packed here.
  npm(['install', '--no-audit', '--no-fund', '--loglevel=error', join('..', tarball)], folder);
  npm(['run', '--if-present', 'build'], folder, offline());
  npm(['test'], folder, offline());
}
