/** One run of one agent. Its calls are decided before the SDK pauses, and run afterwards. */

import { BridleError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type JsonValue, sameJson } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type DecidedCall, type EndedCall, refusalText } from '../decided-call.ts';
import type { FrameworkSession } from '../framework-session.ts';
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
}

export interface AgentRunParts {
  readonly native: NativeAgent;
  readonly context: RunContext;
  readonly session: FrameworkSession;
  /** The path of the agent. */
  readonly agent: readonly string[];
  readonly asks: PendingAsks;
  /** Calls `work` in such a way that agents which run in it are found. */
  readonly within: <T>(run: AgentRun, work: () => Promise<T>) => Promise<T>;
}

interface ToolCall {
  readonly id: string;
  readonly args: JsonValue;
}

type RunningCall = Extract<DecidedCall, { type: 'runs' }>;

const unclearText =
  'A call with the same id was approved with other args in another run, so it is unclear what was approved here.';
const notShownText =
  'A hook changed the args of the call, and the person who approved it was shown the original ones. The call did not run.';

/** Which run a request of a model belongs to: the schemas of its tools are objects that no other run has. */
export const runsBySchema = new WeakMap<object, AgentRun>();

export class AgentRun {
  private turn: string = newId();
  private step = 1;
  private hasCalled = false;
  private readonly decided = new Map<string, { readonly decided: DecidedCall; readonly args: JsonValue }>();
  private readonly guarded = new WeakMap<object, NativeTool>();
  private readonly byName = new Map<string, AgentTool>();
  private readonly refused = new Set<string>();
  /** Calls that ran since the last call of the model. */
  private readonly ran = new Set<string>();

  constructor(readonly parts: AgentRunParts) {}

  get key(): AgentStep {
    return { agent: this.parts.agent, turn: this.turn, step: this.step };
  }

  /** Begins a step: the SDK asks for the tools before each call of the model. */
  async beginStep(): Promise<void> {
    if (this.hasCalled) this.step++;
    this.hasCalled = false;
    for (const id of this.decided.keys()) this.drop(id, 'The framework did not run the call.');
    const { asks, session, context } = this.parts;
    if (asks.isEmpty) return;
    for (const ask of asks.refused(session.id, this.parts.agent, context)) await this.recordRefusal(ask);
  }

  /** Records calls that a person refused, perhaps in another process. */
  async recordRefusals(calls: readonly ModelItem[]): Promise<void> {
    for (const { callId = '', name = '', arguments: input = '' } of calls) {
      const own = this.byName.get(name);
      // To look an answer up takes long in the SDK. A call that ran was not refused.
      if (this.ran.delete(callId)) continue;
      const args = argsOf(input);
      if (own === undefined || args === undefined || !isRefused(this.parts.context, name, callId)) continue;
      await this.recordRefusal(this.askOf(own, { id: callId, args }));
    }
  }

  /**
   * The SDK would ask a person about args that are not a JSON object, because the tools may ask. It answers with its own
   * error if such a call is approved, or calls the guarded tool, which refuses it.
   */
  passInvalid(output: readonly ModelItem[]): void {
    const { context, native: agent } = this.parts;
    for (const rawItem of output) {
      if (rawItem.type !== 'function_call' || !this.byName.has(rawItem.name ?? '')) continue;
      if (argsOf(rawItem.arguments ?? '') !== undefined) continue;
      context.approveTool({ rawItem, agent, toolName: rawItem.name });
    }
  }

  /** The tool with guarded functions. All other fields stay. */
  wrap(own: AgentTool): NativeTool {
    const { tool } = own;
    this.byName.set(tool.name, own);
    const known = this.guarded.get(tool);
    if (known !== undefined) return known;
    const parameters = { ...tool.parameters };
    runsBySchema.set(parameters, this);
    const guarded = withFields(tool, {
      parameters,
      needsApproval: (context: RunContext, args: JsonValue, id: string) => this.pauses(own, { id, args }, context),
      invoke: (context: RunContext, input: string, details: CallDetails = {}) =>
        this.invoke(own, { context, input, details }),
    });
    this.guarded.set(tool, guarded);
    return guarded;
  }

  /** True if a person must answer first. */
  private async pauses(own: AgentTool, call: ToolCall, context: RunContext): Promise<boolean> {
    const { id, args } = call;
    this.ran.delete(id);
    const decided = await this.decide(own.declared, call);
    if (decided.type === 'asks') {
      this.parts.asks.add(this.askOf(own, call));
      noteQuestion(this.parts.native, id, decided.question);
      return true;
    }
    this.decided.set(id, { decided, args });
    if (decided.type === 'refused' || !(await wantsApproval(own.tool, call, context))) return false;
    this.drop(id, 'The call waits for the approval that the tool itself wants.');
    return true;
  }

  private async invoke(
    { tool, declared }: AgentTool,
    {
      context,
      input,
      details,
    }: { readonly context: RunContext; readonly input: string; readonly details: CallDetails },
  ): Promise<unknown> {
    const id = details.toolCall?.callId ?? newId();
    const given = argsOf(input) ?? input;
    this.hasCalled = true;
    const decided = await this.decisionOf(declared, { id, args: given });
    if (typeof decided === 'string') return decided;
    this.ran.add(id);
    const ended = await decided.run(async (args, granted) => {
      const json = sameJson(args, given) ? input : JSON.stringify(args);
      // The history shows the args that run.
      if (details.toolCall !== undefined) details.toolCall.arguments = json;
      const own = withFields(details, {
        // Signals are expensive to create, so there is one only if the tool reads it.
        get signal() {
          return granted.signal;
        },
      });
      const result = await this.parts.within(this, () => tool.invoke(context, json, own));
      // The SDK has turned an error into this text.
      if (result === toolErrorText) throw new BridleError('TOOL_FAILED', toolErrorText);
      return result;
    }, details.signal);
    return resultOf(ended);
  }

  /** The decision about a call that runs now, or why it does not run. */
  private async decisionOf(declared: ToolDeclaration, call: ToolCall): Promise<RunningCall | string> {
    const known = this.decided.get(call.id);
    if (known !== undefined && sameJson(known.args, call.args)) {
      this.decided.delete(call.id);
      return known.decided.type === 'runs' ? known.decided : refusalText(known.decided);
    }
    this.drop(call.id, 'The call was changed after it was decided.');
    // The SDK calls a tool without a decision only if a person has approved the call.
    this.continueTurn(call.id);
    const args = takeEdit(this.parts.native, call.id, this.parts.context);
    if (args === 'unclear') return unclearText;
    const decided = await this.decide(declared, call, { type: 'approve', args, by: userName });
    if (decided.type !== 'runs') return refusalText(decided);
    if (args !== undefined || sameJson(decided.args, await shownArgs(declared, call.args))) return decided;
    decided.abandon(notShownText);
    return notShownText;
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

/** The tool's own `needsApproval`. */
async function wantsApproval(tool: NativeTool, { id, args }: ToolCall, context: RunContext): Promise<boolean> {
  const { needsApproval } = tool;
  if (typeof needsApproval !== 'function') return needsApproval === true;
  return ((await needsApproval.call(tool, context, args, id)) as unknown) === true;
}

/** What the SDK gets: the value, the error that the tool threw, or the text of another error. */
function resultOf({ result, value, thrown }: EndedCall): unknown {
  if (thrown === undefined) return value;
  if (thrown instanceof BridleError && thrown.code === 'TOOL_FAILED') return result.text;
  throw thrown as Error;
}

/** A copy with other values of some fields. Symbols stay, too. */
export function withFields<T extends object>(given: T, fields: Readonly<Record<string, unknown>>): T {
  const own: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(given);
  Object.assign(own, Object.getOwnPropertyDescriptors(fields));
  return Object.create(Object.getPrototypeOf(given) as object | null, own) as T;
}
