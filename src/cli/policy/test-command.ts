/** `bridle test`: runs the tests in a policy file, and reports failures and the rules that no test covers. */

import type { RuleCoverage } from '../../policy-files/test/rule-coverage.ts';
import { type TestedCase, testPolicy, type TestReport } from '../../policy-files/test/test-policy.ts';
import { callText, countText } from '../command/call-text.ts';
import type { CommandReport, Invocation } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { loadPolicyAlone, type PolicyOptions } from '../command/policy-options.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

interface TestOptions extends PolicyOptions {
  readonly verbose?: boolean | undefined;
}

/** A policy without tests is an error, not a success. */
export async function testCommand({ options, env }: Invocation<TestOptions>): Promise<CommandReport> {
  const policy = loadPolicyAlone(options, env);
  const report = await testPolicy(policy);
  const { cases, failed } = report.summary;
  const shown = options.verbose === true ? report.cases : report.cases.filter(({ passed }) => !passed);
  return {
    code: cases === 0 ? exitCodes.usage : failed > 0 ? exitCodes.negative : exitCodes.ok,
    data: { files: policy.files, ...report },
    lines: (paint) => [
      ...shown.map((each) => caseLine(each, paint)),
      ...report.coverage.filter(({ status }) => status !== 'decided').map((rule) => coverageLine(rule, report, paint)),
      summaryLine(report, paint),
    ],
  };
}

function caseLine({ name, file, at, call, passed, problem = '', got }: TestedCase, paint: Paint): string {
  const location = `${safeText(file)}:${at.line}`;
  const title = name === undefined ? callText(call) : `${safeText(name)}  ${callText(call)}`;
  if (passed) return `${paint('good', 'ok  ')} ${paint('dim', location)} ${title} → ${got.effect}`;
  return `${paint('bad', 'FAIL')} ${location} ${title}\n       ${safeText(problem)}`;
}

function coverageLine(rule: RuleCoverage, { coverage }: TestReport, paint: Paint): string {
  const { file, at, name, effect, target, status } = rule;
  const hasOthers = coverage.some((each) => each !== rule && each.at === at);
  const title = name === undefined ? `${effect} ${target}` : hasOthers ? `${name}: ${target}` : name;
  const gap = status === 'never' ? 'no test reaches' : 'no test is decided by';
  return paint('dim', `     ${safeText(file)}:${at.line} ${gap} "${safeText(title)}"`);
}

function summaryLine({ summary }: TestReport, paint: Paint): string {
  const { cases, passed, failed, rules, decided } = summary;
  if (cases === 0) return paint('bad', 'the policy has no tests: add some under tests:');
  const result = `${passed} passed, ${failed} failed`;
  return `${paint(failed > 0 ? 'bad' : 'good', result)} · tests cover ${decided} of ${countText(rules, 'rule')}`;
}
