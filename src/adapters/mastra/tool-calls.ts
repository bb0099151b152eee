/** Guards the calls of a Mastra agent. A question pauses the run as Mastra's own approvals do. */

import { BridleError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type JsonObject, type JsonValue, sameJson } from '../../kernel/json.ts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';
import { quoteName } from '../../kernel/names.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { refusalError } from '../decided-call.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkCall, FrameworkSession } from '../framework-session.ts';
import type { PausedQuestion } from '../paused-questions.ts';
import type { CallContext, Execute, ToolContext } from './agent-parts.ts';
import { type AgentRun, answerIn, frameworkName, inRun, type ResumeData } from './agent-run.ts';
import { OpenCall, OpenCalls } from './open-call.ts';

/** A tool in a run. */
export interface RunTool {
  readonly run: AgentRun;
  /** As the model calls it. */
  readonly name: string;
  readonly tool: ToolDeclaration;
  readonly execute: Execute;
}

/** Calls that nobody came back to are forgotten, the oldest first. */
const maxWaiting = 1000;

export class ToolCalls {
  private readonly open = new OpenCalls();
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
    const paused = this.open.take(key);
    if (paused !== undefined && resumed !== undefined && sameJson(paused.input, input)) {
      return this.open.outcome(key, paused, attempt(called, paused, { context, resumeData: resumed.data }));
    }
    paused?.abandon('The call was changed while its tool was paused.');
    // Data that cannot be an answer to Bridle's question is for the tool.
    const isForTool = at.suspendedToolRunId !== undefined || at.suspendPayload !== undefined;
    const answer = isForTool ? undefined : answerIn(resumed);
    const resumeData = answer === undefined ? resumed?.data : undefined;
    const call = { id, tool, args: input, agent: run.path, turn: run.id, step: run.step };
    const decided = await (await this.session(run.session)).decide(call, answer);
    if (decided.type === 'asks') return this.ask(called, call, { question: decided.question, at });
    this.asked.delete(key);
    if (decided.type === 'refused') throw refusalError(decided);
    const opened = new OpenCall(input);
    const first = new Promise<Awaited<ReturnType<typeof attempt>>>((resolve) => {
      opened.ended = decided.run(async (args, { signal }) => {
        await refuseUnstable(tool, args);
        opened.args = args;
        resolve(attempt(called, opened, { context, resumeData, signal }));
        return opened.result;
      }, context.abortSignal);
    });
    return this.open.outcome(key, opened, first);
  }

  session(id: string | undefined): MaybePromise<FrameworkSession> {
    return this.guard.session(frameworkName, id ?? this.guard.defaultSession);
  }

  /**
   * Notes what a person sent to a run. When Mastra resumes a run, it may use the tools of the paused one. It runs nothing
   * for a refusal, so that is recorded here; `find` looks for a call of another process.
   */
  async resume(run: AgentRun, find: () => Promise<FrameworkCall | undefined>): Promise<void> {
    const { resumed } = run;
    if (resumed === undefined) return;
    remember(this.resumed, keyOf(run, resumed.toolCallId), resumed);
    const answer = answerIn(resumed);
    if (answer?.type !== 'deny' || this.open.has(keyOf(run, resumed.toolCallId))) return;
    const { toolCallId } = resumed;
    const known = [...this.asked.values()].find(({ turn, id }) => turn === run.id && id === (toolCallId ?? id));
    const call = known ?? (await find());
    if (call === undefined) return;
    this.asked.delete(keyOf(run, call.id));
    const decided = await (await this.session(run.session)).decide(call, answer);
    if (decided.type === 'runs') decided.abandon('A person refused the call.');
  }

  /** The data that was sent for a call. It counts once. */
  private takeResumed(run: AgentRun, callId: string): ResumeData | undefined {
    const key = [keyOf(run, callId), keyOf(run, undefined)].find((each) => this.resumed.has(each));
    if (key === undefined) return undefined;
    const resumed = this.resumed.get(key);
    this.resumed.delete(key);
    return resumed;
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

interface Attempt {
  readonly context: ToolContext;
  readonly resumeData: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the tool as Mastra would, or continues it after a pause. */
function attempt(
  { run, execute }: RunTool,
  call: OpenCall,
  { context, resumeData, signal = context.abortSignal }: Attempt,
): ReturnType<OpenCall['attempt']> {
  return call.attempt((notePause) => {
    const at = context.agent ?? context;
    const own = {
      resumeData,
      suspend: (payload: unknown, options?: unknown) => {
        notePause();
        return at.suspend?.(payload, options);
      },
    };
    const agent = context.agent && { ...context.agent, ...own };
    return inRun(run, 'tool', () =>
      execute(call.args, { ...context, ...own, abortSignal: signal, ...(agent && { agent }) }),
    );
  });
}

function keyOf(run: AgentRun, callId: string | undefined): string {
  return JSON.stringify([run.id, callId]);
}

function remember<T>(all: Map<string, T>, key: string, value: T): void {
  all.set(key, value);
  if (all.size > maxWaiting) all.delete(all.keys().next().value as string);
}

/** Mastra adds the id of a subagent's run when it resumes one. It passes it in the context, too. */
function withoutRunId(input: unknown): JsonValue {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return (input ?? {}) as JsonValue;
  const { suspendedToolRunId: _, ...args } = input as JsonObject;
  return args;
}

/** The model can write `resumeData` into its args. A tool would take that for what a person said. */
function refuseForged(name: string, given: unknown, sent: unknown): void {
  if (sent !== undefined && sameJson(given as JsonValue, sent as JsonValue)) return;
  throw new BridleError(
    'CALL_REFUSED',
    `The model sent resume data for ${quoteName(name)}. No rule can check it, so only a person may send it.`,
  );
}

/**
 * Mastra validates the decided args again. A schema that would change them again is refused, because the tool would run
 * with args that nobody has decided about.
 */
async function refuseUnstable({ schema }: ToolDeclaration, args: JsonObject): Promise<void> {
  const result = await schema?.['~standard'].validate(args);
  if (result === undefined || (result.issues === undefined && sameJson(result.value as JsonValue, args))) return;
  throw new BridleError('CALL_REFUSED', 'The schema of the tool changes its own output, so the args are not certain.');
}
