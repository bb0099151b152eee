/** `bridle lint`: finds problems in a policy, each with an example call. */

import type { LintFinding } from '../../policy-files/lint/linted-policy/finding.ts';
import { lintPolicy } from '../../policy-files/lint/lint-policy.ts';
import { callText, countText, ruleLabel } from '../command/call-text.ts';
import type { CommandReport, Invocation } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { loadPolicyAlone, type PolicyOptions } from '../command/policy-options.ts';
import type { Paint, Tone } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

type Severity = LintFinding['severity'];

const severities = ['error', 'warning', 'note'] as const satisfies readonly Severity[];
const tones: Readonly<Record<Severity, Tone>> = { error: 'bad', warning: 'warn', note: 'dim' };

interface LintOptions extends PolicyOptions {
  readonly strict?: boolean | undefined;
}

/** Errors and warnings count as findings; with `strict`, notes do too. */
export async function lintCommand({ options, env }: Invocation<LintOptions>): Promise<CommandReport> {
  const { strict = false } = options;
  const policy = loadPolicyAlone(options, env);
  const findings = await lintPolicy(policy);
  const counts = Object.fromEntries(severities.map((each) => [each, countOf(findings, each)]));
  const counting = strict ? findings : findings.filter(({ severity }) => severity !== 'note');
  return {
    code: counting.length > 0 ? exitCodes.negative : exitCodes.ok,
    data: { files: policy.files, findings, counts },
    lines: (paint) => [
      ...findings.filter((each) => strict || isShown(each)).flatMap((each) => findingLines(each, paint)),
      countsText(findings, strict),
    ],
  };
}

/** A gap in a deny rule is always shown, even if nothing needs to change. */
function isShown({ severity, kind }: LintFinding): boolean {
  return severity !== 'note' || kind === 'unseen-command';
}

function countOf(findings: readonly LintFinding[], severity: Severity): number {
  return findings.filter((finding) => finding.severity === severity).length;
}

function findingLines(finding: LintFinding, paint: Paint): readonly string[] {
  const { kind, severity, file, at, message, hint, witness } = finding;
  const location = `${safeText(file)}:${at.line}:${at.column}`;
  const { call, decision, rule, shows } = witness;
  return [
    `${location}: ${paint(tones[severity], severity)} ${kind}: ${safeText(message)}`,
    `    ${paint('dim', 'call')}      ${callText(call)}`,
    `    ${paint('dim', 'decision')}  ${decision}, by ${ruleLabel(rule)}; ${safeText(shows)}`,
    ...(hint === '' ? [] : [`    ${paint('dim', 'hint')}      ${safeText(hint)}`]),
  ];
}

function countsText(findings: readonly LintFinding[], strict: boolean): string {
  if (findings.length === 0) return 'no problems found';
  const hidden = !strict && findings.some((each) => !isShown(each)) ? '; --strict shows notes' : '';
  const counts = severities
    .map((severity) => [countOf(findings, severity), severity] as const)
    .filter(([count]) => count > 0)
    .map(([count, severity]) => countText(count, severity))
    .join(', ');
  return `${counts}${hidden}`;
}
