/** Finds commands in `runsOnly` that can only match alone: they write the files that they get. */

import { analyseCommand } from '../../../facts/shell/analysis/analyse-command.ts';
import { lineRunsOnly } from '../../../facts/shell/conditions/call-facts.ts';
import { conditionParts } from '../../cel/syntax/condition-parts.ts';
import { ruleTitle } from '../../policy-rules.ts';
import { findingAt, type LintFinding } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';

const listsCommands: ReadonlySet<string> = new Set(['runsOnly', 'runsListed']);

export async function writingEntries(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of linted.activeRules) {
    const { when, effect } = entry.rule;
    if (effect !== 'allow' || when === undefined) continue;
    const entries = conditionParts(when.text).flatMap((part) =>
      part.type === 'fact' && listsCommands.has(part.name) && !part.negated ? part.entries : [],
    );
    const writing = entries.filter(matchesOnlyAlone);
    const [first] = writing;
    const [call] = first === undefined ? [] : linted.commandCalls(entry, [`${first} new`]);
    if (first === undefined || call === undefined) continue;
    const names = writing.map((each) => JSON.stringify(each)).join(', ');
    findings.push(
      findingAt(entry, await linted.tryCall(call), {
        kind: 'writing-entry',
        severity: 'warning',
        message: `${names} never matches a useful line: the command writes the files it gets, and runsOnly accepts no command that writes.`,
        hint: `Name the complete command ("${first} new"), or allow writing with a rule of its own: !opaque() && writesInside(".").`,
        shows: `${ruleTitle(entry)} does not allow it.`,
      }),
    );
  }
  return findings;
}

/** True if the entry names no file, and every operand would be written, so that no line with an operand is covered. */
function matchesOnlyAlone(entry: string): boolean {
  if (analyseCommand(entry).files.some(({ mode }) => mode === 'write')) return false;
  const lines = [`${entry} new`, `${entry} old new`];
  return lines.every((line) => lineRunsOnly(line, [entry]) === false && writesNew(line));
}

function writesNew(line: string): boolean {
  const { files, unknown } = analyseCommand(line);
  return unknown === undefined && files.some(({ mode, path }) => mode === 'write' && path === 'new');
}
