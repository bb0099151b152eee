import { BridleError } from '../../kernel/errors.ts';
import { reject, transform } from '../../kernel/hooks/points/actions.ts';
import type { Message } from '../../kernel/hooks/points/payloads.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { mapMessageTexts } from './message-texts.ts';
import { matchesAny, pattern } from '../options/patterns.ts';
import { type ReadyMadeOptions, checkHookOptions, hookSettings } from '../options/ready-made-options.ts';
import { type PersonalDataKind, personalData } from '../personal-data/personal-data-finders.ts';
import { type Finder, maskTexts, patternFinder } from '../personal-data/text-ranges.ts';
import * as is from '../../kernel/shapes.ts';
import type { Shape } from '../../kernel/shapes.ts';

/** A custom pattern to mask, and its replacement. */
export interface MaskPattern {
  readonly label: string;
  readonly pattern: RegExp;
}

export interface RequestGuardrailOptions extends ReadyMadeOptions {
  /**
   * What to mask: `true` (the default) for all kinds of personal data, a list of kinds and custom patterns, or `false`.
   */
  readonly mask?: boolean | readonly (PersonalDataKind | MaskPattern)[] | undefined;
  /** What to block: `true` (the default) for common prompt injections, your own patterns instead, or `false`. */
  readonly block?: boolean | readonly RegExp[] | undefined;
  /** For a blocked tool result: `reject` (the default) refuses the request; `remove` replaces its text. */
  readonly toolResults?: 'reject' | 'remove' | undefined;
  /** The reason given to the caller of a blocked request. */
  readonly reason?: string | undefined;
}

/**
 * Masks personal data in every message to a model, and refuses requests in which a user or a tool attempts a prompt
 * injection. It runs after the other hooks. If it cannot mask, the request is refused.
 */
export function requestGuardrail(options: RequestGuardrailOptions = {}): Hook {
  const shapes = {
    mask: listOrFlag(maskItems),
    block: listOrFlag(is.nonEmptyList(pattern)),
    toolResults: is.oneOf('reject', 'remove'),
    reason: is.nonEmptyText,
  };
  checkHookOptions('requestGuardrail', options, { shapes });
  const { mask = true, block = true, reason = 'Request blocked: it looks like a prompt injection' } = options;
  if (mask === false && block === false) {
    throw new BridleError('OPTION_INVALID', 'requestGuardrail: turn "mask" or "block" on; otherwise it shapes nothing');
  }
  const finders = findersOf(mask);
  const isBlocked = block === false ? () => false : matchesAny(block === true ? injectionPatterns : block);
  const isRemoved = ({ role }: Message): boolean => role === 'tool' && options.toolResults === 'remove';
  return {
    ...hookSettings(options, { name: 'request-guardrail', priority: 1000, gate: true, failOpen: false }),
    preLlmCall(request) {
      const { messages } = request;
      const cleaned = messages.map((message) => (isRemoved(message) ? withoutBlocked(message, isBlocked) : message));
      if (cleaned.some((message) => containsBlocked(message, isBlocked))) return reject(reason);
      const masked = cleaned.map((message) => mapMessageTexts(message, (texts) => maskTexts(texts, finders)));
      const changed = masked.some((message, index) => message !== messages[index]);
      return changed ? transform({ ...request, messages: masked }) : undefined;
    },
  };
}

/** Checks user and tool messages only: system messages may give orders, and the model's own text is not an order. */
function containsBlocked(message: Message, isBlocked: (text: string) => boolean): boolean {
  if (message.role !== 'user' && message.role !== 'tool') return false;
  let found = false;
  mapMessageTexts(message, (texts) => {
    found ||= isAnyBlocked(texts, isBlocked);
    return texts;
  });
  return found;
}

function withoutBlocked(message: Message, isBlocked: (text: string) => boolean): Message {
  const note = '[removed: it looked like a prompt injection]';
  return mapMessageTexts(message, (texts) => (isAnyBlocked(texts, isBlocked) ? texts.map(() => note) : texts));
}

function isAnyBlocked(texts: readonly string[], isBlocked: (text: string) => boolean): boolean {
  return texts.some(isBlocked) || (texts.length > 1 && isBlocked(texts.join('')));
}

function findersOf(mask: Exclude<RequestGuardrailOptions['mask'], undefined>): readonly Finder[] {
  if (mask === false) return [];
  if (mask === true) return Object.values(personalData);
  const kinds = Object.entries(personalData).filter(([kind]) => mask.includes(kind as PersonalDataKind));
  const own = mask.filter((each) => typeof each !== 'string');
  return [...kinds.map(([, finder]) => finder), ...own.map(({ label, pattern }) => patternFinder(label, pattern))];
}

const dataKind = is.oneOf(...(Object.keys(personalData) as PersonalDataKind[]));
const maskPattern = is.record<MaskPattern>({ label: is.nonEmptyText, pattern }, { open: true });
const maskItems = is.nonEmptyList<PersonalDataKind | MaskPattern>((value, limits) =>
  typeof value === 'string' ? dataKind(value, limits) : maskPattern(value, limits),
);
const listOrFlag =
  (items: Shape<unknown>): Shape<unknown> =>
  (value, limits) =>
    Array.isArray(value) ? items(value, limits) : is.flag(value, limits);

const gap = String.raw`[\s"'*_-]{1,8}`;
const filler = `(?:(?:the|of|my|these|those|any)${gap}){0,2}`;
const which = '(?:all|every|any|your|previous|prior|above|earlier|preceding|former|system|safety)';
const orders = '(?:instruction|prompt|rule|message|direction|guideline|directive|command|polic(?:y|ie))s?';

/** Phrases of prompt injection. All patterns are bounded, so long texts stay fast. */
const injectionPatterns: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:ignore|disregard|forget|override|bypass)${gap}${filler}${which}${gap}${filler}(?:${which}${gap}){0,3}${orders}\b`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:reveal|print|show|repeat|output|display|leak)${gap}(?:me${gap})?(?:your|the)${gap}(?:(?:hidden|full|secret|original|initial)${gap}){0,2}system${gap}(?:prompt|message|instructions?)\b`,
    'i',
  ),
  new RegExp(
    String.raw`\byou${gap}are${gap}now${gap}(?:in${gap})?(?:a${gap}|an${gap})?(?:dan|jailbroken|unrestricted|unfiltered|developer${gap}mode|god${gap}mode)\b`,
    'i',
  ),
  new RegExp(String.raw`\b(?:do${gap}anything${gap}now|developer${gap}mode${gap}(?:enabled|on))\b`, 'i'),
  // Role markers of model templates.
  /<\|(?:im_start|im_end|system|assistant|endoftext|start_header_id|eot_id)\|>|<<SYS>>|\[\/?INST\]/i,
];
