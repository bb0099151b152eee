/**
 * Runs one case in a network namespace with loopback only, and in a PID namespace, so that no process survives it. The
 * coding agent cannot reach anything but the scripted model.
 */

import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const inside = fileURLToPath(new URL('inside.mjs', import.meta.url));
const isRoot = process.getuid?.() === 0;
const flags = [...(isRoot ? [] : ['-r']), '--net', '--pid', '--fork', '--mount-proc', '--kill-child'];

/** Undefined if namespaces are permitted, else the reason. */
export function namespaceProblem() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'this needs Linux on x64';
  const { status, error, stderr } = spawnSync('unshare', [...flags, 'ip', 'link', 'set', 'lo', 'up'], {
    encoding: 'utf8',
  });
  if (error !== undefined) return `unshare cannot be started: ${error.message}`;
  return status === 0 ? undefined : stderr.trim() || `unshare ended with ${status}`;
}

/**
 * Changes of /etc and /opt stay in the folder of the case. The shell stays the first process of the namespace: processes
 * that lose their parent become its children.
 */
const script = `set -e
cd "$1"
ip link set lo up
for name in etc opt; do
  mkdir -p "$name" "$name.work"
  mount -t overlay overlay -o "lowerdir=/$name,upperdir=$1/$name,workdir=$1/$name.work" "/$name"
done
mount --bind resolv.conf /etc/resolv.conf
shift
"$@"
exit $?`;

/** Variables that mark this process as part of something else must not reach the case. */
function cleanEnv(home) {
  return {
    HOME: home,
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SHELL: '/bin/bash',
    USER: 'user',
  };
}

/** The outcome that inside.mjs writes, or a failure if it could not. */
export async function runInNamespace({ folder, host, name, clis, cache }, timeoutMs) {
  writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\n');
  const outcome = join(folder, 'outcome.json');
  const args = [
    'bash',
    '-c',
    script,
    'bash',
    folder,
    process.execPath,
    inside,
    JSON.stringify({ folder, host, name, clis, cache, outcome }),
  ];
  const child = spawn('unshare', [...flags, ...args], {
    env: cleanEnv(join(folder, 'home')),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [code, signal] = await new Promise((resolve) => child.on('close', (...end) => resolve(end)));
  clearTimeout(timer);
  try {
    return JSON.parse(readFileSync(outcome, 'utf8'));
  } catch {
    const why = signal === 'SIGKILL' ? `took longer than ${timeoutMs / 1000} s` : `ended with ${signal ?? code}`;
    return { result: 'fail', detail: `${why}: ${output.slice(-2000)}` };
  }
}
