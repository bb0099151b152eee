import type { ShownCall } from '../../kernel/approval.ts';
import type { Grant, ToolCall } from '../../kernel/call.ts';
import { showCall } from '../../kernel/guard/calls/show-call.ts';
import { reject, transform } from '../../kernel/hooks/points/actions.ts';
import type { HookContext } from '../../kernel/hooks/points/hook-context.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { Payloads } from '../../kernel/hooks/points/payloads.ts';
import type { ActionAt } from '../../kernel/hooks/points/points.ts';
import { copyJson, isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { parseTarget, targetText } from '../../kernel/policy/rules/target.ts';
import { type CallTarget, callFilter, callTarget } from '../options/call-filter.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

/** The question to a person. */
export interface HumanApprovalRequest {
  readonly call: ToolCall;
  /** The whole call as text, uncut and without invisible characters. */
  readonly shown: ShownCall;
  readonly grant: Grant;
  /** Aborted when the turn is cancelled and the question no longer matters. */
  readonly signal: AbortSignal;
}

/** `true` approves, `false` denies, `modify` runs the call with other arguments. Anything else denies. */
export type HumanApprovalAnswer =
  | boolean
  | { readonly type: 'approve' }
  | { readonly type: 'deny'; readonly reason?: string | undefined }
  | { readonly type: 'modify'; readonly args: JsonObject };

export interface HumanApprovalOptions extends ReadyMadeOptions {
  /** The calls that need approval. */
  readonly tools: readonly CallTarget[];
  /** Asks a person. Default timeout: ten minutes. */
  readonly ask: (request: HumanApprovalRequest) => HumanApprovalAnswer | Promise<HumanApprovalAnswer>;
}

const tenMinutes = 600_000;

/**
 * Lets a person approve, deny or modify calls before they run. It runs after the other hooks, so that the person sees
 * what will run. An invalid answer, an error or a timeout denies.
 */
export function humanApproval(options: HumanApprovalOptions): Hook {
  const shapes = { tools: is.nonEmptyList(callTarget), ask: is.func };
  checkHookOptions('humanApproval', options, { shapes, needed: ['tools', 'ask'] });
  const { ask } = options;
  const isTarget = callFilter(options.tools);
  const defaults = {
    name: 'human-approval',
    priority: Number.MAX_VALUE,
    timeoutMs: tenMinutes,
    gate: true,
    failOpen: false,
  };
  async function decide({ call, grant }: Payloads['preToolCall'], { signal }: HookContext): Promise<PreToolCallAction> {
    // Every argument is treated as a command, because commands are never cut.
    const shown = showCall(call, Object.keys(call.args));
    const answer = readAnswer(await untilAborted(ask({ call, shown, grant, signal }), signal));
    switch (answer.type) {
      case 'approve':
        return undefined;
      case 'deny':
        return reject(answer.reason ?? `${shown.title} was denied by a person`);
      case 'modify':
        return transform(answer.args);
      default:
        return answer satisfies never;
    }
  }

  return {
    tools: options.tools.map((target) => targetText(parseTarget(target))),
    ...hookSettings(options, defaults),
    preToolCall: (payload, ctx) => (isTarget(payload.call) ? decide(payload, ctx) : undefined),
  };
}

type PreToolCallAction = ActionAt<'preToolCall'> | undefined;

/** A question about a cancelled turn must not block anything. */
async function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const watching = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { signal: watching.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    watching.abort();
  }
}

/** Strict: an unknown field may have been meant to restrict the answer. */
function readAnswer(answer: unknown): Exclude<HumanApprovalAnswer, boolean> {
  if (answer === true) return { type: 'approve' };
  if (answer === false) return { type: 'deny' };
  const copy = copyJson(answer, { bytes: defaultLimits.argsBytes, depth: defaultLimits.depth });
  const { type, reason, args, ...rest } = copy.problem === undefined && isJsonObject(copy.value) ? copy.value : {};
  const isBare = Object.keys(rest).length === 0;
  if (isBare && type === 'approve' && args === undefined && reason === undefined) return { type };
  if (isBare && type === 'modify' && args !== undefined && isJsonObject(args) && reason === undefined)
    return { type, args };
  if (isBare && type === 'deny' && typeof reason === 'string' && reason.trim() !== '') return { type, reason };
  if (isBare && type === 'deny' && reason === undefined) return { type };
  return { type: 'deny', reason: 'The call was not approved: the answer was invalid' };
}
