/** Runs scripts in a real bash that shows every call of `p`, with its number and its words. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bash } from './bash-oracle.ts';

/** Files in the folder that every script starts in. */
const names = ['a', 'b', 'ab', 'a b', '.a', '-n', 'x.ts', 'y.ts', 'sub/a', 'sub/x.ts', 'sub/-y.ts', 'sub/z z.ts'];

/** Each script runs in a subshell of its own, and is ended if it runs too long. */
const driver = String.raw`
p() { local IFS=' '; printf '%s\0' "C$index" "$#" "$@" >&3; }
set --
index=0
while IFS= read -r -d '' line <&4; do
  ( ulimit -t 1; eval "$line" ) 4<&- </dev/null >/dev/null 2>&1
  index=$((index + 1))
done
`;

export interface ShownCall {
  readonly script: number;
  readonly words: readonly string[];
}

export class ValueOracle {
  private readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-values-')));
  readonly folder = join(this.root, 'work');

  constructor() {
    mkdirSync(join(this.folder, 'sub'), { recursive: true });
    for (const name of names) writeFileSync(join(this.folder, name), '');
    writeFileSync(join(this.root, 'driver'), driver);
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  run(scripts: readonly string[]): readonly ShownCall[] {
    writeFileSync(join(this.root, 'lines'), scripts.map((script) => `${script}\0`).join(''));
    const open = `exec 3>"$1/words" 4<"$1/lines"; . "$1/driver"`;
    spawnSync(String(bash), ['--noprofile', '--norc', '-c', open, 'bash', this.root], {
      cwd: this.folder,
      env: { PATH: join(this.root, 'none'), LC_ALL: 'C.UTF-8', f: 'inherited' },
      stdio: 'ignore',
      timeout: 100_000,
    });
    return callsIn(readFileSync(join(this.root, 'words'), 'utf8').split('\0'));
  }
}

function callsIn(texts: readonly string[]): readonly ShownCall[] {
  const calls: ShownCall[] = [];
  for (let at = 0; at + 1 < texts.length;) {
    const count = Number(texts[at + 1]);
    calls.push({ script: Number(texts[at]?.slice(1)), words: texts.slice(at + 2, at + 2 + count) });
    at += 2 + count;
  }
  return calls;
}
