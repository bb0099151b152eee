/** Every row of the table can be parsed, and every program is listed once. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findProgram, programTables } from './find-program.ts';
import type { ProgramRow } from '../usage/program-row.ts';
import { parseUsage } from '../usage/parse-usage.ts';

interface Text {
  readonly of: string;
  readonly text: string;
}

/** All usage texts of a row, with those of its subcommands. */
function textsOf(of: string, row: ProgramRow): Text[] {
  if (typeof row === 'string') return [{ of, text: row }];
  const own = [row.usage ?? '', ...Object.values(row.with ?? {})].map((text) => ({ of, text }));
  const inner = Object.entries(row.commands ?? {}).flatMap(([name, command]) => textsOf(`${of} ${name}`, command));
  return [...own, ...inner];
}

const rows = Object.values(programTables).flatMap((table) => Object.entries(table));

describe('the table of programs', () => {
  it('contains only rows that can be parsed', () => {
    const problems = rows
      .flatMap(([names, row]) => textsOf(names, row))
      .flatMap(({ of, text }) => parseUsage(text).problems.map((problem) => `${of}: ${problem}`));
    expect(problems).toEqual([]);
  });

  it('gives every option a name', () => {
    const nameless = rows
      .flatMap(([names, row]) => textsOf(names, row))
      .flatMap(({ of, text }) =>
        Array.from(parseUsage(text).options.keys(), (name) => ({ of, name })).filter(
          ({ name }) => !/[^*+-]|^-\*?$|^\+\*$/u.test(name),
        ),
      );
    expect(nameless).toEqual([]);
    expect(parseUsage('-Wl;*=harmful').options.has('-Wl,*')).toBe(true);
    expect(parseUsage('-Wl,*=harmful').options.has('*')).toBe(true);
  });

  it('names every program once', () => {
    const names = rows.flatMap(([key]) => key.split(', '));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('names every subcommand once, and every option of a usage once', () => {
    const repeated: string[] = [];
    const walk = (of: string, row: ProgramRow): void => {
      for (const { text } of textsOf(of, row)) {
        const spelled = text
          .split(/\s+/u)
          .filter((token) => /^[-+]/u.test(token) && token !== '--')
          .flatMap((token) => token.replace(/[[=!:].*$/u, '').split(','));
        repeated.push(
          ...spelled.filter((name, index) => spelled.indexOf(name) !== index).map((name) => `${of}: ${name}`),
        );
      }
      const commands = typeof row === 'string' ? {} : (row.commands ?? {});
      const names = Object.keys(commands).flatMap((key) => key.split(', '));
      repeated.push(...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `${of} ${name}`));
    };
    for (const [names, row] of rows) if (names !== 'git') walk(names, row);
    expect(repeated).toEqual([]);
  });

  it('calls a program safe only if all its options are harmless', () => {
    const safe = rows
      .flatMap(([names, row]) => textsOf(names, row))
      .map(({ of, text }) => ({ of, usage: parseUsage(text) }))
      .filter(({ usage }) => usage.words.has('safe'));
    const harmful = safe.filter(
      ({ usage }) =>
        Array.from(usage.options.values()).some((option) => !option.harmless && option.value.role !== 'reads') ||
        usage.operands.some((operand) => !operand.harmless),
    );
    expect(safe.length).toBeGreaterThan(30);
    expect(harmful.map(({ of }) => of)).toEqual([]);
  });

  it('finds programs by name, including versioned names', () => {
    expect(findProgram('rm')?.names).toContain('rm');
    expect(findProgram('python3.12')).toBe(findProgram('python'));
    expect(findProgram('gcc-13')).toBe(findProgram('gcc'));
    expect(findProgram('ls2')).toBeUndefined();
    expect(findProgram('constructor')).toBeUndefined();
    expect(findProgram('')).toBeUndefined();
  });
});

describe('docs/reference/programs.md', () => {
  it('lists the programs of the table', () => {
    const page = readFileSync(new URL('../../../../docs/reference/programs.md', import.meta.url), 'utf8');
    const listed = page.slice(page.indexOf('## Programs known')).trim().split('\n\n').slice(1);
    const expected = Object.entries(programTables).map(([theme, table]) => {
      const names = Object.keys(table).flatMap((key) => key.split(', '));
      return `**${theme}** ${names.map((name) => `\`${name}\``).join(' ')}`;
    });
    expect(listed.map((paragraph) => paragraph.replaceAll('\n', ' '))).toEqual(expected);
  });
});
