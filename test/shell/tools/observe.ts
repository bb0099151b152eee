/** Runs a line under strace in its own folder and reports what it read, wrote and started. */

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export interface Observed {
  /** Paths relative to the folder of the line: what stands outside begins with `..`. */
  readonly read: readonly string[];
  readonly written: readonly string[];
  /** Programs in the folder or next to it. */
  readonly started: readonly string[];
}

/** The files that every line finds: canaries, a marker that can be started, and sources to build. */
const files: Readonly<Record<string, string>> = {
  '.env': 'KEY=canary\n',
  'a.txt': 'KEY one\n',
  'b.txt': 'two\n',
  mark: '#!/bin/sh\ncat >/dev/null 2>&1 </dev/null\nexit 0\n',
  'src/x.ts': 'export const x: number = 1;\n',
  'src/x.c': 'int main(void) { return 0; }\n',
  'src/X.java': 'class X { }\n',
  'src/x.js': 'module.exports = 1;\n',
  'src/x.rs': 'fn main() {}\n',
  'tsconfig.json': '{ "compilerOptions": { "outDir": "../out" }, "files": ["src/x.ts"] }\n',
  'inner/tsconfig.json': '{ "compilerOptions": { "outDir": "out" }, "files": ["../src/x.ts"] }\n',
  'package.json': '{ "name": "x", "version": "1.0.0", "scripts": { "test": "./mark" } }\n',
  'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n[[bin]]\nname = "x"\npath = "src/x.rs"\n',
  Makefile: 'all:\n\t./mark\n',
  'options.txt': '--outDir ../out src/x.ts\n',
  '../beside.txt': 'beside\n',
  '../.env': 'KEY=beside\n',
};

export const tracer = ['/usr/bin/strace', '/usr/local/bin/strace'].find((path) => existsSync(path));

/** A folder as {@link files} says, in a repository of git with all but `.env` committed. */
export class Bench {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-tools-')));
  readonly cwd = join(this.root, 'work');

  constructor() {
    for (const [name, text] of Object.entries(files)) {
      const path = resolve(this.cwd, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    chmodSync(join(this.cwd, 'mark'), 0o755);
    mkdirSync(join(this.root, 'home'));
    const setUp = [
      'init -q -b main',
      'add . :!.env',
      'commit -qm first',
      'commit -qm second --allow-empty',
      'tag other',
    ];
    for (const words of setUp) this.run(['git', ...words.split(' ')], this.root);
  }

  /** Runs the line in a copy of the folder; undefined: its program is not on this machine. */
  observe(line: string): Observed | undefined {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-tools-')));
    const log = join(root, 'home/trace');
    try {
      cpSync(this.root, root, { recursive: true, preserveTimestamps: true });
      mkdirSync(log);
      const words = [
        '-ff',
        '-y',
        '-qq',
        '-s',
        '4096',
        '-e',
        `trace=${calls}`,
        '-e',
        'signal=none',
        '-o',
        join(log, 'of'),
      ];
      const status = this.run([tracer ?? '', ...words, 'bash', '--norc', '-c', line], root);
      const traces = readdirSync(log).map((name) => readFileSync(join(log, name), 'utf8'));
      return status === 127 ? undefined : seen(traces.join('\n'), join(root, 'work'));
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  }

  private run([program = '', ...args]: readonly string[], root: string): number | null {
    const env = { ...environment, HOME: join(root, 'home') };
    const { status } = spawnSync(program, args, {
      cwd: join(root, 'work'),
      env,
      timeout: 60_000,
      stdio: 'ignore',
    });
    return status;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const calls =
  'open,openat,creat,execve,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,mkdir,mkdirat,truncate';
const home = process.env['HOME'] ?? '';
const environment = {
  PATH: `${resolve('node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
  CARGO_HOME: process.env['CARGO_HOME'] ?? join(home, '.cargo'),
  RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(home, '.rustup'),
  LC_ALL: 'C',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@a.test',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@a.test',
  GIT_CONFIG_NOSYSTEM: '1',
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
};

const call = /^(?:\d+ +)?(?<name>\w+)\((?<args>.*)\) += (?<result>-?\d+)/u;

function seen(log: string, cwd: string): Observed {
  const found = { read: new Set<string>(), written: new Set<string>(), started: new Set<string>() };
  for (const line of log.split('\n')) {
    const { name = '', args = '', result = '-1' } = call.exec(line)?.groups ?? {};
    if (result.startsWith('-')) continue;
    const paths = pathsIn(args, cwd);
    const kind = name === 'execve' ? 'started' : isReading(name, args) ? 'read' : 'written';
    for (const path of name === 'execve' ? paths.slice(0, 1) : paths) {
      const shown = ours(path, cwd);
      if (shown !== undefined && !(kind === 'read' && args.includes('O_DIRECTORY'))) found[kind].add(shown);
    }
  }
  // A file that it created is not a file that it found.
  for (const path of found.written) found.read.delete(path);
  return { read: [...found.read], written: [...found.written], started: [...found.started] };
}

function isReading(name: string, args: string): boolean {
  return name.startsWith('open') && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/u.test(args);
}

/** The quoted paths, each from the folder that its descriptor stands for. */
function pathsIn(args: string, cwd: string): readonly string[] {
  return Array.from(args.matchAll(/(?:(?:AT_FDCWD|\d+)<(?<at>[^>]*)>, )?"(?<path>(?:[^"\\]|\\.)*)"/gu), ({ groups }) =>
    resolve(groups?.['at'] ?? cwd, groups?.['path'] ?? ''),
  );
}

/** Files in the folder or next to it, without internal files of programs. */
function ours(path: string, cwd: string): string | undefined {
  const root = dirname(cwd);
  if (path === cwd || !path.startsWith(`${root}/`) || path.startsWith(`${root}/home`)) return undefined;
  const shown = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : `../${path.slice(root.length + 1)}`;
  return /^\.git(?:\/|$)/u.test(shown) ? undefined : shown;
}
