/** `bridle explain`: shows how a policy decides one call and what each rule contributed. */

import type { Decision, RuleRef } from '../../../kernel/call.ts';
import type {
  CheckRequest,
  LayerExplanation,
  LoadedPolicy,
  PolicyExplanation,
} from '../../../policy-files/loaded-policy.ts';
import { commandFacts, type CommandFacts } from './command-facts.ts';
import type { CommandReport } from '../../output/command-report.ts';
import { explainLines } from './explain-lines.ts';
import { type PolicyExitCode, policyExitCodes } from '../../exit/policy-exit-codes.ts';
import { markUncovered } from './uncovered-commands.ts';

export async function runExplain(request: CheckRequest, policy: LoadedPolicy): Promise<CommandReport> {
  const explanation = await policy.explain(request);
  const { effect, rule } = explanation.decision;
  const found = commandFacts(request, policy);
  const commands = rule === undefined && effect !== 'allow' ? markUncovered(found, policy) : found;
  return {
    code: codes[effect],
    data: dataOf(request, explanation, commands),
    lines: (paint) => explainLines({ request, explanation, commands, fallback: policy.default }, paint),
  };
}

const codes: Readonly<Record<Decision['effect'], PolicyExitCode>> = {
  allow: policyExitCodes.ok,
  ask: policyExitCodes.asks,
  deny: policyExitCodes.findings,
};

function dataOf(
  request: CheckRequest,
  { decision, layers }: PolicyExplanation,
  commands: readonly CommandFacts[],
): object {
  const { effect, rule, reason, additionalQuestions: further, grant, uncertainty: unsure, problem } = decision;
  return {
    call: request,
    decision: effect,
    rule: rule?.name ?? null,
    reason,
    at: rule?.at ?? null,
    bucket: rule?.bucket ?? null,
    ...(further === undefined
      ? {}
      : { further: further.map((each) => ({ ...refData(each.rule), reason: each.reason })) }),
    ...(grant === undefined ? {} : { grant }),
    ...(unsure === undefined ? {} : { unsure }),
    ...(problem === undefined ? {} : { problem }),
    layers: layers.map(layerData),
    commands,
  };
}

function layerData({ layer, decision, considered, shadows }: LayerExplanation): object {
  return {
    file: layer.policyFile.file,
    decision: decision.rule === undefined ? null : decision.effect,
    considered: considered.map(({ rule, outcome, detail }) => ({ ...refData(rule), outcome, detail: detail ?? null })),
    shadows: shadows.map(({ rule, matched, would = null, problem = null }) => ({
      ...refData(rule),
      matched,
      would,
      problem,
    })),
  };
}

function refData(rule: RuleRef | undefined): object {
  const { name = null, effect = null, target = null, bucket = null, at = null } = rule ?? {};
  return { rule: name, effect, target, bucket, at };
}
