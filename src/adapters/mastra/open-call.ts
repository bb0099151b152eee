/** One call of a tool that may pause by itself, such as a subagent whose tool asks. It stays one call until it ends. */

import { BridleError } from '../../kernel/errors.ts';
import type { RunContext } from '../../kernel/guard/calls/run-tool.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import { isPromise } from '../../kernel/maybe-promise.ts';
import type { StandardSchema, ToolDeclaration } from '../../kernel/tool.ts';
import type { DecidedCall, EndedCall, ToolRun } from '../decided-call.ts';
import { sameData } from '../same-data.ts';
import type { Execute, ToolContext } from './agent-parts.ts';
import { type AgentRun, inRun } from './agent-run.ts';

/** A tool in a run. */
export interface RunTool {
  readonly run: AgentRun;
  /** As the model calls it. */
  readonly name: string;
  readonly tool: ToolDeclaration;
  readonly execute: Execute;
}

interface Attempt {
  readonly context: ToolContext;
  readonly resumeData: unknown;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type SchemaResult = Awaited<ReturnType<StandardSchema['~standard']['validate']>>;

export class OpenCall {
  /** True if the guard waits no longer, perhaps because of a time limit. */
  isEnded = false;
  /** The args that were decided. */
  private args: JsonObject = {};
  /** Its signal is aborted when the guard waits no longer. */
  private granted: Pick<RunContext, 'signal'> | undefined;
  /** The guard waits for the result of the tool, however often it pauses. */
  private guard: Waiting | undefined;
  /** Mastra waits for the end of the call, or for its next pause. */
  private mastra!: Waiting;

  constructor(
    private readonly called: RunTool,
    readonly input: JsonValue,
    private readonly onPause: () => void,
  ) {}

  /** Runs the tool. */
  start(decided: Extract<DecidedCall, { type: 'runs' }>, { context, resumeData }: Attempt): Promise<unknown> {
    return this.untilPause(() => {
      const run: ToolRun = (args, granted) =>
        new Promise((resolve, reject) => {
          this.args = args;
          this.granted = granted;
          this.guard = { resolve, reject };
          void this.attempt({ context: { ...context, abortSignal: granted.signal }, resumeData });
        });
      const onFailed = (error: unknown): void => this.end({ thrown: error, value: undefined });
      decided.run(run, context.abortSignal).then((ended) => this.end(ended), onFailed);
    });
  }

  /** Continues the tool after a pause. */
  resume({ context, resumeData }: Attempt): Promise<unknown> {
    const signals = [context.abortSignal, this.granted?.signal].filter((signal) => signal !== undefined);
    const abortSignal = AbortSignal.any(signals);
    return this.untilPause(() => void this.attempt({ context: { ...context, abortSignal }, resumeData }));
  }

  abandon(reason: string): void {
    if (!this.isEnded) this.guard?.reject(new BridleError('CALL_REFUSED', reason));
  }

  private untilPause(work: () => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.mastra = { resolve, reject };
      work();
    });
  }

  private end({ thrown, value }: Pick<EndedCall, 'thrown' | 'value'>): void {
    this.isEnded = true;
    if (thrown === undefined) this.mastra.resolve(value);
    else this.mastra.reject(thrown);
  }

  /** Runs the tool as Mastra would. */
  private async attempt({ context, resumeData }: Attempt): Promise<void> {
    const { run, tool, execute } = this.called;
    const { args } = this;
    const at = context.agent ?? context;
    let isPaused = false;
    const suspend = (payload: unknown, options?: unknown): unknown => {
      isPaused = true;
      return at.suspend?.(payload, options);
    };
    const agent = context.agent && { agent: { ...context.agent, resumeData, suspend } };
    try {
      const checked = tool.schema?.['~standard'].validate(args);
      refuseUnstable(isPromise(checked) ? await checked : checked, args);
      const value = await inRun(run, 'tool', () => execute(args, { ...context, resumeData, suspend, ...agent }));
      this.waiting(isPaused)?.resolve(value);
    } catch (error) {
      // Mastra may start a tool early, and stops it with an error when it pauses.
      this.waiting(isPaused)?.reject(error);
    }
  }

  private waiting(isPaused: boolean): Waiting | undefined {
    if (isPaused && !this.isEnded) this.onPause();
    return isPaused ? this.mastra : this.guard;
  }
}

/**
 * Mastra validates the decided args again. A schema that would change them again is refused, because the tool would run
 * with args that nobody has decided about.
 */
function refuseUnstable(checked: SchemaResult | undefined, args: JsonObject): void {
  if (checked === undefined || (checked.issues === undefined && sameData(checked.value, args))) return;
  throw new BridleError('CALL_REFUSED', 'The schema of the tool changes its own output, so the args are not certain.');
}
