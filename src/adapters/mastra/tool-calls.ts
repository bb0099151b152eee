/** Guards the calls of a Mastra agent. A question pauses the run as Mastra's own approvals do. */

import { BridleError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { quoteName } from '../../kernel/names.ts';
import { refusalError } from '../decided-call.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkCall, FrameworkSession } from '../framework-session.ts';
import type { PausedQuestion } from '../paused-questions.ts';
import { sameData } from '../same-data.ts';
import type { CallContext, ToolContext } from './agent-parts.ts';
import { type AgentRun, answerIn, frameworkName, type ResumeData } from './agent-run.ts';
import { OpenCall, type RunTool } from './open-call.ts';

/** Calls that nobody came back to are forgotten, the oldest first. */
const maxWaiting = 1000;

export class ToolCalls {
  /** Calls whose tool has paused by itself, by run and id. */
  private readonly open = new Map<string, OpenCall>();
  private readonly asked = new Map<string, FrameworkCall>();
  private readonly resumed = new Map<string, ResumeData>();

  constructor(private readonly guard: FrameworkGuard) {}

  /** Runs a call of the model, or continues one in a run that is resumed. */
  async run(called: RunTool, given: unknown, context: ToolContext): Promise<unknown> {
    const { run, name, tool } = called;
    const at = context.agent ?? context;
    const id = at.toolCallId ?? newId();
    const key = keyOf(run, id);
    const input = withoutRunId(given);
    const resumed = this.takeResumed(run, id);
    if (at.resumeData !== undefined && at.resumeData !== null) refuseForged(name, at.resumeData, resumed?.data);
    const paused = take(this.open, key);
    if (paused !== undefined && resumed !== undefined && !paused.isEnded && sameData(paused.input, input))
      return paused.resume({ context, resumeData: resumed.data });
    paused?.abandon('The call was changed while its tool was paused.');
    // Data that cannot be an answer to Bridle's question is for the tool.
    const isForTool = at.suspendedToolRunId !== undefined || at.suspendPayload !== undefined;
    const answer = isForTool ? undefined : answerIn(resumed);
    const resumeData = answer === undefined ? resumed?.data : undefined;
    const call = { id, tool, args: input, agent: run.path, turn: run.id, step: run.step };
    const session = await this.session(run.session);
    const decided = await session.decide(call, answer);
    if (decided.type === 'asks') return this.ask(called, call, { question: decided.question, at });
    this.asked.delete(key);
    if (decided.type === 'refused') throw refusalError(decided);
    const opened = new OpenCall(called, input, () => remember(this.open, key, opened)?.abandon(neverResumed));
    return opened.start(decided, { context, resumeData });
  }

  session(id: string | undefined): MaybePromise<FrameworkSession> {
    return this.guard.session(frameworkName, id ?? this.guard.defaultSession);
  }

  /**
   * Notes what a person sent to a run. When Mastra resumes a run, it may use the tools of the paused one. It runs nothing
   * for a refusal, so that is recorded here; `find` looks for a call of another process.
   */
  async resume(run: AgentRun, resumed: ResumeData, find: () => Promise<FrameworkCall | undefined>): Promise<void> {
    const { toolCallId } = resumed;
    const key = keyOf(run, toolCallId);
    remember(this.resumed, key, resumed);
    const answer = answerIn(resumed);
    if (answer?.type !== 'deny' || this.open.has(key)) return;
    const known = [...this.asked.values()].find(({ turn, id }) => turn === run.id && id === (toolCallId ?? id));
    const call = known ?? (await find());
    if (call === undefined) return;
    this.asked.delete(keyOf(run, call.id));
    const session = await this.session(run.session);
    const decided = await session.decide(call, answer);
    if (decided.type === 'runs') decided.abandon('A person refused the call.');
  }

  /** The data that was sent for a call. It counts once. */
  private takeResumed(run: AgentRun, callId: string): ResumeData | undefined {
    if (this.resumed.size === 0) return undefined;
    return take(this.resumed, keyOf(run, callId)) ?? take(this.resumed, keyOf(run, undefined));
  }

  private ask(
    { run, name }: RunTool,
    call: FrameworkCall,
    { question, at }: { readonly question: PausedQuestion; readonly at: CallContext },
  ): unknown {
    if (at.suspend === undefined) throw refusalError({ type: 'asks', question });
    remember(this.asked, keyOf(run, call.id), call);
    const requireToolApproval = { toolCallId: call.id, toolName: name, args: question.args };
    return at.suspend({ requireToolApproval }, { requireToolApproval });
  }
}

const neverResumed = 'The tool has paused, and nobody resumed it.';

function keyOf(run: AgentRun, callId: string | undefined): string {
  return JSON.stringify([run.id, callId]);
}

function take<T>(all: Map<string, T>, key: string): T | undefined {
  const found = all.get(key);
  all.delete(key);
  return found;
}

/** Returns the oldest one if it is forgotten for the new one. */
function remember<T>(all: Map<string, T>, key: string, value: T): T | undefined {
  all.set(key, value);
  return all.size > maxWaiting ? take(all, all.keys().next().value as string) : undefined;
}

/** Mastra adds the id of a subagent's run when it resumes one. It passes it in the context, too. */
function withoutRunId(input: unknown): JsonValue {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return (input ?? {}) as JsonValue;
  const { suspendedToolRunId: _, ...args } = input as JsonObject;
  return args;
}

/** The model can write `resumeData` into its args. A tool would take that for what a person said. */
function refuseForged(name: string, given: unknown, sent: unknown): void {
  if (sent !== undefined && sameData(given, sent)) return;
  throw new BridleError(
    'CALL_REFUSED',
    `The model sent resume data for ${quoteName(name)}. No rule can check it, so only a person may send it.`,
  );
}
