/** Runs the cases of a framework in a process of its own, without a network. */

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = new URL('./', import.meta.url);
const limitMs = 5 * 60_000;

export async function runSuite(name, { node, chosen, onCase }) {
  const folder = fileURLToPath(new URL(`${name}/`, here));
  const command = [...isolation(), node, fileURLToPath(new URL('suite.mjs', here)), folder, ...chosen];
  const rows = [];
  const child = spawn(command[0], command.slice(1), { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  for await (const line of createInterface({ input: child.stdout })) {
    const row = readRow(line);
    if (row === undefined) process.stderr.write(`${line}\n`);
    else {
      rows.push(row);
      onCase(row);
    }
  }
  clearTimeout(timer);
  const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)));
  if (code !== 0) rows.push({ case: 'the suite itself', result: 'failed', reason: `it ended with ${code}` });
  return { name, versions: versionsOf(folder), node: nodeVersion(node), rows };
}

/** Frameworks must not reach the network. Without permission for a namespace, nothing is isolated. */
export function isolation() {
  const probe = spawnSync('unshare', ['-rn', 'true']);
  return probe.status === 0 ? ['unshare', '-rn', 'sh', '-c', 'ip link set lo up 2>/dev/null; exec "$@"', 'sh'] : [];
}

/** A framework may print to stdout, too. */
function readRow(line) {
  if (!line.startsWith('{"case":')) return undefined;
  return JSON.parse(line);
}

function versionsOf(folder) {
  const { dependencies } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => name !== 'zod' && name !== 'node'));
}

function nodeVersion(node) {
  return spawnSync(node, ['--version']).stdout.toString().trim();
}
