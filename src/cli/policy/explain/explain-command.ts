/** `bridle explain`: shows how a policy decides one call and what each rule contributed. */

import type { Decision, RuleRef } from '../../../kernel/call.ts';
import type { CheckRequest, LayerExplanation, PolicyExplanation } from '../../../policy-files/loaded-policy.ts';
import { type CommandReport, type Invocation, usageError } from '../../command/command-row.ts';
import { type ExitCode, exitCodes } from '../../command/exit-codes.ts';
import { loadEffectivePolicy } from '../../command/policy-options.ts';
import type { CheckOptions } from '../check/check-command.ts';
import { readExplainedCall } from './call-to-explain.ts';
import { commandFacts, type CommandFacts, markUncovered } from './command-facts.ts';
import { explainLines } from './explain-lines.ts';

export async function explainCommand(invocation: Invocation<CheckOptions>): Promise<CommandReport> {
  const { positionals, options, env, hasDoubleDash } = invocation;
  if (positionals.length === 0 && options.tool === undefined) {
    throw usageError(
      `the call is missing: npx bridle explain view_file '{"file_path": ".env"}', or npx bridle explain -- 'rm -rf /'`,
    );
  }
  const policy = loadEffectivePolicy(options, env);
  const request = readExplainedCall(positionals, { options, policy, isCommandLine: hasDoubleDash });
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

const codes: Readonly<Record<Decision['effect'], ExitCode>> = {
  allow: exitCodes.ok,
  ask: exitCodes.needsApproval,
  deny: exitCodes.negative,
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
