/** One run of one agent. Its calls are decided before the SDK pauses, and run afterwards. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { BridleError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type DecidedCall, type EndedCall, refusalText } from '../decided-call.ts';
import type { FrameworkSession, TurnKey } from '../framework-session.ts';
import { sameData } from '../same-data.ts';
import type { AgentTool } from './agent-tools.ts';
import {
  argsOf,
  type CallDetails,
  type ModelItem,
  type NativeAgent,
  type NativeTool,
  type RunContext,
} from './agents-sdk.ts';
import { isRefused, type PendingAsk, type PendingCalls } from './approvals.ts';

export interface AgentRunParts {
  readonly native: NativeAgent;
  readonly context: RunContext;
  readonly session: FrameworkSession;
  readonly path: readonly string[];
  readonly pending: PendingCalls;
}

interface ToolCall {
  readonly id: string;
  readonly args: JsonValue;
}

/** A decision that waits for the SDK to run the call, or what became of the call since the last call of the model. */
type CallState = { readonly decided: DecidedCall; readonly args: JsonValue } | 'ran' | 'refused';

/** A call that a person approved, and that does not run all the same. */
interface NotShown {
  readonly type: 'unshown';
  readonly text: string;
}

/** Who gives an answer through the SDK. */
const userName = 'a user of OpenAI Agents';
/** The text that the model gets if a tool throws and has no `errorFunction` of its own. */
const toolErrorText = 'An error occurred while running the tool. Please try again.';
const unclearText =
  'A call with the same id was approved with other args in another run, so it is unclear what was approved here.';
const notShownText =
  'A hook changed the args of the call, and the person who approved it was shown the original ones. The call did not run.';

/** Which run a request of a model belongs to: the schemas of its tools are objects that no other run has. */
export const runsBySchema = new WeakMap<object, AgentRun>();
/** The run whose tool is running. An agent that starts in it is its subagent. */
export const running = new AsyncLocalStorage<AgentRun>();

let turns = 0;

export class AgentRun {
  private turn = `openai-agents ${++turns}`;
  private step = 1;
  private hasCalled = false;
  private readonly calls = new Map<string, CallState>();
  private readonly tools = new Map<string, { readonly own: AgentTool; readonly guarded: NativeTool }>();

  constructor(readonly parts: AgentRunParts) {}

  get key(): TurnKey {
    return { agent: this.parts.path, turn: this.turn, step: this.step };
  }

  /** Begins a step: the SDK asks for the tools before each call of the model. */
  beginStep(): MaybePromise<void> {
    if (this.hasCalled) this.step++;
    this.hasCalled = false;
    for (const id of this.calls.keys()) this.drop(id, 'The framework did not run the call.');
    const { pending, session, path, context } = this.parts;
    return this.recordRefused(pending.refused(session.id, path, context));
  }

  /** Records calls that a person refused, perhaps in another process. Their results are at the end of the input. */
  recordRefusals(input: string | readonly ModelItem[]): MaybePromise<void> {
    const ended = new Set<string | undefined>();
    for (let i = input.length - 1; i >= 0; i--) {
      const { type, callId = '' } = input[i] as ModelItem;
      if (type !== 'function_call_result') break;
      // To look an answer up takes long in the SDK. A call that ran was not refused.
      if (this.calls.get(callId) === 'ran') this.calls.delete(callId);
      else ended.add(callId);
    }
    if (ended.size === 0 || typeof input === 'string') return undefined;
    const calls = input.filter(({ type, callId }) => type === 'function_call' && ended.has(callId));
    return this.recordRefused(calls.flatMap((call) => this.refusedAsk(call)));
  }

  /**
   * The SDK would ask a person about args that are not a JSON object, because the tools may ask. It answers with its own
   * error if such a call is approved, or calls the guarded tool, which refuses it.
   */
  passInvalid(output: readonly ModelItem[]): void {
    const { context, native: agent } = this.parts;
    for (const rawItem of output) {
      if (rawItem.type !== 'function_call' || !this.tools.has(rawItem.name ?? '')) continue;
      if (argsOf(rawItem.arguments ?? '') !== undefined) continue;
      context.approveTool({ rawItem, agent, toolName: rawItem.name });
    }
  }

  /** The guarded tool, with a schema of this run. */
  wrap(own: AgentTool): NativeTool {
    const { name, parameters } = own.tool;
    const known = this.tools.get(name);
    if (known?.own === own) return known.guarded;
    const schema = { ...parameters };
    runsBySchema.set(schema, this);
    const guarded = own.guardedWith(schema);
    this.tools.set(name, { own, guarded });
    return guarded;
  }

  /** True if a person must answer first. */
  async pauses(own: AgentTool, call: ToolCall): Promise<boolean> {
    const { id, args } = call;
    this.calls.delete(id);
    const decided = await this.decide(own.declared, call);
    if (decided.type === 'asks') {
      this.parts.pending.add({ ...this.askOf(own, call), question: decided.question });
      return true;
    }
    this.calls.set(id, { decided, args });
    if (decided.type === 'refused' || !(await wantsApproval(own.tool, call, this.parts.context))) return false;
    this.drop(id, 'The call waits for the approval that the tool itself wants.');
    return true;
  }

  async invoke({ tool, declared }: AgentTool, input: string, details: CallDetails = {}): Promise<unknown> {
    const call = { id: details.toolCall?.callId ?? newId(), args: argsOf(input) ?? input };
    this.hasCalled = true;
    const decided = this.takeDecided(call) ?? (await this.decideApproved(declared, call));
    if (decided.type !== 'runs') return decided.type === 'unshown' ? decided.text : refusalText(decided);
    this.calls.set(call.id, 'ran');
    const ended = await decided.run((args, granted) => {
      const json = sameData(args, call.args) ? input : JSON.stringify(args);
      // The history shows the args that run.
      if (details.toolCall !== undefined) details.toolCall.arguments = json;
      const own = withSignal(details, () => granted.signal);
      return running.run(this, () => tool.invoke(this.parts.context, json, own)).then(throwErrorText);
    }, details.signal);
    return resultOf(ended);
  }

  /** The decision that was made before the SDK could pause. */
  private takeDecided({ id, args }: ToolCall): DecidedCall | undefined {
    const known = this.calls.get(id);
    if (typeof known !== 'object') return undefined;
    if (!sameData(known.args, args)) {
      this.drop(id, 'The call was changed after it was decided.');
      return undefined;
    }
    this.calls.delete(id);
    return known.decided;
  }

  /** The SDK calls a tool without a decision only if a person has approved the call. */
  private async decideApproved(declared: ToolDeclaration, call: ToolCall): Promise<DecidedCall | NotShown> {
    const { pending, path, context } = this.parts;
    this.continueTurn(call.id);
    const args = pending.takeEdit(path, call.id, context);
    if (args === 'unclear') return { type: 'unshown', text: unclearText };
    const decided = await this.decide(declared, call, { type: 'approve', args, by: userName });
    if (decided.type !== 'runs' || args !== undefined) return decided;
    if (sameData(decided.args, await shownArgs(declared, call.args))) return decided;
    decided.abandon(notShownText);
    return { type: 'unshown', text: notShownText };
  }

  private recordRefused(asks: readonly PendingAsk[]): MaybePromise<void> {
    return asks.length === 0 ? undefined : this.recordEach(asks);
  }

  private async recordEach(asks: readonly PendingAsk[]): Promise<void> {
    for (const { callId: id, toolName, tool, args } of asks) {
      if (this.calls.get(id) === 'refused') continue;
      this.calls.set(id, 'refused');
      this.continueTurn(id);
      const reason = this.parts.context.getRejectionMessage(toolName, id);
      const decided = await this.decide(tool, { id, args }, { type: 'deny', reason, by: userName });
      if (decided.type === 'runs') decided.abandon('A person refused the call.');
    }
  }

  private refusedAsk({ callId: id = '', name = '', arguments: input = '' }: ModelItem): readonly PendingAsk[] {
    const own = this.tools.get(name)?.own;
    const args = argsOf(input);
    if (own === undefined || args === undefined || !isRefused(this.parts.context, name, id)) return [];
    return [this.askOf(own, { id, args })];
  }

  private askOf({ tool, declared }: AgentTool, { id, args }: ToolCall): PendingAsk {
    const { turn, step, parts } = this;
    const key = { session: parts.session.id, agent: parts.path, callId: id };
    return { ...key, turn, step, tool: declared, toolName: tool.name, args };
  }

  private decide(tool: ToolDeclaration, { id, args }: ToolCall, answer?: Parameters<FrameworkSession['decide']>[1]) {
    const { turn, step, parts } = this;
    return parts.session.decide({ id, args, tool, agent: parts.path, turn, step }, answer);
  }

  /** A run that is resumed continues the turn in which it has paused. */
  private continueTurn(callId: string): void {
    const { pending, session, path } = this.parts;
    const ask = pending.take({ session: session.id, agent: path, callId });
    if (ask === undefined) return;
    this.turn = ask.turn;
    this.step = ask.step;
    this.hasCalled = true;
  }

  /** Gives up a decision. */
  private drop(id: string, reason: string): void {
    const known = this.calls.get(id);
    if (typeof known !== 'object') return;
    this.calls.delete(id);
    if (known.decided.type === 'runs') known.decided.abandon(reason);
  }
}

/** The args of an interruption, as the tool would get them: with defaults. */
async function shownArgs({ schema }: ToolDeclaration, args: JsonValue): Promise<JsonValue> {
  const result = await schema?.['~standard'].validate(args);
  return result === undefined || result.issues !== undefined ? args : (result.value as JsonValue);
}

/** The tool's own `needsApproval`. Like in the SDK, any true value pauses. */
function wantsApproval(tool: NativeTool, { id, args }: ToolCall, context: RunContext): unknown {
  const { needsApproval } = tool;
  return typeof needsApproval === 'function' ? (needsApproval.call(tool, context, args, id) as unknown) : needsApproval;
}

/** The SDK has turned an error into this text. */
function throwErrorText(result: unknown): unknown {
  if (result === toolErrorText) throw new BridleError('TOOL_FAILED', toolErrorText);
  return result;
}

/** What the SDK gets: the value, the error that the tool threw, or the text of another error. */
function resultOf({ result, value, thrown }: EndedCall): unknown {
  if (thrown === undefined) return value;
  if (thrown instanceof BridleError && thrown.code === 'TOOL_FAILED') return result.text;
  throw thrown as Error;
}

/**
 * The details with another signal. It is expensive to create, so there is one only if the tool reads it. The SDK makes new
 * details for each call and keeps data in symbols there; others get a copy.
 */
function withSignal(details: CallDetails, get: () => AbortSignal): CallDetails {
  const own = Object.getOwnPropertySymbols(details).length === 0 ? { ...details } : details;
  return Object.defineProperty(own, 'signal', { get, enumerable: true, configurable: true });
}
