import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../contract/cite.ts';
import { factsOfLine } from '../tools/facts-of-line.ts';

const many = Array.from({ length: 40 }, (_, index) => `d${index}`);
const digits = '0 1 2 3 4 5 6 7 8 9';

/** Lines that reach `.env` or a link to it beyond any bound of the analysis. */
const lines: Readonly<Record<string, string>> = {
  'many folders': `${many.map((name) => `cd ${name}`).join('; ')}; cat .env`,
  'folders one by one': `${many.map((name) => `cd ${name} || `).join('')}true; cat .env`,
  'folders deep down': `${many.map(() => 'cd d0').join(' && ')}; cat .env`,
  'many names': 'cat big/*',
  'many names in a loop': 'for f in big/*; do cat "$f"; done',
  'many names below a folder': 'find big -type l | xargs cat',
  'many names of a search': 'find big -type l -exec cat {} +',
  'many names of a substitution': 'cat $(find big -type l)',
  'many names in levels': 'cat */*',
  'many alternatives': 'cat {big,x}/{a,z}{a,z}{a,z}{a,z}{a,z}{a,z}{a,z}{a,z}{a,z}{a,z}',
  'many values': `f=.env; ${'[ -f x ] && f=$f$f; '.repeat(30)} cat $f`,
  'many choices': `f=.env; ${many.map((name) => `[ -f ${name} ] && f=${name}; `).join('')} cat $f`,
  'many loops': `${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `for ${name} in ${digits} .env; do `).join('')}cat $a; cat $b$c$d$e$f${'; done'.repeat(6)}`,
  'many assignments': `f=.env; ${many.map((_, index) => `v${index}=${index === 0 ? '$f' : `$v${index - 1}`}; `).join('')} cat $v39`,
};

describe('a line beyond a limit', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-limits-')));
  for (const name of many) mkdirSync(join(folder, name));
  mkdirSync(join(folder, 'big'));
  writeFileSync(join(folder, '.env'), 'KEY=1\n');
  for (let index = 0; index < 6000; index++) writeFileSync(join(folder, `big/f${index}`), '');
  for (const name of ['zzzz', 'zzzzzzzzzz']) symlinkSync('../.env', join(folder, 'big', name));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(Object.entries(lines))(proves('X05', 'X08')('may touch the file according to the facts: %s'), (_, line) => {
    const facts = factsOfLine(line, folder);
    expect([facts.reads('.env'), facts.reads('**/.env')]).not.toContain('no');
  });
});
