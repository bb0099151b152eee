/** Facts about words that stand for one of several names: variables, loops, lists of files. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import type { ToolCall } from '../../../kernel/call.ts';
import type { Truth } from '../../truth.ts';
import { readsFact, writesFact } from '../file-facts.ts';
import { readsInsideFact, writesInsideFact } from '../inside-facts.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'listed-')));
const ws = join(base, 'ws');

const files = [
  '.env',
  'a.txt',
  'b.txt',
  'src/a.ts',
  'src/b.ts',
  'src/deep/c.ts',
  'odd/a .env b.ts',
  'dash/-n',
  'bad/.env',
];

beforeAll(() => {
  for (const file of files) {
    mkdirSync(dirname(join(ws, file)), { recursive: true });
    writeFileSync(join(ws, file), 'x');
  }
  mkdirSync(join(ws, 'links'));
  symlinkSync('../.env', join(ws, 'links/link.ts'));
  symlinkSync('../src/a.ts', join(ws, 'links/fine.js'));
  symlinkSync('../../out', join(ws, 'links/out.md'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function shown(truth: Truth): string {
  return truth === true ? 'yes' : truth === false ? 'no' : 'unknown';
}

function asked(line: string): Record<'reads' | 'writes' | 'readsInside' | 'writesInside', string> {
  const call = { tool: 'tool', args: { line }, cwd: ws } as unknown as ToolCall;
  const tool = { name: 'tool', commands: ['line'], touches: { bash: ['line'] } };
  return {
    reads: shown(readsFact('**/.env')(call, tool)),
    writes: shown(writesFact('**/.env')(call, tool)),
    readsInside: shown(readsInsideFact(['.'])(call, tool)),
    writesInside: shown(writesInsideFact(['.'])(call, tool)),
  };
}

const harmless = { reads: 'no', writes: 'no', readsInside: 'yes', writesInside: 'yes' };

describe('the value of a variable', () => {
  it.each([
    'f=src/a.ts; cat $f',
    'f=src/a.ts; cat "$f"',
    'f=src/a.ts && cat ${f}',
    'd=src; cat "$d/a.ts" $d/*.ts',
    'out=build; mkdir -p "$out"; cp src/a.ts "$out/a.ts"',
    'export OUT=build; mkdir -p $OUT',
    'n=3; head -n $n a.txt',
    'if true; then f=src/a.ts; else f=a.txt; fi; cat $f',
    'f=src/a.ts; while read -r line; do cat $f; done',
    'f=\'odd/a .env b.ts\'; cat "$f"',
  ])(proves('X08')('is resolved: %s'), (line) => {
    expect(asked(line)).toEqual(harmless);
  });

  it.each(['f=.env; cat $f', 'd=bad; cat "$d/.env"', 'f=a.txt; g=.env; cat $f $g', 'f=.env; f=$f; cat < "$f"'])(
    proves('X08')('names a file like the word itself: %s'),
    (line) => {
      expect(asked(line).reads).toBe('yes');
    },
  );

  it.each([
    'cat $f',
    '(f=a.txt); cat $f',
    'if true; then f=a.txt; fi; cat $f',
    'true && f=a.txt; cat $f',
    'f=a.txt & cat $f',
    'f=a.txt | true; cat $f',
    'f=a.txt; while read -r x; do cat $f; f=.env; done',
    'f=a.txt; read -r f; cat $f',
    'f=a.txt; f+=x; cat $f',
    'f=a.txt; unset f; cat ${f:-$g}',
    "f=a.txt; eval 'f=.env'; cat $f",
    'f=a.txt; g() { f=.env; }; g; cat $f',
    "f=a.txt; trap 'f=.env' DEBUG; cat $f",
    'declare -n r=f; f=a.txt; r=.env; cat $f',
    'f=a.txt; printf -v f .env; cat $f',
    'f="a.txt .env"; cat $f',
    'f=a/.env; IFS=/; cat $f',
    '{ f=a.txt; } < missing; cat $f',
    'f=a.txt export f; cat $f',
    'PWD=a.txt; cat $PWD',
    '_=a.txt; cat $_',
  ])(proves('X08')('is unknown: %s'), (line) => {
    expect(asked(line).reads).toBe('unknown');
  });
});

describe('a loop variable', () => {
  it.each([
    'for f in src/*.ts; do wc -l "$f"; done',
    'for f in src/*.ts; do wc -l $f; done',
    'for f in a.txt src/a.ts; do cat $f; done',
    'for i in 1 2 3; do head -n $i a.txt; done',
    'for i in {1..5}; do echo $i; done',
    'for d in src links; do for f in $d/*.js; do cat "$f"; done; done',
    'for f in odd/*; do cat "$f"; done',
    'for f in src/*.ts; do cp "$f" "$f.bak"; done',
    'for f in src/*.ts; do sed -i s/a/b/ "$f"; done',
    'for f in src/*.ts; do cat "$f" > "${f%.ts}.js"; done',
    'mkdir -p out; for f in src/*.ts; do cp "$f" out/; done',
  ])(proves('X08')('is resolved: %s'), (line) => {
    expect(asked(line)).toEqual(harmless);
  });

  it.each([
    'for f in a.txt .env; do cat $f; done',
    'for f in a.txt @.env; do curl -d "$f" localhost; done',
    'for f in sort -f; do cat a.txt | grep $f .env; done',
    'for f in a .env; do grep x --file="$f" a.txt; done',
    'for f in links/*.ts; do cat "$f"; done',
    'for f in bad/.e*; do cat "$f"; done',
  ])(proves('X08')('leads where its names lead: %s'), (line) => {
    expect(asked(line).reads).toBe('yes');
  });

  it.each([
    'for f in odd/*; do cat $f; done',
    'cd dash && for f in *; do cat "$f"; done',
    'for f in $(cat a.txt); do cat $f; done',
    'for f in "$@"; do cat $f; done',
    'for f in links/*.js; do nobody-knows-it "--file=$f"; done',
    'for f; do cat $f; done',
    'for f in src/*; do f=$(cat a.txt); cat $f; done',
    'for f in src/*.ts; do :; done; cat $f',
    'ln -s ../.env src/z.ts; for f in src/*.ts; do cat $f; done',
    'touch src/z.ts; for f in src/*.ts; do cat $f; done',
    'cp -r links src/new; for f in src/*/*.ts; do cat $f; done',
    'tar xf a.tar; for f in src/*.ts; do cat $f; done',
  ])(proves('X08')('is unknown: %s'), (line) => {
    expect(asked(line).reads).toBe('unknown');
  });
});

describe('a list of files', () => {
  it.each([
    'find src -name "*.ts" | xargs wc -l',
    'find . -name "*.txt" -type f | xargs wc -l',
    'find src -type f -exec grep -l foo {} +',
    'find src -name "*.ts" -exec wc -l {} \\;',
    'find src -name "*.ts" -print0 | xargs -0 sed -n 1p',
    'find odd -type f -print0 | xargs -0 cat',
    'find . -path ./odd -prune -o -path ./links -prune -o -name "*.ts" -print | xargs wc -l',
    'find src -name "*.ts" 2>/dev/null | grep -v deep | sort | head -5 | xargs cat',
    'find src -name "*.ts" | xargs -I{} cp {} {}.bak',
    'find src -name "*.ts" | xargs -n1 -P4 -r wc -l',
    "git ls-files src | xargs -d '\\n' wc -l",
    "wc -l $(git ls-files 'src/*.ts')",
    'rg --files src | xargs wc -l',
    'grep -rl foo src | xargs sed -i s/a/b/',
    'fd -e ts . src | xargs wc -l',
    'fd -e ts . src -x wc -l',
    'for f in $(find src -name "*.ts"); do wc -l "$f"; done',
    'for i in $(seq 1 3); do head -n $i a.txt; done',
    'cat $(ls *.txt)',
    'echo src/a.ts src/b.ts | xargs cat',
    'for f in $(find . -name "*.txt"); do wc -l "$f"; done',
    'cat $(echo src/a.ts src/b.ts)',
    'for o in -l -w; do wc $o a.txt; done',
    'mkdir -p out && cp src/*.ts out/',
    'mkdir -p out && find src -name "*.ts" | xargs wc -l > out/count',
  ])(proves('X08')('is resolved: %s'), (line) => {
    expect(asked(line)).toEqual(harmless);
  });

  it.each([
    'find . -type f | xargs cat',
    'find odd -name "*.ts" | xargs cat',
    'find links -name "*.ts" | xargs cat',
    'find links -name "*.ts" -exec cat {} +',
    'cat $(find odd -type f)',
    'cat $(ls -a)',
    'ls odd | xargs cat',
    'git ls-files | xargs cat',
    'fd -H . | xargs cat',
    'fd . bad | xargs -I{} cat {}.env',
    'grep -rl foo bad | xargs cat',
    'touch src/new.ts; find src -name "*.ts" | xargs cat',
    'cp -r links src/new; find src -name "*.ts" | xargs cat',
    'find src | xargs -I{} ln -s {} src/new; find src -name "*.ts" | xargs cat',
    'find . -name "*.ts" | xargs -a list cat',
    'cat list | xargs cat',
    './find src -name "*.ts" | xargs cat',
    'find src -name "*.ts" | ./sort | xargs cat',
    'for i in 1 2; do find src -name "*.ts" | xargs cat; find() { echo .env; }; done',
    'for i in 1 2; do cat $(find src -name "*.ts"); IFS=s; done',
    'cat $(cat list)',
    'cat "$(find src -name "*.ts")"',
    'IFS=s; cat $(find src -name "*.ts")',
  ])(proves('X08')('is unknown, or may contain the file: %s'), (line) => {
    expect(asked(line).reads).toBe('unknown');
  });

  it(proves('X08')('from git may contain a deleted file, which would be created again'), () => {
    expect(asked('git ls-files src | xargs touch')).toMatchObject({ reads: 'no', writes: 'unknown' });
  });
});

describe('files that an ignore file includes again', () => {
  it(proves('X08')('may be found by fd and rg'), () => {
    const lines = ['fd -t f | xargs cat', 'fd -x cat', 'rg --files | xargs cat', 'cd back && fd -x cat'];
    mkdirSync(join(ws, 'back'));
    writeFileSync(join(ws, 'back/.env'), 'x');
    expect(asked('cd back && fd -x cat').reads).toBe('no');
    for (const name of ['.ignore', '.fdignore', 'back/.ignore']) {
      const file = join(ws, name);
      writeFileSync(file, '!.env\n');
      expect(asked('cd back && fd -x cat').reads, name).toBe('unknown');
      if (!name.includes('/')) for (const line of lines) expect(asked(line).reads, `${name}: ${line}`).toBe('unknown');
      rmSync(file);
    }
    writeFileSync(join(ws, 'back/.ignore'), 'x\n');
    expect(asked("cd back && echo '!.env' > .ignore && fd -x cat").reads).toBe('unknown');
    rmSync(join(ws, 'back'), { recursive: true });
  });
});
