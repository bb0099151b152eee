/** Lines over real projects have known results, and the work for any line is bounded. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import type { ToolCall } from '../../kernel/call.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { isUnknown } from '../truth.ts';
import { readsFact } from './file-facts.ts';
import { filesOfLine } from './touched-files/files-of-line.ts';
import { readsInsideFact } from './inside-facts.ts';
import { DiskBudget } from './disk/disk-budget.ts';
import { DiskCache } from './disk/disk-cache.ts';

const tool = { name: 'run', commands: ['line'], touches: { bash: ['line'] } } as unknown as ToolDeclaration;

/** Each with 50 files. */
const [folders, packages] = [60, 60];
let project: string;

beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-large-')));
  fill('src/m', folders, 'ts');
  fill('node_modules/p', packages, 'js');
  mkdirSync(join(project, '.git'));
  writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(project, '.gitignore'), 'node_modules\n');
  let deep = join(project, 'deep');
  for (let depth = 0; depth < 200; depth++) deep = join(deep, 'd');
  mkdirSync(deep, { recursive: true });
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

function fill(start: string, count: number, end: string): void {
  for (let folder = 0; folder < count; folder++) {
    mkdirSync(join(project, `${start}${folder}/lib`), { recursive: true });
    for (let file = 0; file < 50; file++) writeFileSync(join(project, `${start}${folder}/lib/f${file}.${end}`), '');
  }
}

function ask(line: string, fact: ReturnType<typeof readsFact>): boolean | 'unknown' {
  const truth = fact({ cwd: project, args: { line }, name: 'run' } as unknown as ToolCall, tool);
  return isUnknown(truth) ? 'unknown' : truth;
}

const everyday = [
  'find . -name "*.ts" | xargs wc -l',
  'find . -name "*.ts" -not -path "./node_modules/*" | xargs grep TODO',
  'find src -type f -exec wc -l {} +',
  "git ls-files '*.ts' | xargs wc -l",
  'grep -rn TODO . --include="*.ts" --exclude-dir=node_modules',
  'grep -rn TODO . --include="*.ts"',
  'grep -rl x src | xargs grep x',
  'fd -e ts | xargs wc -l',
  'rg -l x | xargs wc -l',
];

describe('a project with thousands of files', () => {
  it.each(everyday)(proves('X08')('is known: %s'), (line) => {
    expect(ask(line, readsFact('**/.env'))).toBe(false);
    expect(ask(line, readsFact('**/*.pem'))).toBe(false);
    expect(ask(line, readsInsideFact(['.']))).toBe(true);
  });

  it.each(everyday.filter((line) => /^(?:find \.|git)/.test(line)))(
    proves('X08')('has no overlooked file or link: %s'),
    (line) => {
      const link = join(project, 'src/m7/lib/link.ts');
      const file = join(project, 'src/m9/lib/key.ts');
      writeFileSync(join(project, '.env'), '');
      symlinkSync('../../../.env', link);
      writeFileSync(file, '');
      expect(ask(line, readsFact('**/.env'))).toBe('unknown');
      expect(ask(line, readsFact('**/key.ts'))).toBe('unknown');
      for (const path of [link, file, join(project, '.env')]) rmSync(path);
    },
  );
});

/** Counts the cost. */
class Counter extends DiskBudget {
  spent = 0;

  override spend(cost: number): boolean {
    const isLeft = super.spend(cost);
    if (isLeft) this.spent += cost;
    return isLeft;
  }
}

function repeat(times: number, make: (index: number) => string): string {
  return Array.from({ length: times }, (_, index) => make(index)).join('; ');
}

const costly = [
  repeat(100, (index) => `find deep -maxdepth ${index + 150} -exec cat {} +`),
  repeat(100, () => 'find . -exec cat {} +'),
  repeat(300, (index) => `find . -path "*m*l*b*f*${index}" -exec cat {} +`),
  repeat(300, (index) => `find . -name "f*${index % 7}.ts" | xargs cat`),
  `find . ${Array.from({ length: 900 }, (_, index) => `-name x${index}`).join(' -o ')} | xargs cat`,
  repeat(300, (index) => `fd x${index} | xargs cat`),
  repeat(300, (index) => `cat src/*/*/f*${index}.ts`),
];

describe('a line that needs too many lookups', () => {
  it.each(costly)(proves('X05', 'X10')('is unknown, and looks up no more than other lines (%#)'), (line) => {
    const counter = new Counter();
    const found = filesOfLine(line, project, new DiskCache(counter));
    const isTold = found.files.every(
      ({ locations, sure }) => sure && locations.every(({ checked }) => checked !== undefined),
    );
    expect(isTold && found.unknown === undefined && !found.hasMoreThan(1000)).toBe(false);
    expect(counter.spent).toBeLessThanOrEqual(500_000);
    expect(ask(line, readsFact('**/.env'))).toBe('unknown');
  });

  it(proves('X05', 'X10')('copies no tree more often than the budget allows'), () => {
    const line = repeat(200, (index) => `cp -r . ../copy${index}`);
    expect(ask(line, readsInsideFact(['/']))).not.toBe(false);
    expect(ask(`${line}; cat *`, readsFact('**/.env'))).toBe('unknown');
  });

  it(proves('X05')('searches once for equal lists'), () => {
    const [one, many] = [1, 5].map((times) => {
      const counter = new Counter();
      const line = repeat(times, () => 'find src/m1 -name "*.ts" | xargs cat');
      expect(filesOfLine(line, project, new DiskCache(counter)).files.length).toBeGreaterThanOrEqual(50 * times);
      return counter.spent;
    });
    expect(many).toBeLessThan((one ?? 0) * 3);
  });
});
