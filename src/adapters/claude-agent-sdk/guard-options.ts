/**
 * Guards the options of `query()`: one hook for each event of Claude Code, the program's `canUseTool`, and the handlers of
 * in-process tools. Hooks of one event run at the same time, so the program's own hooks wait for Bridle's decision.
 */

import { messageOf } from '../../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { reasonText } from '../../hosts/reason-text.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { checkVersion } from '../installed-version.ts';
import { readAnswer } from './ask-user.ts';
import { agentOf, ClaudeEvents, turnOf } from './claude-event.ts';
import {
  builtinsOf,
  type ClaudeOptions,
  type Fields,
  type GuardSettings,
  type Hook,
  type HookContext,
  type HookMatcher,
  type HookPayload,
  hookSettings,
  type Prompt,
  refuseUnguardable,
} from './claude-options.ts';
import { guardHandler, ownToolsOf } from './in-process-tools.ts';
import { frameworkName, ToolCalls, type Verdict } from './tool-calls.ts';

const testedVersions = { name: '@anthropic-ai/claude-agent-sdk', versions: ['0.3.325'] };
const points = ['preTurn', 'postTurn', 'preToolCall', 'postToolCall', 'onToolError'] as const;
/** Seconds. A hook that takes longer refuses the call; a person may need days to answer. */
const hookTimeout = 7 * 24 * 60 * 60;
const noUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheCreationTokens: 0 };

/**
 * Returns the same options, guarded: `query({ prompt, options: guardOptions(guard, { … }) })`. `Expected` is the type that
 * `query` expects, so that TypeScript checks the options as without Bridle.
 */
export function guardOptions<Expected, Given extends ClaudeOptions = ClaudeOptions>(
  guard: FrameworkGuard,
  options: NoInfer<Expected> & Given,
  guardSettings: GuardSettings = {},
): unknown extends Expected ? Given : Expected {
  checkVersion(testedVersions);
  refuseUnguardable(options);
  const settings = hookSettings(options.settings, guardSettings);
  const own = ownToolsOf(options);
  const builtins = builtinsOf(options, new Set(own.map(({ name }) => name)));
  const declared = guard.attach({ framework: frameworkName, points, tools: [...own, ...builtins] });
  guard.checkHooks(frameworkName);
  const ownTools = new Map(own.map(({ fullName }, index) => [fullName, declared[index] as ToolDeclaration]));
  const prompt = options.canUseTool as Prompt | undefined;
  const calls = new ToolCalls(guard, new ClaudeEvents(guard, options, ownTools), prompt);
  for (const tool of own) guardHandler(tool, (served) => calls.serve(served));
  const hooks = new GuardedHooks(guard, calls);
  return {
    ...options,
    settings,
    // Otherwise a resumed session may run a deferred call before it knows the hooks.
    extraArgs: { ...options.extraArgs, 'await-initialize': null },
    hooks: hooks.around(options.hooks ?? {}),
    ...(prompt && { canUseTool: hooks.guardPrompt(prompt) }),
  };
}

/** A decision about a call, which several hooks of the same event wait for. */
interface Decision {
  readonly verdict: Promise<Verdict>;
  isAnswered: boolean;
}

class GuardedHooks {
  private readonly decisions = new Map<string, Decision>();
  private readonly results = new Map<string, Promise<Fields>>();

  constructor(
    private readonly guard: FrameworkGuard,
    private readonly calls: ToolCalls,
  ) {}

  /** The hooks of the program, with Bridle's before them. */
  around(given: NonNullable<ClaudeOptions['hooks']>): { readonly [event: string]: readonly HookMatcher[] } {
    const own: Readonly<Record<string, Hook>> = {
      PreToolUse: (input, _id, context) => this.decide(input, context),
      PostToolUse: (input) => this.settle(input),
      PostToolUseFailure: (input) => this.fail(input),
      UserPromptSubmit: (input) => this.startTurn(input),
      Stop: (input) => this.endTurn(input),
    };
    const wraps: Readonly<Record<string, (hook: Hook) => Hook>> = {
      PreToolUse: (hook) => (input, id, context) => this.afterDecision(hook, input, { id, ...context }),
      PostToolUse: (hook) => (input, id, context) => this.afterResult(hook, input, { id, ...context }),
      PermissionRequest: (hook) => (input, id, context) => this.answerRequest(hook, input, { id, ...context }),
    };
    const guarded = Object.entries(given).map(([event, matchers = []]) => {
      const wrap = wraps[event];
      const wrapped = matchers.map((each) => ({
        ...each,
        hooks: each.hooks.map((hook) => wrap?.(hook as Hook) ?? hook),
      }));
      return [event, wrapped] as const;
    });
    const added = Object.entries(own).map(([event, hook]) => {
      const first: HookMatcher = { hooks: [hook], onFailure: 'block', timeout: hookTimeout };
      return [event, [first, ...(guarded.find(([name]) => name === event)?.[1] ?? [])]] as const;
    });
    return { ...Object.fromEntries(guarded), ...Object.fromEntries(added) };
  }

  /** Claude Code itself wants to ask the user. What the user changes is decided again. */
  guardPrompt(prompt: Prompt): Prompt {
    return async (tool, input, context) => {
      const { toolUseID, signal, mcpServer, agentID } = context as Fields & HookContext;
      const id = toolUseID as string;
      const given = (await prompt(tool, input, context)) as Fields;
      return this.review(
        id,
        { tool_name: tool, tool_input: input, mcp_server: mcpServer, agent_id: agentID } as JsonObject,
        { given, signal },
      );
    };
  }

  private async decide(input: HookPayload, context: HookContext): Promise<Fields> {
    const decision = this.decision(input, context, true);
    return answerOf(await decision.verdict, input.tool_input);
  }

  /** The current decision about a call. Hooks of the program may be called before Bridle's. */
  private decision(input: HookPayload, context: HookContext, answers: boolean): Decision {
    const id = input.tool_use_id;
    const known = this.decisions.get(id);
    if (known !== undefined && !(answers && known.isAnswered)) {
      known.isAnswered ||= answers;
      return known;
    }
    const decision = { verdict: this.calls.decide(input, context), isAnswered: answers };
    remember(this.decisions, id, decision);
    return decision;
  }

  /** A hook of the program sees the call as it will run, if it may run. */
  private async afterDecision(
    hook: Hook,
    input: HookPayload,
    context: HookContext & { readonly id: string | undefined },
  ): Promise<Fields> {
    const verdict = await this.decision(input, context, false).verdict;
    if (verdict.type !== 'runs') return {};
    // Bridle's answer is sent first: of two changes, the later one counts.
    await new Promise((resolve) => setImmediate(resolve));
    const id = input.tool_use_id;
    const output = (await hook({ ...input, tool_input: verdict.input }, context.id, context)) ?? {};
    const specific = (output['hookSpecificOutput'] ?? {}) as Fields;
    const { permissionDecision: decision, updatedInput } = specific;
    if (decision === 'deny' || decision === 'defer' || output['decision'] === 'block')
      this.calls.drop(id, 'A hook of the program refused the call.');
    else if (updatedInput !== undefined) {
      const again = await this.calls.decideAgain(id, updatedInput as JsonObject, context);
      if (again.type !== 'runs') return answerOf(again, null);
      return { ...output, hookSpecificOutput: { ...specific, updatedInput: again.input } };
    }
    return output;
  }

  /** The program's answer to a prompt of Claude Code. */
  private async review(
    id: string,
    payload: JsonObject,
    { given, signal }: { readonly given: Fields } & HookContext,
  ): Promise<Fields> {
    const asked = payload['tool_input'] as JsonObject;
    const answer = readAnswer(given, asked);
    if (answer.type === 'deny') {
      this.calls.drop(id, 'The user refused the call.');
      return given;
    }
    const known = this.calls.find(id);
    const input = answer.input ?? asked;
    if (known !== undefined && JSON.stringify(known.input) === JSON.stringify(input)) return given;
    const again =
      known === undefined
        ? await this.calls.decideUnreported(id, { ...payload, tool_input: input }, { signal, answer })
        : await this.calls.decideAgain(id, input, { signal });
    if (again.type === 'runs') return { ...given, updatedInput: again.input };
    return { behavior: 'deny', message: again.reason };
  }

  /** A hook of the program that answers prompts of Claude Code in place of the user. */
  private async answerRequest(
    hook: Hook,
    input: HookPayload,
    context: HookContext & { readonly id: string | undefined },
  ): Promise<Fields> {
    const output = (await hook(input, context.id, context)) ?? {};
    const specific = output['hookSpecificOutput'] as Fields | undefined;
    const given = specific?.['decision'] as Fields | undefined;
    if (given?.['updatedInput'] === undefined || given['behavior'] !== 'allow') return output;
    const known = this.calls.find(undefined, input.tool_name, input.tool_input);
    const decision =
      known === undefined
        ? { behavior: 'deny', message: 'The call that the hook changed is not known.' }
        : await this.review(known.id, input, { given, signal: context.signal });
    return { ...output, hookSpecificOutput: { ...specific, decision } };
  }

  /** It never throws: then the model would see the result as it is. */
  private settle(input: HookPayload): Promise<Fields> {
    const id = input.tool_use_id;
    const settled = this.calls.settle(input, input.tool_response ?? null).then(
      (changed): Fields => {
        if (changed === undefined) return {};
        if (changed.output === undefined)
          return stop('A hook changed the result of the tool, which Claude Code cannot do.');
        return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: changed.output } };
      },
      (error: unknown) => stop(`Bridle stopped the run: ${messageOf(error)}`),
    );
    remember(this.results, id, settled);
    return settled;
  }

  /** A hook of the program cannot undo what Bridle changed in a result. */
  private async afterResult(
    hook: Hook,
    input: HookPayload,
    context: HookContext & { readonly id: string | undefined },
  ): Promise<Fields> {
    const output = (await hook(input, context.id, context)) ?? {};
    const own = await this.results.get(input.tool_use_id);
    const specific = output['hookSpecificOutput'] as Fields | undefined;
    if (specific === undefined || own?.['hookSpecificOutput'] === undefined) return output;
    const { updatedToolOutput: _output, updatedMCPToolOutput: _mcpOutput, ...kept } = specific;
    return { ...output, hookSpecificOutput: kept };
  }

  private async fail(input: HookPayload): Promise<Fields> {
    const text = await this.calls.fail(input).catch((error: unknown) => error as Error);
    if (text instanceof Error) return stop(`Bridle stopped the run: ${text.message}`);
    if (text === undefined) return {};
    return { hookSpecificOutput: { hookEventName: 'PostToolUseFailure', additionalContext: text } };
  }

  /** Starts the session, if it is new, and a turn. The prompt is empty when a session goes on after a pause. */
  private async startTurn(input: HookPayload): Promise<Fields> {
    try {
      const session = await this.guard.session(frameworkName, input.session_id);
      const text = input.prompt;
      if (text.trim() === '') return {};
      const entered = await session.turn({ turn: turnOf(input), agent: agentOf(input) }).enter(text);
      if (entered.type === 'rejected') return { decision: 'block', reason: reasonText(entered.reason) };
      if (entered.prompt.text === text) return {};
      return { decision: 'block', reason: 'A hook changes the prompt, which the Claude Agent SDK cannot do.' };
    } catch (error) {
      return { decision: 'block', reason: reasonText(messageOf(error)) };
    }
  }

  private async endTurn(input: HookPayload): Promise<Fields> {
    const id = input.session_id;
    this.calls.endTurn(id);
    const turn = (await this.guard.session(frameworkName, id)).turn({ turn: turnOf(input), agent: agentOf(input) });
    const text = input.last_assistant_message ?? '';
    const output = { text, thinking: '', steps: 1, usage: noUsage, stopReason: 'stop' };
    await turn.dispatch('postTurn', { input: { text: '', media: [] }, output });
    return {};
  }
}

/** The answer to the hook. Without an opinion, the permissions of Claude Code apply as before. */
function answerOf(verdict: Verdict, given: JsonValue): Fields {
  const hookEventName = 'PreToolUse';
  if (verdict.type === 'runs') {
    const isChanged = JSON.stringify(verdict.input) !== JSON.stringify(given);
    const allow = verdict.by === 'user' ? { permissionDecision: 'allow' } : {};
    if (!isChanged && verdict.by === undefined) return {};
    return { hookSpecificOutput: { hookEventName, ...allow, ...(isChanged && { updatedInput: verdict.input }) } };
  }
  const permissionDecision = verdict.type === 'deferred' ? 'defer' : 'deny';
  const answer = {
    hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason: verdict.reason },
  };
  return verdict.type === 'refused' && verdict.stops === true ? { ...answer, ...stop(verdict.reason) } : answer;
}

/** Ends the run before the model sees a result. */
function stop(reason: string): Fields {
  return { continue: false, stopReason: reasonText(reason) };
}

function remember<T>(map: Map<string, T>, id: string, value: T): void {
  map.delete(id);
  map.set(id, value);
  if (map.size > 1000) map.delete(map.keys().next().value as string);
}
