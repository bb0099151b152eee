/** Compares globs with bash itself, and checks the facts about them. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import type { ToolCall } from '../../../kernel/call.ts';
import type { Truth } from '../../truth.ts';
import { expandGlob } from './expand-glob.ts';
import { readsFact, writesFact } from '../file-facts.ts';

let root: string;
let folder: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'glob-')));
  // Deep enough that no pattern here leads outside.
  folder = join(root, 'u/v/w/x');
  mkdirSync(folder, { recursive: true });
  for (const name of ['a', 'b', 'ab', 'a.ts', 'b.ts', '.h', '.ts', 'a b', '*', 'a*', '?', 'ü.ts', '#x'])
    writeFileSync(join(folder, name), '');
  for (const name of ['d', 'e', '.k', 'd/d']) mkdirSync(join(folder, name));
  for (const name of ['d/a.ts', 'd/b', 'd/d/a.ts', 'e/a', '.k/a']) writeFileSync(join(folder, name), '');
  symlinkSync('d', join(folder, 'l'));
  symlinkSync('nowhere', join(folder, 'x.gone'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('a glob', () => {
  const piece = fc.constantFrom('a', 'b', 'd', '.', '*', '*', '?', 'ts', ' ', 'l', 'ü');
  const name = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
  const pattern = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));

  it(proves('X08')('expands as in bash'), () => {
    const patterns = fc.sample(
      pattern.filter((text) => /[*?]/.test(text) && text.trim() === text),
      runs(3000),
    );
    const script = 'cd "$1" || exit 1; IFS=; while read -r p; do printf "%s\\0" $p; printf "\\1"; done';
    const input = `${patterns.join('\n')}\n`;
    const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' };
    const told = execFileSync('/bin/bash', ['--noprofile', '--norc', '-c', script, 'x', folder], { input, env });
    const answers = told.toString('utf8').split('\u0001');
    for (const [index, text] of patterns.entries()) {
      const names = (answers[index] ?? '').split('\0').filter((each) => each !== '');
      // Bash keeps double slashes and sorts names by locale.
      const expected = names.map((each) => each.replaceAll(/\/+/g, '/')).toSorted();
      const found = expandGlob(text, folder)?.toSorted();
      // `.*` may match `..`, which contains more than is looked up.
      const isHidden = /(?:^|\/)\.[^/]*[*?]/.test(text);
      if (isHidden) expect(found ?? expected, text).toEqual(expect.arrayContaining(expected));
      // Whether `?` matches in `ü.ts` depends on the locale.
      else if (text.includes('?')) expect(found ?? expected, text).toEqual(expected);
      else expect(found, text).toEqual(expected);
    }
  });

  it(proves('X05', 'X08')('with too many names is not expanded'), () => {
    const many = join(folder, 'many');
    mkdirSync(many);
    for (let i = 0; i < 300; i++) writeFileSync(join(many, `f${i}`), '');
    expect(expandGlob('many/f*', folder)).toBeUndefined();
    expect(expandGlob('many/f1?', folder)).toHaveLength(10);
    rmSync(many, { recursive: true });
  });
});

describe('facts about globs', () => {
  const tool = { name: 'run_command', touches: { bash: ['line'] }, commands: ['line'] };
  const ask = (fact: (call: ToolCall, of: typeof tool) => Truth, line: string): unknown => {
    const truth = fact({ args: { line }, cwd: folder } as unknown as ToolCall, tool);
    return typeof truth === 'object' ? 'unknown' : truth;
  };

  it(proves('X08')('apply to the files that match now'), () => {
    writeFileSync(join(folder, '.env'), '');
    expect(ask(readsFact('**/.env'), 'cat *.ts')).toBe(false);
    expect(ask(readsFact('**/.env'), 'cat d/*.ts a*')).toBe(false);
    expect(ask(readsFact('**/.env'), 'cat .e*')).toBe(true);
    expect(ask(readsFact('**/.env'), 'cat .*')).not.toBe(false);
    expect(ask(writesFact('*.ts'), 'rm -f *.ts')).toBe(true);
    expect(ask(writesFact('**/.env'), 'rm -f *.ts')).toBe(false);
    // Targets of links, what the line creates or moves to, and words that are not globs.
    symlinkSync('.env', join(folder, 'secret.ts'));
    expect(ask(readsFact('**/.env'), 'cat *.ts')).not.toBe(false);
    rmSync(join(folder, 'secret.ts'));
    expect(ask(readsFact('**/.env'), 'ln -s .env y.ts; cat *.ts')).not.toBe(false);
    expect(ask(readsFact('**/new.ts'), 'touch new.ts; cat *.ts')).toBe('unknown');
    expect(ask(readsFact('**/.env'), 'touch "$x"; cat *.ts')).toBe('unknown');
    expect(ask(readsFact('**/.env'), 'cat *.ts > out.txt')).toBe(false);
    expect(ask(readsFact('**/.env'), 'cd d; cat *.ts')).toBe(false);
    expect(ask(readsFact('**/.env'), 'cd "$x"; cat *.ts')).toBe('unknown');
    expect(ask(readsFact('**/.env'), 'cat [a-z].ts')).toBe('unknown');
    expect(ask(readsFact('**/.env'), 'cat $x*.ts')).toBe('unknown');
    expect(ask(readsFact('**/.env'), 'shopt -s dotglob; cat *')).toBe('unknown');
  });

  it(proves('X08')('are unknown if a matching name may be an option'), () => {
    writeFileSync(join(folder, '-o.log'), '');
    writeFileSync(join(folder, 'a.log'), '');
    expect(ask(readsFact('**/.env'), 'head *.log')).toBe('unknown');
    rmSync(join(folder, '-o.log'));
    expect(ask(readsFact('**/.env'), 'head *.log')).toBe(false);
    // One of its options could start a program.
    expect(ask(readsFact('**/.env'), 'sort *.log')).toBe('unknown');
  });
});
