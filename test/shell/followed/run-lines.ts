/**
 * Runs lines with the real bash, each in a fresh copy of the folder, and reports which files they read and wrote.
 *
 * A file was read if its token turns up: in what the line prints, or in a file that it writes. A file was written if the
 * folder differs afterwards. Lines hold only programs and paths that stay in their copy; where bubblewrap is installed,
 * nothing else can be written either.
 */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { openedFiles, tracing } from './read-trace.ts';
import { area, makeTree, removeTree, tokens, twins } from './tree.ts';

/** Paths are relative to where the line starts; those around it begin with `..`. */
export interface Accesses {
  readonly read: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
  /** The exit status of the line; 124 if it was stopped. */
  readonly status: number;
}

/** Where a line starts, and its home folder. */
export interface Start {
  readonly cwd: string;
  readonly home: string;
}

const hangMs = 300_000;

/** `$1` holds the slots. A line that reads what it appends to must end, and one that loops as well. */
const driver = `
ulimit -f 256
for slot in "$1"/slot*; do
  IFS= read -r -d '' line < "$slot/line"
  (
    cd "$slot/${area}/work" && unset OLDPWD
    HOME="$slot/${area}/home" timeout -k 1 5 \\
      $2 \${2:+"$slot/trace"} bash --noprofile --norc -c "$line" > "$slot/printed" 2>&1 < /dev/null
  )
  echo $? > "$slot/status"
done
`;

const prepare = 'for slot in "$1"/slot*; do cp -a "$2" "$slot/d"; done';

export class LineRunner {
  private readonly folder = realpathSync(mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bridle-')));
  private readonly before: ReadonlyMap<string, string>;
  private batches = 0;
  private readonly traced: boolean;

  /** `traced`: strace watches as well, and sees files that are opened without being printed. */
  constructor({ traced }: { readonly traced: boolean } = { traced: false }) {
    this.traced = traced;
    makeTree(join(this.folder, 'base'));
    mkdirSync(join(this.folder, 'bin'));
    const fd = ['/usr/bin/fdfind', '/usr/bin/fd'].find((path) => existsSync(path));
    if (fd !== undefined) symlinkSync(fd, join(this.folder, 'bin/fd'));
    this.before = this.snapshot(join(this.folder, 'base'));
  }

  remove(): void {
    removeTree(this.folder);
  }

  /** The folder as every line finds it. Nothing runs here, so that facts can be asked at any time. */
  get start(): Start {
    const around = join(this.folder, 'base', area);
    return { cwd: join(around, 'work'), home: join(around, 'home') };
  }

  async run(lines: readonly string[]): Promise<readonly Accesses[]> {
    this.batches += 1;
    const batch = join(this.folder, `batch${this.batches}`);
    const slots = lines.map((line, index) => makeSlot(join(batch, `slot${String(index).padStart(4, '0')}`), line));
    spawnSync('bash', ['-c', prepare, 'bash', batch, join(this.folder, 'base/d')], { stdio: 'ignore' });
    await this.drive(batch);
    const found = slots.map((slot) => this.accesses(slot));
    removeTree(batch);
    return found;
  }

  private async drive(batch: string): Promise<void> {
    const words = [...sandbox(this.folder, batch), 'bash', '--noprofile', '--norc', '-c', driver, 'bash', batch];
    const env = {
      PATH: `${this.folder}/bin:/usr/local/bin:/usr/bin:/bin`,
      LC_ALL: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
    };
    const child = spawn('env', [...words, this.traced ? tracing : ''], {
      cwd: batch,
      env,
      stdio: 'ignore',
      timeout: hangMs,
      killSignal: 'SIGKILL',
    });
    await once(child, 'close');
  }

  private accesses(top: string): Accesses {
    const after = this.snapshot(top);
    const paths = new Set([...this.before.keys(), ...after.keys()]);
    // A folder copied into itself nests deeply; the first levels are enough.
    const changed = [...paths].filter((path) => path.length < 300 && this.before.get(path) !== after.get(path));
    const printed = existsSync(join(top, 'printed')) ? readFileSync(join(top, 'printed'), 'latin1') : '';
    const files = changed.filter((path) => after.get(path)?.startsWith('file'));
    const written = new Set(changed.map(shownPath).filter((path) => path !== ''));
    // A changed or moved file still contains its own token.
    const isKept = (file: string): boolean => written.has(file) || written.has(twins.get(file) ?? file);
    const copied = files.flatMap((path) => filesIn(textOf(top, path)).filter((file) => !isKept(file)));
    const opened = openedFiles(top, this.before);
    return {
      read: new Set([...filesIn(printed), ...copied, ...opened.read.map(shownPath)]),
      written: new Set([...written, ...opened.written.map(shownPath)]),
      status: existsSync(join(top, 'status')) ? Number(readFileSync(join(top, 'status'), 'utf8')) : -1,
    };
  }

  /** Every entry, with a text that changes when it does; names as bytes. */
  private snapshot(top: string, folder = 'd', found = new Map<string, string>()): typeof found {
    for (const name of namesIn(asBytes(top, folder))) {
      const path = `${folder}/${name.toString('latin1')}`;
      const stat = lstatSync(asBytes(top, path), { bigint: true });
      const target = stat.isSymbolicLink() ? readlinkSync(asBytes(top, path), { encoding: 'latin1' }) : '';
      if (stat.isDirectory()) {
        found.set(path, `folder ${stat.mode}`);
        this.snapshot(top, path, found);
      } else
        found.set(
          path,
          `${stat.isFile() ? 'file' : 'other'} ${stat.mode} ${stat.nlink} ${stat.size} ${stat.mtimeNs} ${target}`,
        );
    }
    return found;
  }
}

function filesIn(text: string): readonly string[] {
  const found = Array.from(text.matchAll(/tk\d{3}x/gu), ([token]) => tokens.get(token));
  return found.filter((path) => path !== undefined);
}

function shownPath(path: string): string {
  return relative(join(area, 'work'), Buffer.from(path, 'latin1').toString());
}

function makeSlot(top: string, line: string): string {
  mkdirSync(top, { recursive: true });
  writeFileSync(join(top, 'line'), `${line}\0`);
  return top;
}

/** Empty if the folder cannot be read. */
function namesIn(folder: Buffer): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return [];
    throw error;
  }
}

function asBytes(top: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')]);
}

function textOf(top: string, path: string): string {
  return readFileSync(asBytes(top, path), 'latin1');
}

/** Read-only but for the batch, and without a network. */
function sandbox(folder: string, batch: string): readonly string[] {
  if (!isSandboxed()) return [];
  const machine = '--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent --new-session';
  return ['bwrap', ...machine.split(' '), '--ro-bind', folder, folder, '--bind', batch, batch, '--chdir', batch];
}

let sandboxed: boolean | undefined;

function isSandboxed(): boolean {
  sandboxed ??= spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-all', 'true'], { stdio: 'ignore' }).status === 0;
  return sandboxed;
}

const writers =
  /\b(?:rm|mv|ln|cp|dd|tee|touch|mkdir|rmdir|install|truncate|chmod|sort -o|delete|f?print|fls)\b|-i\b|>/u;
const climbing = /\.\.|\bup\b|~|unset|OLDPWD|PWD|HOME|CDPATH|DIRSTACK|dirname|realpath|\$[\w{][^ /]*\/|popd|cd -/u;

/** Whether a line can run here: without a sandbox, nothing that writes may also go up. */
export function canRun(line: string): boolean {
  return isSandboxed() || !writers.test(line) || !climbing.test(line);
}
