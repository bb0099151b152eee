/** `bridle test`: the tests that a policy file holds, and which rules they bring up. */

import type { RuleCoverage } from '../documents/coverage.ts';
import type { LoadedPolicy } from '../documents/loaded-policy.ts';
import { type TestedCase, testPolicy, type TestReport } from '../documents/test-policy.ts';
import { callText } from './call-text.ts';
import type { CommandReport } from './command-report.ts';
import { counted } from './counted.ts';
import type { Paint } from './paint.ts';
import { policyExitCodes } from './policy-exit-codes.ts';
import { inset } from './visible-text.ts';

/** A policy without tests is no success: nothing was checked. */
export async function test(policy: LoadedPolicy): Promise<CommandReport> {
  const report = await testPolicy(policy);
  const { cases, failed } = report.summary;
  return {
    code: cases === 0 ? policyExitCodes.bad : failed > 0 ? policyExitCodes.found : policyExitCodes.ok,
    data: { files: policy.files, ...report },
    lines: (paint) => [
      ...report.cases.map((each) => caseLine(each, paint)),
      ...report.coverage.filter(({ status }) => status !== 'decided').map((rule) => coverageLine(rule, report, paint)),
      summaryLine(report, paint),
    ],
  };
}

function caseLine({ name, file, at, call, passed, problem = '', got }: TestedCase, paint: Paint): string {
  const place = `${inset(file)}:${at.line}`;
  const title = name === undefined ? callText(call) : `${inset(name)}  ${callText(call)}`;
  if (passed) return `${paint('good', 'ok  ')} ${paint('dim', place)} ${title} → ${got.effect}`;
  return `${paint('bad', 'FAIL')} ${place} ${title}\n       ${inset(problem)}`;
}

function coverageLine(rule: RuleCoverage, { coverage }: TestReport, paint: Paint): string {
  const { file, at, name, effect, target, status } = rule;
  const hasOthers = coverage.some((each) => each !== rule && each.at === at);
  const title = name === undefined ? `${effect} ${target}` : hasOthers ? `${name}: ${target}` : name;
  const said = status === 'never' ? 'no test comes to' : 'no test is decided by';
  return paint('dim', `     ${inset(file)}:${at.line} ${said} "${inset(title)}"`);
}

function summaryLine({ summary }: TestReport, paint: Paint): string {
  const { cases, passed, failed, rules, decided } = summary;
  if (cases === 0) return paint('bad', 'nothing was tested: the policy has no tests; add some under tests:');
  const ended = `${passed} passed, ${failed} failed`;
  return `${paint(failed > 0 ? 'bad' : 'good', ended)} · ${decided} of ${counted(rules, 'rule')} decide${rules === 1 ? 's' : ''} a test`;
}
