import type { Mask } from '../../kernel/approval.ts';
import { messageOf } from '../../kernel/errors.ts';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import { pairText } from '../../kernel/names.ts';
import type { HookContext } from '../../kernel/hooks/points/hook-context.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { type PointPayloads, type PointName, pointNames } from '../../kernel/hooks/points/points.ts';
import { cutText } from '../../kernel/json.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import { awaitWrite } from '../options/await-write.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

export interface LoggingOptions extends ReadyMadeOptions {
  /** Writes one line, without the line break. Default: standard error. */
  readonly write?: ((line: string) => void | Promise<void>) | undefined;
  /** The points to log. Default: all. */
  readonly points?: readonly PointName[] | undefined;
  /** Masks secrets in errors and reasons. Default: `maskSecrets()`. */
  readonly mask?: Mask | undefined;
}

const longest = 500;

/** The text for each point: sizes, names and reasons, never the contents of prompts, answers or arguments. */
const describers: { readonly [P in PointName]: (payload: PointPayloads[P]) => string | undefined } = {
  onSessionStart: ({ host, resumed }) => `on ${host}${resumed ? ', resumed' : ''}`,
  onSessionEnd: ({ reason }) => reason,
  preTurn: ({ prompt, origin }) => `from ${origin}, ${prompt.text.length} characters, ${prompt.media.length} media`,
  postTurn: ({ output }) => `${output.stopReason}, ${output.text.length} characters, ${output.steps} steps`,
  onTurnError: ({ error }) => messageOf(error),
  preLlmCall: ({ messages, tools }) => `${messages.length} messages, ${tools.length} tools`,
  postLlmCall: ({ response }) =>
    `${response.model}, ${response.text.length} characters, ${response.toolCalls.length} tool calls`,
  onLlmError: ({ model, attempt, error }) => `${model}, attempt ${attempt}: ${messageOf(error)}`,
  preToolCall: ({ call }) => pairText(call.server, call.tool),
  postToolCall: ({ call, outcome, elapsedMs }) =>
    `${pairText(call.server, call.tool)}: ${outcome.type} in ${Math.round(elapsedMs)} ms`,
  onToolError: ({ error }) => `${pairText(error.server, error.tool)}: ${error.message}`,
  onInteraction: ({ questions }) => `${questions.length} questions`,
  preCompaction: ({ messages, budget }) => `${messages.length} messages, ${budget.used} of ${budget.tokens} tokens`,
  postCompaction: ({ removed, tokensBefore, tokensAfter }) =>
    `${removed} removed, ${tokensBefore} to ${tokensAfter} tokens`,
  onEvent: describeEvent,
};

/**
 * Writes one line for each point and for each event, except pieces of streamed text. It only observes: it runs after
 * the other hooks of a point, and if `write` fails or hangs, that is reported and has no other effect.
 */
export function logging(options: LoggingOptions = {}): Hook {
  const shapes = { write: is.func, points: is.nonEmptyList(is.oneOf(...pointNames)), mask: is.func };
  checkHookOptions('logging', options, { shapes });
  const { write = toStandardError, points = pointNames, mask = maskSecrets() } = options;
  const methods = points.map((point) => {
    const describe = describers[point] as (payload: unknown) => string | undefined;
    const method = (payload: unknown, ctx: HookContext): void | Promise<void> => {
      // Masked together with the args of the call, because an error may repeat a value from them.
      const [text] = mask([describe(payload), (payload as { call?: { args?: unknown } }).call?.args] as const);
      return text === undefined ? undefined : awaitWrite(write(lineOf(point, text, ctx)));
    };
    return [point, method] as const;
  });
  const settings = hookSettings(options, { name: 'logging', observes: true });
  return { ...settings, ...(Object.fromEntries(methods) as Partial<Hook>) };
}

function describeEvent(event: BridleEvent): string | undefined {
  switch (event.type) {
    case 'text_delta':
    case 'thinking_delta':
      return undefined;
    case 'tool_denied':
      return `${event.type} ${pairText(event.server, event.tool)}: ${event.reason}`;
    case 'hook_failed':
      return `${event.type} ${event.hook} at ${event.point}: ${event.message}`;
    case 'custom':
      return `${event.type} ${event.name}`;
    default:
      return 'tool' in event ? `${event.type} ${pairText(event.server, event.tool)}` : event.type;
  }
}

/** Always one line: a name or an error text cannot start another. */
function lineOf(point: PointName, text: string, ctx: HookContext): string {
  const place = `[${ctx.sessionId} ${ctx.agent.join('/')} ${ctx.turnNumber}.${ctx.stepNumber}]`;
  const line = `${place} ${point}${text === '' ? '' : ` ${cutText(text, longest)}`}`;
  return makeVisible(line).replaceAll('\n', ' ');
}

function toStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}
