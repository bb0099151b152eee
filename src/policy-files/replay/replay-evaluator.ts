/** Decides a recorded call again with the current policy. */

import type { Decision, ToolCall } from '../../kernel/call.ts';
import { readCall, type CallPosition } from '../../kernel/catalog/read-call.ts';
import type { SessionId } from '../../kernel/ids.ts';
import { containsMask } from '../../redact/mask-text.ts';
import type { DecidedEntry } from '../../kernel/records/journal-entry.ts';
import { copyJson } from '../../kernel/json.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import type { ScopeReader } from '../../kernel/policy/evaluator/compiled-rule.ts';
import type { ShadowDecision } from '../../kernel/policy/evaluator/policy.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { callReaderOf } from '../layers/decide-request.ts';
import { watchArgs } from './masked-read-detector.ts';

export type ReplayDecision =
  | {
      readonly type: 'decided';
      readonly decision: Decision;
      readonly shadows: readonly ShadowDecision[];
      readonly call: ToolCall;
      readonly tool: ToolDeclaration;
    }
  /** The decision depends on data that the journal does not contain. */
  | { readonly type: 'cannot tell'; readonly why: string }
  /** The tool no longer exists, or the args no longer match its schema. */
  | { readonly type: 'unreadable'; readonly why: string };

export class ReplayEvaluator {
  /** Tools without argument aliases, because watched args contain the aliases themselves. */
  private readonly toolsWithoutAliases = new WeakMap<ToolDeclaration, ToolDeclaration>();

  constructor(private readonly policy: LoadedPolicy) {}

  async decide(entry: DecidedEntry): Promise<ReplayDecision> {
    const { evaluator } = this.policy;
    // A line of an untrusted journal may be nested very deeply.
    const args = copyJson(entry.args, { bytes: defaultLimits.argsBytes, depth: defaultLimits.depth });
    if (args.problem !== undefined) return { type: 'unreadable', why: args.problem };
    const isMasked = containsMask(args.value);
    const { session, turn, step, agent, cwd = this.policy.cwd } = entry;
    const place: CallPosition = { session: session as SessionId, turn, step, agent, cwd };
    const request = { id: entry.call, tool: entry.tool, server: entry.server, args: args.value };
    const read = await readCall(request, place, callReaderOf(this.policy));
    if (read.problem !== undefined) {
      const why = read.problem;
      return isMasked ? { type: 'cannot tell', why: `a masked value is invalid: ${why}` } : { type: 'unreadable', why };
    }
    const reads: string[] = [];
    const reader: ScopeReader = {
      scopeValues: () => {
        reads.push('the session state');
        return { session: {}, turn: {} };
      },
    };
    const tool = isMasked ? this.withoutAliases(read.tool) : read.tool;
    const call = isMasked
      ? watchCall(read.call, read.tool, (where) => reads.push(`${where}, which is masked`))
      : read.call;
    const decision = await evaluator.evaluate(call, tool, reader);
    const [first] = reads;
    if (first !== undefined) return { type: 'cannot tell', why: `a rule reads ${first}` };
    const shadows = await Promise.all(evaluator.shadows(call, tool, reader).map((evaluate) => evaluate()));
    return { type: 'decided', decision, shadows, call, tool };
  }

  private withoutAliases(tool: ToolDeclaration): ToolDeclaration {
    if (tool.aliases?.args === undefined) return tool;
    const known =
      this.toolsWithoutAliases.get(tool) ?? Object.freeze({ ...tool, aliases: { names: tool.aliases.names } });
    this.toolsWithoutAliases.set(tool, known);
    return known;
  }
}

function watchCall(call: ToolCall, tool: ToolDeclaration, onRead: (where: string) => void): ToolCall {
  // The requested args contain the same masked values.
  return Object.freeze({ ...call, args: watchArgs(call.args, tool, onRead), requested: null });
}
