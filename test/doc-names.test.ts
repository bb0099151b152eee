/** The tables that map names of other systems to Bridle's: a hook with such a method is refused with the name in the table. */

import { describe, expect, it } from 'vitest';
import { pointNames } from '../src/kernel/hooks/points/points.ts';
import { createHooks } from '../src/kernel/hooks/registration/hooks.ts';
import { proves } from './contract/cite.ts';
import { namesProgram, type NameRow, nameRowsIn, publicNames } from './doc-names.ts';
import { filesUnder, read } from './source.ts';

const pages = filesUnder('docs/guides/coming-from');
const points: readonly string[] = pointNames;
const methods = pages
  .flatMap((path) => nameRowsIn(path, read(path)))
  .flatMap(({ path, line, elsewhere, inBridle }) =>
    elsewhere
      .filter((name) => /^(?:on|pre|post)_\w+$/.test(name))
      .map((name) => ({ place: `${path}:${line}`, name, meant: inBridle.filter((each) => points.includes(each)) })),
  )
  .filter(({ meant }) => meant.length > 0);

describe('hooks with method names of other systems', () => {
  it('are in the pages for people who come from there', () => {
    expect(pages.length).toBe(4);
    expect(methods.length).toBeGreaterThan(30);
  });

  it.each(methods)(proves('H10')('are refused with the point of the table: $name ($place)'), ({ name, meant }) => {
    const refused = () => createHooks([{ name: 'mine', [name]: () => undefined }]);
    for (const point of meant) expect(refused).toThrow(`"${point}"`);
  });
});

describe('the check of names in tables', () => {
  const api = 'header\n==== bridle: 2 names\n\nfunction deny(x: string): void;\n\ninterface Hook {\n}\n';
  const codeOf = (...names: string[]) =>
    namesProgram(rowsOf(...names), { names: publicNames(api), others: (name) => name === 'bridle chat' });

  it('makes code of unknown names that does not compile', () => {
    const lines = codeOf('denny', 'Hoook.priority', 'deny or so').code.split('\n');
    expect(lines[2]).toContain("typeof import('bridle').denny");
    expect(lines[3]).toContain("import('bridle').Hoook['priority']");
    expect(lines[4]).toBe('void ("deny or so" satisfies never);');
  });

  it('uses each name at the line of its row', () => {
    const lines = codeOf('Hook.priority', 'deny(target, { when })', 'tool_denied', 'bridle chat').code.split('\n');
    expect(lines[2]).toContain("import('bridle').Hook['priority']");
    expect(lines[3]).toContain(
      "({ when: any } satisfies Partial<NonNullable<Parameters<typeof import('bridle').deny>[1]>>)",
    );
    expect(lines[4]).toContain("'tool_denied' satisfies");
    expect(lines[5]).toBe('');
  });
});

function rowsOf(...names: string[]): [NameRow, ...NameRow[]] {
  const table = ['| elsewhere | in Bridle |', '|---|---|', ...names.map((name) => `| \`x\` | \`${name}\` |`)];
  const [first, ...rest] = nameRowsIn('page.md', table.join('\n'));
  if (first === undefined) throw new TypeError('the table has no rows');
  return [first, ...rest];
}
