/** No rule is proposed for a program that runs what it is told to: every one of the table is tried. */

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RememberedRule } from '../../kernel/approval.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { subjects } from '../../../test/rigs/remember-rig.ts';
import { findProgram, programTables } from '../../facts/shell/programs/find-program.ts';
import type { ProgramRow, ProgramRows } from '../../facts/shell/usage/program-row.ts';
import { isLauncher } from '../../policy-files/lint/checks/command-allows.ts';
import { ruleProposals } from './rule-proposals.ts';

const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'remember-')));
writeFileSync(join(folder, 'a'), '');
afterAll(() => rmSync(folder, { recursive: true }));

const { command } = subjects(folder);
const proposals = ruleProposals();

function ruleOf(line: string): RememberedRule | undefined {
  return proposals.propose(command(line));
}

function entriesOf({ data }: RememberedRule): readonly string[] {
  return (data as { readonly commands: readonly string[] }).commands;
}

interface Listed {
  readonly words: string;
  readonly row: ProgramRow;
}

/** Every program of the table with every subcommand, under each of its names. */
function listed(rows: ProgramRows, before = ''): readonly Listed[] {
  return Object.entries(rows).flatMap(([key, row]) =>
    key.split(', ').flatMap((name) => {
      const words = `${before}${name.replace(/=.*/, '').replace('#', '3').replace('*', 'other')}`;
      const inner = typeof row === 'string' ? undefined : row.commands;
      return [{ words, row }, ...(inner === undefined ? [] : listed(inner, `${words} `))];
    }),
  );
}

const all = Object.values<ProgramRows>(programTables).flatMap((rows) => listed(rows));
const ends = ['', ' a', ' ls', " -c 'ls'", ' --version', ' -- ls', ' < a'];

describe('the table of programs', () => {
  it(proves('Q02')('proposes no rule for shells, interpreters and wrappers, with or without arguments'), () => {
    const marks = /<(?:program|code|script|foreign|harmful|assignment)|(?<![:\w])(?:stdin=|opaque)/;
    // As a word of the language, `time` is no program.
    const marked = all.filter(({ row }) => marks.test(typeof row === 'string' ? row : (row.usage ?? '')));
    expect(marked.length).toBeGreaterThan(600);
    const told = all.filter(({ words }) => isLauncher(words));
    expect(told.length).toBeGreaterThan(150);
    const names = new Set([...marked, ...told].map(({ words }) => words).filter((words) => words !== 'time'));
    const proposed = [...names].flatMap((words) =>
      ends.map((end) => `${words}${end}`).filter((line) => ruleOf(line) !== undefined),
    );
    expect(proposed).toEqual([]);
  });

  it(proves('Q02')('proposes no program that would do more without one of its harmless options'), () => {
    const entries = [...new Set(all.map(({ words }) => words))].flatMap((words) => {
      const rule = ruleOf(words) ?? ruleOf(`${words} a`);
      return rule === undefined ? [] : entriesOf(rule);
    });
    expect(new Set(entries).size).toBeGreaterThan(100);
    const pretending = /^--?(?:dry-?run|just-print|simulate|pretend|no-?act|noop|check-only)$/;
    const risky = entries.filter((entry) => {
      const [name = '', ...names] = entry.split(' ');
      let usage = findProgram(name)?.usage;
      for (const each of names) usage = usage?.findSubcommand?.(each)?.usage;
      return Array.from(usage?.options.keys() ?? []).some((option) => pretending.test(option));
    });
    expect(risky).toEqual([]);
  });
});
