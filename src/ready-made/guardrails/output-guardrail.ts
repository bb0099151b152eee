import { BridleError } from '../../kernel/errors.ts';
import { reject, retry } from '../../kernel/hooks/points/actions.ts';
import type { HookContext } from '../../kernel/hooks/points/hook-context.ts';
import type { LlmResponse } from '../../kernel/hooks/points/payloads.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { type JsonValue, isJsonObject } from '../../kernel/json.ts';
import { matchesAny, pattern, visibleText } from '../options/patterns.ts';
import { type ReadyMadeOptions, checkHookOptions, hookSettings } from '../options/ready-made-options.ts';
import { looksRandom } from '../../redact/secret-values.ts';
import { secretFormats } from '../../redact/secret-formats.ts';
import * as is from '../../kernel/shapes.ts';
import type { Shape } from '../../kernel/shapes.ts';

type Objection = string | undefined;

export interface OutputGuardrailOptions extends ReadyMadeOptions {
  /** Looks for common secrets, and for your own patterns if given. `false` turns it off. */
  readonly secrets?: boolean | readonly RegExp[] | undefined;
  /** Returns what is wrong with a response, or undefined. */
  readonly moderate?: ((response: LlmResponse, ctx: HookContext) => Objection | Promise<Objection>) | undefined;
  /** After a finding: `retry` (the default) tells the model why and lets it try again; `reject` refuses the turn. */
  readonly onFinding?: 'retry' | 'reject' | undefined;
}

/**
 * Blocks a response that contains a secret or that `moderate` objects to, before it is stored, shown or acted on.
 * Checks its text, its thinking and the arguments of its tool calls. If the check fails, the response is refused.
 */
export function outputGuardrail(options: OutputGuardrailOptions = {}): Hook {
  const shapes = { secrets: secretsShape, moderate: is.func, onFinding: is.oneOf('retry', 'reject') };
  checkHookOptions('outputGuardrail', options, { shapes });
  const { secrets = true, moderate } = options;
  if (secrets === false && moderate === undefined) {
    throw new BridleError(
      'OPTION_INVALID',
      'outputGuardrail: turn "secrets" on or set "moderate"; otherwise it shapes nothing',
    );
  }
  const isOwnSecret = matchesAny(Array.isArray(secrets) ? (secrets as readonly RegExp[]) : []);
  const secretIn = (text: string): string | undefined =>
    findSecret(visibleText(text)) ?? (isOwnSecret(text) ? 'a secret' : undefined);
  const refuse = (why: string) =>
    options.onFinding === 'reject'
      ? reject(`The answer was blocked: ${why}`)
      : retry(`Your answer was blocked: ${why}. Answer again without it.`);
  return {
    // At a reversed point the lowest priority runs last and sees the response after all other hooks.
    ...hookSettings(options, { name: 'output-guardrail', priority: 10, gate: true, failOpen: false }),
    async postLlmCall({ response }, ctx) {
      const secret = secrets === false ? undefined : first(responseTexts(response), secretIn);
      if (secret !== undefined) return refuse(`it contains what looks like ${secret}`);
      const objection: unknown = await moderate?.(response, ctx);
      if (objection === undefined) return undefined;
      if (typeof objection === 'string' && objection.trim() !== '') return refuse(objection);
      throw new BridleError('OPTION_INVALID', 'outputGuardrail: moderate must return a reason or undefined');
    },
  };
}

const secretPatterns = is.nonEmptyList(pattern);
const secretsShape: Shape<unknown> = (value, limits) =>
  Array.isArray(value) ? secretPatterns(value, limits) : is.flag(value, limits);

/** All texts, and data also as JSON, where a name is next to its value. */
function responseTexts({ text, thinking, toolCalls }: LlmResponse): readonly string[] {
  return [text, thinking, ...toolCalls.flatMap(({ args }) => [...textsIn(args), JSON.stringify(args)])];
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function first<T>(list: readonly string[], find: (text: string) => T | undefined): T | undefined {
  for (const each of list) {
    const found = find(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Assignments such as `api_key = "…"`. The value decides whether it is a secret. */
const assignment =
  /(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|passphrase|credential)s?(?:[_-](?:key|id|value))?["'`]?\s{0,4}(?:=>|[:=])\s{0,4}["'`]?([\w+/.~=-]{16,200})/gi;

/** The kind of secret a text seems to contain, if any. Every pattern runs in linear time. */
export function findSecret(text: string): string | undefined {
  const known = secretFormats.find(({ pattern }) => pattern.test(text));
  if (known !== undefined) return known.name;
  for (const [, value = ''] of text.matchAll(assignment)) {
    if (looksRandom(value)) return 'a password, key or token';
  }
  return undefined;
}
