/** The table of commands, and the pages and the quick start that must agree with it. */

import { describe, expect, it } from 'vitest';
import { commandTable } from '../../src/cli/command-table.ts';
import type { CommandRow } from '../../src/cli/command/command-row.ts';
import { quickFlags } from '../../src/cli/quick-command.ts';
import { peopleOnlyCommands } from '../../src/policy-files/own-file-rules.ts';
import { read } from '../source.ts';

const page = read('docs/reference/cli.md');

/** Every command with its words: `approvals list`. */
const rows: readonly (readonly [name: string, row: CommandRow])[] = Object.entries(commandTable).flatMap(
  ([name, row]) =>
    'load' in row
      ? [[name, row] as const]
      : Object.entries(row.commands).map(([word, each]) => [`${name} ${word}`, each] as const),
);

function longNames(row: CommandRow): readonly string[] {
  return row.options.map(([flags]) => /--[a-z-]+/.exec(flags)?.[0] ?? flags);
}

/** The lines of a block or table of the page, from the line that starts with `start`. */
function linesFrom(start: string): readonly string[] {
  const from = page.indexOf(`\n${start}`) + 1;
  expect(from, `${start} is missing in docs/reference/cli.md`).toBeGreaterThan(0);
  return page.slice(from, page.indexOf('\n\n', from)).split('\n');
}

describe('the table of commands', () => {
  it.each(rows)('has a summary, exit codes and examples that run it: %s', (name, row) => {
    expect(row.summary).toMatch(/^[a-z].*[^.]$/);
    expect(Object.keys(row.exitCodes)).toContain('2');
    const group = name.split(' ')[0] ?? '';
    for (const example of row.examples ?? []) expect(example).toContain(`bridle ${group}`);
  });

  it.each(rows)('loads the code of %s', async (_name, row) => {
    expect(await row.load()).toBeTypeOf('function');
  });

  const refused = rows.filter(([, row]) => row.forPeople === true || row.refusedCode !== undefined);

  it('refuses agents wherever a command trusts, installs, answers, continues or cancels something', () => {
    expect(refused.map(([name]) => name)).toEqual([
      'trust',
      'install',
      'uninstall',
      'approvals approve',
      'approvals deny',
      'approvals key',
      'runs start',
      'runs resume',
      'runs cancel',
      'worker',
    ]);
  });

  it('has the commands that rules forbid agents to run: those that refuse agents, and the journal', () => {
    const firstWords = new Set([...refused.map(([name]) => name.split(' ')[0]), 'journal']);
    expect([...firstWords].map((word) => `bridle ${word}`).toSorted()).toEqual(peopleOnlyCommands.toSorted());
    expect([...firstWords].filter((word) => !Object.hasOwn(commandTable, word ?? ''))).toEqual([]);
  });

  it('has the options that the quick start of check reads', () => {
    const { check } = commandTable;
    const options = check !== undefined && 'load' in check ? check.options : [];
    const known = options.map(([flags]) => [/--([a-z]+)/.exec(flags)?.[1], flags.includes('<')]);
    expect(Object.fromEntries(known)).toEqual(quickFlags);
  });
});

describe('docs/reference/cli.md', () => {
  it('lists the commands with their summaries', () => {
    const listed = Object.entries(commandTable).map(([name, row]) => {
      const usage = 'load' in row ? (row.usage ?? '') : '<command>';
      return `${`bridle ${name} ${usage}`.padEnd(30)} ${row.summary}`;
    });
    expect(linesFrom('bridle tour ').slice(0, listed.length)).toEqual(listed);
  });

  it('names every command and every option', () => {
    const missing = rows.flatMap(([name, row]) => [
      ...(new RegExp(`bridle (.*, )?${name}\\b`).test(page) ? [] : [name]),
      ...longNames(row)
        .filter((option) => !page.includes(option))
        .map((option) => `${name} ${option}`),
    ]);
    expect(missing).toEqual([]);
  });

  it('has only options that exist, written as in the table', () => {
    const known = new Set(rows.flatMap(([, row]) => row.options.map(([flags]) => flags)));
    const written = Array.from(page.matchAll(/^\| `(-[^`]+)` \|/gm), ([, flags = '']) =>
      flags.replaceAll(String.raw`\|`, '|'),
    );
    expect(written.length).toBeGreaterThan(20);
    expect(written.filter((flags) => !known.has(flags))).toEqual([]);
  });

  it('shows commands with options they have', () => {
    const shown = page.matchAll(/^bridle ([a-z]+(?: [a-z]+)?)(?: .*)?$/gm);
    const wrong = Array.from(shown).flatMap(([line, words = '']) => {
      const [, row] =
        rows.find(([name]) => words === name) ?? rows.find(([name]) => words.split(' ')[0] === name) ?? [];
      if (row === undefined) return line.includes('<command>') ? [] : [line];
      const options = Array.from(
        line.replaceAll(/'[^']*'/g, '').matchAll(/(?<![\w-])--[a-z-]+/g),
        ([option]) => option,
      );
      return options.filter((option) => !longNames(row).includes(option)).map((option) => `${line}: ${option}`);
    });
    expect(wrong).toEqual([]);
  });

  it('lists the exit codes of every command', () => {
    const columns = ['0', '1', '2', '3'];
    const listed = rows.map(([name, { exitCodes }]) => {
      const others = Object.entries(exitCodes).filter(([code]) => !columns.includes(code));
      const other = others.map(([code, meaning]) => `${code}: ${meaning}`).join('; ');
      const cells = [`\`${name}\``, ...columns.map((code) => exitCodes[code] ?? ''), other];
      return `| ${cells.join(' | ')} |`.replaceAll(/ {2,}/g, ' ');
    });
    expect(linesFrom('| command | 0 |').slice(2)).toEqual(listed);
  });
});
