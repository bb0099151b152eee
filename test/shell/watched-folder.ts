/** Runs lines with the real bash in their own folder and reports what they do to its files. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What was observed about a line. */
export interface Seen {
  readonly reads: boolean;
  readonly writes: boolean;
  readonly runs: boolean;
}

const secret = 'SECRET=s3cret\nSECOND=2\n';
/** The kernel updates the access time only if the file changed after the last read. */
const readLast = new Date('2001-01-01');
const changedLast = new Date('2002-01-01');

const texts: Readonly<Record<string, string>> = {
  '.env': secret,
  out: 'one\n',
  f: 'one 1\ntwo 2\nthree 3\n',
  names: '.env\0',
  list: 'ran\n',
  'data.json': '{"a":1}\n',
  'prog.awk': 'BEGIN { system("touch ran") }\n',
  'page.1': '.TH X 1\n.SH NAME\nx \\- y\n',
  'p.diff': '--- f\n+++ f\n@@ -1,3 +1,3 @@\n-one 1\n+ONE 1\n two 2\n three 3\n',
  'sub/a.ts': 'one\n',
};
const packed = ['a.gz', 'a.tar', 'a.tar.gz'];

export class WatchedFolder {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-programs-')));
  private readonly files = new Map<string, string | Buffer>(Object.entries(texts));

  constructor() {
    this.reset();
    const pack = 'gzip -c f > a.gz; tar cf a.tar sub; tar czf a.tar.gz sub';
    spawnSync('/bin/bash', ['-c', pack], { cwd: this.path, stdio: 'ignore' });
    for (const name of packed) if (existsSync(this.file(name))) this.files.set(name, readFileSync(this.file(name)));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Creates all files again. */
  reset(): void {
    for (const name of readdirSync(this.path)) rmSync(this.file(name), { recursive: true, force: true });
    mkdirSync(this.file('sub'));
    mkdirSync(this.file('out2'));
    for (const [name, content] of this.files) writeFileSync(this.file(name), content);
    utimesSync(this.file('.env'), readLast, changedLast);
  }

  /** Runs a program in a fresh folder and reports what happened to the files. */
  run(program: string, args: readonly string[]): Seen {
    this.reset();
    const env = { PATH: process.env['PATH'], HOME: this.file('sub'), TERM: 'dumb', LC_ALL: 'C' };
    spawnSync(program, args, {
      cwd: this.path,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 5000,
      killSignal: 'SIGKILL',
    });
    return {
      reads: this.wasRead(),
      writes: !existsSync(this.file('out')) || readFileSync(this.file('out'), 'utf8') !== 'one\n',
      runs: existsSync(this.file('ran')),
    };
  }

  line(line: string): Seen {
    return this.run('/bin/bash', ['--noprofile', '--norc', '-c', line]);
  }

  private file(name: string): string {
    return join(this.path, name);
  }

  private wasRead(): boolean {
    if (!existsSync(this.file('.env'))) return false;
    return statSync(this.file('.env')).atime.getTime() !== readLast.getTime();
  }
}

/** Whether a program can be started here. */
export function isInstalled(name: string): boolean {
  return spawnSync('/bin/bash', ['-c', `command -v -- "$1"`, 'bash', name], { stdio: 'ignore' }).status === 0;
}
