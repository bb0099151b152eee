/**
 * Stops loops of tool calls within a turn. Calls count when they are requested, so calls that policy denies count too.
 * Calls of subagents count toward the turn of the agent that started them.
 */

import { createHash } from 'node:crypto';
import { pairText } from '../../kernel/names.ts';
import { reject } from '../../kernel/hooks/points/actions.ts';
import { omittedArgs } from '../../kernel/hooks/points/events.ts';
import type { HookContext } from '../../kernel/hooks/points/hook-context.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { canonicalText, type JsonValue } from '../../kernel/json.ts';
import { type StateKey, stateKey } from '../../kernel/scope/scope.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

export interface RetryLoopDetectorOptions extends ReadyMadeOptions {
  /** The most calls of a turn. */
  readonly maxCalls: number;
  /** How often the same call, with the same arguments, may occur in a row. Default: unlimited. */
  readonly sameInARow?: number | undefined;
}

/** The calls of a turn so far. */
interface Tally {
  readonly [field: string]: JsonValue;
  readonly turn: number;
  readonly depth: number;
  readonly count: number;
  /** The last five tools. */
  readonly recent: readonly string[];
  /** Calls by tool. Each name has a leading slash, so that none collides with a special property. */
  readonly byTool: { readonly [tool: string]: number };
  /** A fingerprint of the last call. */
  readonly last: string;
  readonly inARow: number;
}

interface RequestedCall {
  readonly tool: string;
  readonly server: string | undefined;
  readonly args: JsonValue;
}

const emptyTally = { count: 0, recent: [], byTool: {}, last: '', inARow: 0 };

/** Refuses every call after `maxCalls` in one turn, and the same call after `sameInARow` times in a row. */
export function retryLoopDetector(options: RetryLoopDetectorOptions): Hook {
  const shapes = { maxCalls: is.wholeNumber(1), sameInARow: is.wholeNumber(1) };
  checkHookOptions('retryLoopDetector', options, { shapes, needed: ['maxCalls'] });
  // Runs first, so that a `replace` of another hook does not bypass it.
  const settings = hookSettings(options, { name: 'retry-loop-detector', priority: 1, failOpen: false });
  const tally = stateKey<Tally>(`bridle:${settings.name}:calls`, { turn: -1, depth: 0, ...emptyTally });
  /** Why this call is refused; empty if it is allowed. */
  const refusal = stateKey<string>(`bridle:${settings.name}:verdict`, '');

  function count(call: RequestedCall, ctx: HookContext): void {
    const counted = add(call, tallyOf(tally, ctx), options);
    ctx.session.set(tally, counted);
    ctx.operation.set(refusal, refusalReason(counted, options));
  }

  return {
    ...settings,
    onEvent(event, ctx) {
      if (event.type === 'tool_requested' && !ctx.operation.has(refusal)) count(event, ctx);
    },
    preToolCall({ call }, ctx) {
      // Events can be dropped, but a call must still be counted.
      if (!ctx.operation.has(refusal)) count({ ...call, args: call.requested }, ctx);
      const reason = ctx.operation.get(refusal);
      return reason === '' ? undefined : reject(reason);
    },
  };
}

/** The tally of this turn. Calls of a subagent belong to the turn that started it. */
function tallyOf(tally: StateKey<Tally>, { session, turnNumber: turn, depth }: HookContext): Tally {
  const current = session.get(tally);
  const isNewTurn = current.turn === -1 || (depth <= current.depth && turn !== current.turn);
  return isNewTurn ? { turn, depth, ...emptyTally } : current;
}

function add({ tool, server, args }: RequestedCall, before: Tally, options: RetryLoopDetectorOptions): Tally {
  const name = pairText(server, tool);
  const call = options.sameInARow === undefined ? '' : fingerprintOf([name, args]);
  const byTool = `/${name}`;
  // Beyond the limit, new names are not stored, so made-up names cannot fill the scope.
  const isKept = before.count <= options.maxCalls || byTool in before.byTool;
  return {
    ...before,
    count: before.count + 1,
    recent: [...before.recent, name].slice(-5),
    byTool: isKept ? { ...before.byTool, [byTool]: (before.byTool[byTool] ?? 0) + 1 } : before.byTool,
    last: call,
    inARow: call === before.last && !isOmitted(args) ? before.inARow + 1 : 1,
  };
}

/** Identifies a call without storing its contents. */
function fingerprintOf(call: JsonValue): string {
  return createHash('sha256').update(canonicalText(call)).digest('base64');
}

function refusalReason(
  tally: Tally,
  { maxCalls, sameInARow = Number.POSITIVE_INFINITY }: RetryLoopDetectorOptions,
): string {
  const { count, recent, byTool, inARow } = tally;
  const isOver = !(count <= maxCalls);
  const [tool = ''] = recent.slice(-1);
  if (inARow > sameInARow || (isOver && new Set(recent).size === 1)) {
    return `Retry loop detected: ${tool} called ${byTool[`/${tool}`] ?? 1} times this turn. Breaking loop.`;
  }
  return isOver ? `Tool call limit (${maxCalls}/turn) exceeded.` : '';
}

/** Arguments too large for an event are omitted, so two such calls may differ. */
function isOmitted(args: JsonValue): boolean {
  return args === omittedArgs;
}
