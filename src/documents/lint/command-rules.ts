/** Rules about commands that say less than they seem to. */

import type { CheckRequest } from '../loaded-policy.ts';
import { conditionParts } from '../condition-parts.ts';
import { argumentsWith } from '../sample-args.ts';
import { type BookRule, titleOf } from '../rule-book.ts';
import { allowFinding, type CommandRule, ruin, told, type Words } from './command-allows.ts';
import { findingAt, type LintFinding, witnessOf } from './finding.ts';
import type { LintSubject, Shown } from './lint-subject.ts';

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

function commandCalls(entry: BookRule, texts: readonly string[], subject: LintSubject): readonly CheckRequest[] {
  return subject.reach.classesOf(entry).flatMap((each) => {
    const names = each.declared === undefined ? [] : argumentsWith('command', each.declared);
    const { server, tool } = each;
    const home = server === undefined ? { tool } : { tool, server };
    return names.flatMap((name) => texts.map((text) => ({ ...home, args: { [name]: text } })));
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
