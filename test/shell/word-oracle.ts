/** Asks the real bash which words it makes from a text. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bash } from './bash-oracle.ts';

/** Files in the folder that every line starts in, for patterns. */
const names = ['a', 'b', 'ab', 'a b', '.a', '.env', '-n', 'A', 'é', 'sub/a', 'sub/.a'];

/** `p` prints how many words it got, and the words. Each line runs in a subshell of its own, in the same folder. */
const driver = String.raw`
p() { printf '%s\0' "$#" "$@" >&3; }
set --
index=0
while IFS= read -r -d '' line <&4; do
  printf 'L%s\0' "$index" >&3
  index=$((index + 1))
  ( eval "$line" ) 4<&- </dev/null
done
`;

/** The words that `p` got, as bytes in latin1; undefined where bash did not call it. */
export type FoundWords = readonly string[] | undefined;

export class WordOracle {
  private readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-words-')));
  readonly folder = join(this.root, 'work');
  readonly home = join(this.root, 'home');

  constructor() {
    mkdirSync(join(this.folder, 'sub'), { recursive: true });
    mkdirSync(this.home);
    for (const name of names) writeFileSync(join(this.folder, name), '');
    writeFileSync(join(this.root, 'driver'), driver);
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  /** Runs the lines one after another, in one bash. */
  async run(lines: readonly string[], locale: string): Promise<readonly FoundWords[]> {
    const [given, found] = [join(this.root, 'lines'), join(this.root, 'words')];
    writeFileSync(given, lines.map((line) => `${line}\0`).join(''));
    const open = `exec 3>"$1/words" 4<"$1/lines"; . "$1/driver"`;
    const child = spawn(String(bash), ['--noprofile', '--norc', '-c', open, 'bash', this.root], {
      cwd: this.folder,
      env: { PATH: join(this.root, 'none'), HOME: this.home, LC_ALL: locale },
      stdio: 'ignore',
      timeout: 120_000,
    });
    const [code, signal] = await once(child, 'close');
    if (signal !== null) throw new Error(`bash was ended by ${signal}, with ${code}`);
    return wordsByLine(readFileSync(found, 'latin1'), lines.length);
  }
}

function wordsByLine(text: string, count: number): readonly FoundWords[] {
  const words = text.split('\0');
  const found: FoundWords[] = Array.from({ length: count }, () => undefined);
  let at = 0;
  while (at < words.length - 1) {
    const index = Number(words[at]?.slice(1));
    const next = words[at + 1] ?? '';
    if (!/^\d+$/.test(next)) {
      at += 1;
      continue;
    }
    found[index] = words.slice(at + 2, at + 2 + Number(next));
    at += 2 + Number(next);
  }
  return found;
}
