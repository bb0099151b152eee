/** Finds command rules that cover less, or allow more, than they seem to. */

import type { CheckRequest } from '../../loaded-policy.ts';
import { conditionParts } from '../../cel/syntax/condition-parts.ts';
import { argumentsWith } from '../../sample-calls/sample-args.ts';
import { type RuleEntry, ruleTitle } from '../../policy-rules.ts';
import { allowFinding, type CommandRule, decidedFinding, harmfulLine } from './command-allows.ts';
import { findingAt, type LintFinding, type TriedCall } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';

export async function commandRules(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of linted.activeRules) {
    const lines = (texts: readonly string[]): readonly CheckRequest[] => linted.commandCalls(entry, texts);
    if (lines([harmfulLine]).length === 0) continue;
    const parts = entry.rule.when === undefined ? [] : conditionParts(entry.rule.when.text);
    const found = [
      entry.rule.effect === 'allow' ? await allowFinding({ entry, parts, lines }, linted) : undefined,
      await textFinding({ entry, parts, lines }, linted),
    ];
    findings.push(...found.filter((finding) => finding !== undefined));
  }
  return findings;
}

/** A condition on the text of a command: bash accepts many spellings of the same command. */
async function textFinding(rule: CommandRule, linted: LintedPolicy): Promise<LintFinding | undefined> {
  const { entry, parts, lines } = rule;
  const commands = commandNames(entry, linted);
  const part = parts.find(
    (each) => each.type === 'text' && each.path[0] === 'args' && commands.has(each.path[1] ?? ''),
  );
  if (part?.type !== 'text') return undefined;
  const words = {
    kind: 'command-text',
    severity: 'warning',
    message: `This condition matches the text of a command (${part.method} ${JSON.stringify(part.literal)}), but the same command can be written in many ways.`,
    hint: 'Use runs, runsOnly or writes: they check what would be executed.',
  } as const;
  const { literal } = part;
  if (entry.rule.effect === 'allow') {
    const evasions = [
      `${literal}; ${harmfulLine}`,
      `${harmfulLine} # ${literal}`,
      `${literal}\n${harmfulLine}`,
      `: ${literal}; ${harmfulLine}`,
      harmfulLine,
    ];
    const tried = (await linted.findCallDecidedBy(entry, lines(evasions))) ?? (await linted.findCallDecidedBy(entry));
    return tried === undefined ? undefined : decidedFinding(entry, tried, words);
  }
  const tried = await evadingCall(rule, literal, linted);
  if (tried === undefined) return undefined;
  const does = linted.outcomeOf(entry, tried) === 'decided' ? 'decides it' : 'does not apply to it';
  return findingAt(entry, tried, { ...words, shows: `${ruleTitle(entry)} ${does}.` });
}

/** A line that runs the command but avoids the rule; otherwise a line that the rule decides. */
async function evadingCall(
  { entry, lines }: CommandRule,
  literal: string,
  linted: LintedPolicy,
): Promise<TriedCall | undefined> {
  const word = literal.trim();
  const spelled = word.length > 1 ? `${word[0]}''${word.slice(1)}` : `"${word}"`;
  for (const call of lines([spelled, `${spelled} x`, `$(printf %s '${word[0]}')${word.slice(1)}`])) {
    const tried = await linted.tryCall(call);
    if (linted.outcomeOf(entry, tried) === 'did not apply') return tried;
  }
  return linted.findCallDecidedBy(entry);
}

function commandNames(entry: RuleEntry, linted: LintedPolicy): ReadonlySet<string> {
  const declared = linted.reach.classesOf(entry).flatMap((each) => each.declared ?? []);
  return new Set(
    declared.flatMap((tool) => {
      const names = argumentsWith('command', tool);
      const aliases = Object.entries(tool.aliases?.args ?? {});
      return [...names, ...aliases.filter(([, name]) => names.includes(name)).map(([alias]) => alias)];
    }),
  );
}
