import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs as count } from '../../../../test/property-runs.ts';
import { analyseLine } from '../analysis/analyse-command.ts';
import { programTables } from '../programs/find-program.ts';
import type { LineCommand } from '../commands/line-command.ts';
import type { ArgumentPart } from '../usage/program.ts';
import type { ProgramRow, ProgramRows } from '../usage/program-row.ts';

interface Row {
  readonly words: string;
  readonly options: readonly string[];
}

/** Every program and subcommand of the table with the spellings of its options. */
function rowsOf(rows: ProgramRows, before = ''): readonly Row[] {
  return Object.entries(rows).flatMap(([names, row]) => {
    const words = names.split(', ').map((name) => `${before}${name.replace(/=.*/, '').replace('#', '3')}`);
    const inner = typeof row === 'string' ? [] : rowsOf(row.commands ?? {}, `${words[0]} `);
    return [...words.map((text) => ({ words: text, options: optionsOf(row) })), ...inner];
  });
}

function optionsOf(row: ProgramRow): readonly string[] {
  const usage = (typeof row === 'string' ? row : row.usage) ?? '';
  const options = usage.split(/\s+/).filter((token) => /^[-+]./.test(token));
  return options.flatMap((token) => token.replace(/[=:![].*/, '').split(','));
}

const rows = Object.values(programTables).flatMap((table) => rowsOf(table));
const others =
  `a x.txt 'a b' "c d" $x "$x" *.ts {a,b} {-f,-r} a{b,-c} - -- ~ ~/x \\( \\-x "-x" '-rf' '' ""-x $'-x' 5 -5 --5 +5 +x
  a=b PATH=x ext::sh +main rm 's/a/b/' \`ls\` $(ls) <(ls) @f file:///x '|x' '!x' 'a[$(b)]' --foo --foo=bar --foo="$x"
  --format='a $b' -rf -n5 -I{} {} \\; + /dev/stdin -c -e -f -o core.pager=x . >out 2>&1 "\${x:-a,b}" é`.split(/\s+/);
const word = fc.oneof(
  fc.record({ option: fc.nat(), value: fc.option(fc.constantFrom(...others), { freq: 4, nil: undefined }) }),
  fc.constantFrom(...others),
);
const line = fc.tuple(fc.constantFrom(...rows), fc.array(word, { maxLength: 5 })).map(([row, words]) => {
  const rest = words.map((item) => {
    if (typeof item === 'string') return item;
    const option = row.options[item.option % Math.max(row.options.length, 1)] ?? '--version';
    return item.value === undefined ? option : `${option}=${item.value}`;
  });
  return [row.words, ...rest].join(' ');
});

/** The effect that parsing the arguments of a command has on its line, as a quick scan result. */
function resultOfParsing({ parsed }: LineCommand): string {
  if (
    parsed === undefined ||
    parsed.unsureCommand !== undefined ||
    parsed.changesMeaning !== undefined ||
    parsed.changesFolder
  )
    return 'undecided';
  if (parsed.stdin === 'code' || parsed.stdin === 'foreign') return 'undecided';
  if (!parsed.parts.every((part) => isSkippable(part, parsed.opaque))) return 'undecided';
  return parsed.opaque ? 'hidden' : 'nothing';
}

function isSkippable(part: ArgumentPart, hidden: boolean): boolean {
  if (part.type === 'subcommand' || (part.type === 'option' && part.value === undefined)) return true;
  if (part.type !== 'option' && part.type !== 'operand') return false;
  return /^(?:text|reads|writes|either|entry|folder)$/.test(part.role) || (hidden && part.role === 'harmful');
}

describe('a quick scan of the words of a command', () => {
  it(proves('X02', 'X04')('agrees with parsing them, or is undecided'), () => {
    const seen: Record<string, number> = {};
    fc.assert(
      fc.property(line, (text) => {
        for (const command of analyseLine(text).commands) {
          const result = command.quickScan();
          seen[result] = (seen[result] ?? 0) + 1;
          if (result !== 'undecided') expect(`${result}: ${text}`).toBe(`${resultOfParsing(command)}: ${text}`);
        }
      }),
      { numRuns: count(20_000) },
    );
    // Each result is common enough to be meaningful.
    for (const result of ['undecided', 'hidden', 'nothing']) expect(seen[result]).toBeGreaterThan(count(20_000) / 50);
  });

  it.each([
    ['git log --oneline -5', 'nothing'],
    ['git push origin main', 'hidden'],
    ['git push ext::sh main', 'undecided'],
    ['npm test', 'hidden'],
    ['sort -k2 -n x', 'nothing'],
    ['sort --compress-program=sh x', 'undecided'],
    ['cargo --config x fmt', 'undecided'],
    ['find . -name x -type f', 'nothing'],
    ['find . -exec rm', 'undecided'],
    ['find . "$x"', 'undecided'],
    ['git log --foo=bar', 'undecided'],
    ["git log --format='%h %s'", 'nothing'],
    ['git worktree list --expire={-f,-r}', 'undecided'],
    ['git worktree list --expire=$x', 'undecided'],
    ['git worktree list --expire=~/"$x"', 'undecided'],
  ])('scans %j: %s', (text, expected) => {
    expect(analyseLine(text).commands[0]?.quickScan()).toBe(expected);
  });
});
