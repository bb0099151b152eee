/** `bridle test`: the tests that a policy file holds, and which rules they bring up. */

import type { RuleCoverage } from '../documents/coverage.ts';
import type { LoadedPolicy } from '../documents/loaded-policy.ts';
import { type TestedCase, testPolicy, type TestReport } from '../documents/test-policy.ts';
import { callText } from './call-text.ts';
import type { CommandReport } from './command-report.ts';
import type { Paint } from './paint.ts';
import { policyExitCodes } from './policy-exit-codes.ts';
import { inset } from './visible-text.ts';

export async function test(policy: LoadedPolicy): Promise<CommandReport> {
  const report = await testPolicy(policy);
  return {
    code: report.summary.failed > 0 ? policyExitCodes.found : policyExitCodes.ok,
    data: { files: policy.files, ...report },
    lines: (paint) => [
      ...report.cases.map((each) => caseLine(each, paint)),
      ...report.coverage.filter(({ status }) => status !== 'decided').map((rule) => coverageLine(rule, paint)),
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

function coverageLine({ file, at, name, effect, target, status }: RuleCoverage, paint: Paint): string {
  const title = name === undefined ? `${effect} ${target}` : name;
  const said = status === 'never' ? 'no test comes to' : 'no test is decided by';
  return paint('dim', `     ${inset(file)}:${at.line} ${said} "${inset(title)}"`);
}

function summaryLine({ summary }: TestReport, paint: Paint): string {
  const { cases, passed, failed, rules, decided } = summary;
  if (cases === 0) return 'there are no tests: add some under tests:';
  const counted = `${passed} passed, ${failed} failed`;
  return `${paint(failed > 0 ? 'bad' : 'good', counted)} · ${decided} of ${rules} rules decide a test`;
}
