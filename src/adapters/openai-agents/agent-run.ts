/** One run of one agent. Its calls are decided before the SDK pauses, and run afterwards. */

import { BridleError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type DecidedCall, type EndedCall, refusalText } from '../decided-call.ts';
import type { FrameworkSession } from '../framework-session.ts';
import { sameData } from '../same-data.ts';
import {
  type CallDetails,
  type ModelItem,
  type NativeAgent,
  type NativeTool,
  type RunContext,
  toolErrorText,
} from './agents-sdk.ts';
import {
  type AgentStep,
  argsOf,
  isRefused,
  noteQuestion,
  type PendingAsk,
  type PendingAsks,
  takeEdit,
  userName,
} from './approvals.ts';

/** A tool of the agent, and how policy and journal call it. */
export interface AgentTool {
  readonly tool: NativeTool;
  readonly declared: ToolDeclaration;
  /** A copy of the tool with guarded functions and this schema. All other fields stay. */
  readonly guardedWith: (parameters: object) => NativeTool;
}

export interface AgentRunParts {
  readonly native: NativeAgent;
  readonly context: RunContext;
  readonly session: FrameworkSession;
  /** The path of the agent. */
  readonly agent: readonly string[];
  readonly asks: PendingAsks;
  /** Calls `work` in such a way that agents which run in it are found. */
  readonly within: <T>(run: AgentRun, work: () => T) => T;
}

interface ToolCall {
  readonly id: string;
  readonly args: JsonValue;
}

/** Why an approved call does not run. */
interface NotRun {
  readonly type: 'text';
  readonly text: string;
}

const unclearText =
  'A call with the same id was approved with other args in another run, so it is unclear what was approved here.';
const notShownText =
  'A hook changed the args of the call, and the person who approved it was shown the original ones. The call did not run.';

/** Which run a request of a model belongs to: the schemas of its tools are objects that no other run has. */
export const runsBySchema = new WeakMap<object, AgentRun>();

let turns = 0;

export class AgentRun {
  private turn = `openai-agents ${++turns}`;
  private step = 1;
  private hasCalled = false;
  private readonly decided = new Map<string, { readonly decided: DecidedCall; readonly args: JsonValue }>();
  private readonly tools = new Map<string, { readonly own: AgentTool; readonly guarded: NativeTool }>();
  private readonly refused = new Set<string>();
  /** Calls that ran since the last call of the model. */
  private readonly ran = new Set<string>();

  constructor(readonly parts: AgentRunParts) {}

  get key(): AgentStep {
    return { agent: this.parts.agent, turn: this.turn, step: this.step };
  }

  /** Begins a step: the SDK asks for the tools before each call of the model. */
  beginStep(): MaybePromise<void> {
    if (this.hasCalled) this.step++;
    this.hasCalled = false;
    for (const id of this.decided.keys()) this.drop(id, 'The framework did not run the call.');
    const { asks, session, agent, context } = this.parts;
    return asks.isEmpty ? undefined : this.recordAll(asks.refused(session.id, agent, context));
  }

  /** Records calls that a person refused, perhaps in another process. Their results are at the end of the input. */
  recordRefusals(input: string | readonly ModelItem[]): MaybePromise<void> {
    const ended = new Set<string | undefined>();
    for (let i = input.length - 1; i >= 0; i--) {
      const { type, callId = '' } = input[i] as ModelItem;
      if (type !== 'function_call_result') break;
      // To look an answer up takes long in the SDK. A call that ran was not refused.
      if (!this.ran.delete(callId)) ended.add(callId);
    }
    if (ended.size === 0 || typeof input === 'string') return undefined;
    const calls = input.filter(({ type, callId }) => type === 'function_call' && ended.has(callId));
    return this.recordAll(calls.flatMap((call) => this.refusedAsk(call)));
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
    this.ran.delete(id);
    const decided = await this.decide(own.declared, call);
    if (decided.type === 'asks') {
      this.parts.asks.add(this.askOf(own, call));
      noteQuestion(this.parts.native, id, decided.question);
      return true;
    }
    this.decided.set(id, { decided, args });
    if (decided.type === 'refused' || !(await wantsApproval(own.tool, call, this.parts.context))) return false;
    this.drop(id, 'The call waits for the approval that the tool itself wants.');
    return true;
  }

  async invoke({ tool, declared }: AgentTool, input: string, details: CallDetails = {}): Promise<unknown> {
    const call = { id: details.toolCall?.callId ?? newId(), args: argsOf(input) ?? input };
    this.hasCalled = true;
    const decided = this.takeDecided(call) ?? (await this.decideApproved(declared, call));
    if (decided.type !== 'runs') return decided.type === 'text' ? decided.text : refusalText(decided);
    this.ran.add(call.id);
    const ended = await decided.run((args, granted) => {
      const json = sameData(args, call.args) ? input : JSON.stringify(args);
      // The history shows the args that run.
      if (details.toolCall !== undefined) details.toolCall.arguments = json;
      const own = withSignal(details, () => granted.signal);
      return this.parts.within(this, () => tool.invoke(this.parts.context, json, own)).then(throwErrorText);
    }, details.signal);
    return resultOf(ended);
  }

  /** The decision that was made before the SDK could pause. */
  private takeDecided({ id, args }: ToolCall): DecidedCall | undefined {
    const known = this.decided.get(id);
    if (known === undefined) return undefined;
    if (!sameData(known.args, args)) {
      this.drop(id, 'The call was changed after it was decided.');
      return undefined;
    }
    this.decided.delete(id);
    return known.decided;
  }

  /** The SDK calls a tool without a decision only if a person has approved the call. */
  private async decideApproved(declared: ToolDeclaration, call: ToolCall): Promise<DecidedCall | NotRun> {
    this.continueTurn(call.id);
    const args = takeEdit(this.parts.native, call.id, this.parts.context);
    if (args === 'unclear') return { type: 'text', text: unclearText };
    const decided = await this.decide(declared, call, { type: 'approve', args, by: userName });
    if (decided.type !== 'runs' || args !== undefined) return decided;
    if (sameData(decided.args, await shownArgs(declared, call.args))) return decided;
    decided.abandon(notShownText);
    return { type: 'text', text: notShownText };
  }

  private async recordAll(asks: readonly PendingAsk[]): Promise<void> {
    for (const ask of asks) await this.recordRefusal(ask);
  }

  private refusedAsk({ callId: id = '', name = '', arguments: input = '' }: ModelItem): readonly PendingAsk[] {
    const own = this.tools.get(name)?.own;
    const args = argsOf(input);
    if (own === undefined || args === undefined || !isRefused(this.parts.context, name, id)) return [];
    return [this.askOf(own, { id, args })];
  }

  private async recordRefusal({ callId: id, toolName, tool, args }: PendingAsk): Promise<void> {
    if (this.refused.has(id)) return;
    this.refused.add(id);
    this.continueTurn(id);
    const reason = this.parts.context.getRejectionMessage(toolName, id);
    const decided = await this.decide(tool, { id, args }, { type: 'deny', reason, by: userName });
    if (decided.type === 'runs') decided.abandon('A person refused the call.');
  }

  private askOf({ tool, declared }: AgentTool, { id, args }: ToolCall): PendingAsk {
    const { session } = this.parts;
    return { ...this.key, session: session.id, callId: id, tool: declared, toolName: tool.name, args };
  }

  private decide(tool: ToolDeclaration, call: ToolCall, answer?: Parameters<FrameworkSession['decide']>[1]) {
    return this.parts.session.decide({ ...call, tool, ...this.key }, answer);
  }

  /** A run that is resumed continues the turn in which it has paused. */
  private continueTurn(callId: string): void {
    const { asks, session, agent } = this.parts;
    const ask = asks.take({ session: session.id, agent, callId });
    if (ask === undefined) return;
    this.turn = ask.turn;
    this.step = ask.step;
    this.hasCalled = true;
  }

  private drop(id: string, reason: string): void {
    const known = this.decided.get(id)?.decided;
    this.decided.delete(id);
    if (known?.type === 'runs') known.abandon(reason);
  }
}

/** The args of an interruption, as the tool would get them: with defaults. */
async function shownArgs({ schema }: ToolDeclaration, args: JsonValue): Promise<JsonValue> {
  const result = await schema?.['~standard'].validate(args);
  return result === undefined || result.issues !== undefined ? args : (result.value as JsonValue);
}

/** The tool's own `needsApproval`. Like the SDK, any true value pauses. */
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

/** A copy with another signal: it is expensive to create, so there is one only if the tool reads it. */
function withSignal(details: CallDetails, get: () => AbortSignal): CallDetails {
  return withFields(details, { signal: { get, enumerable: true, configurable: true } });
}

/** A copy with other descriptors of some fields. Symbols and hidden fields stay, too. */
export function withFields<T extends object>(given: T, fields: PropertyDescriptorMap): T {
  const own = Object.assign(Object.getOwnPropertyDescriptors(given), fields);
  return Object.create(Object.getPrototypeOf(given) as object | null, own) as T;
}
