/** `bridle explain`: what a policy says of one call, and what every rule had to do with it. */

import type { Decision, RuleRef } from '../call.ts';
import type { CheckRequest, LayerExplanation, LoadedPolicy, PolicyExplanation } from '../documents/loaded-policy.ts';
import { declareBuiltins } from '../tools/declare-builtins.ts';
import { type CheckOptions, singleCall } from './check-command.ts';
import { commandFacts, type CommandFacts } from './command-facts.ts';
import type { CommandReport } from './command-report.ts';
import { explainLines } from './explain-picture.ts';
import { type PolicyExitCode, policyExitCodes } from './policy-exit-codes.ts';
import { wrong } from './wrong-use.ts';
import { readCallLine } from './read-call-line.ts';

export async function explain(request: CheckRequest, policy: LoadedPolicy): Promise<CommandReport> {
  const explanation = await policy.explain(request);
  const commands = commandFacts(request, policy);
  return {
    code: codes[explanation.decision.effect],
    data: dataOf(request, explanation, commands),
    lines: (paint) => explainLines({ request, explanation, commands, fallback: policy.default }, paint),
  };
}

const codes: Readonly<Record<Decision['effect'], PolicyExitCode>> = {
  allow: policyExitCodes.ok,
  ask: policyExitCodes.asks,
  deny: policyExitCodes.found,
};

/** What is beside the words of the call. */
export interface Explaining {
  readonly options: CheckOptions;
  /** Where relative folders start. */
  readonly cwd: string;
  /** Tells the person something that is no answer. */
  readonly note: (text: string) => void;
}

/** A call as JSON, a call by options, or a command line for `run_command`. */
export function readExplained(words: readonly string[], { options, cwd, note }: Explaining): CheckRequest {
  const text = words.length === 0 ? undefined : words.join(' ');
  const single = singleCall(text, options);
  if (single === undefined && text === undefined) {
    throw wrong("which call? bridle explain -- 'rm -rf /', or --tool NAME --args JSON");
  }
  const given = single ?? text ?? '';
  const { request, problem } = readCallLine(given, cwd);
  if (request !== undefined) return request;
  if (single !== undefined || isObject(given)) throw wrong(`the call ${problem}`);
  if (isToolName(given))
    note(`taken as a command line; a call of the tool is meant by: bridle explain --tool ${given}`);
  return { tool: 'run_command', args: { command_line: given } };
}

/** A command line that bears the name of a tool is most likely a call without its option. */
function isToolName(text: string): boolean {
  return declareBuiltins().some(({ name, aliases }) => name === text || aliases?.names?.includes(text));
}

/** Nobody means JSON as a command line. */
function isObject(text: string): boolean {
  if (/^\s*\{\s*["}]/.test(text)) return true;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

function dataOf(
  request: CheckRequest,
  { decision, layers }: PolicyExplanation,
  commands: readonly CommandFacts[],
): object {
  const { effect, rule, reason, further, grant, unsure, problem } = decision;
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
    file: layer.document.file,
    decision: decision.rule === undefined ? null : decision.effect,
    considered: considered.map(({ rule, outcome, detail }) => ({ ...refData(rule), outcome, detail: detail ?? null })),
    shadows: shadows.map(({ rule, matched, problem }) => ({ ...refData(rule), matched, problem: problem ?? null })),
  };
}

function refData(rule: RuleRef | undefined): object {
  const { name = null, effect = null, target = null, bucket = null, at = null } = rule ?? {};
  return { rule: name, effect, target, bucket, at };
}
