import { BridleError } from '../errors.ts';
import { reject, transform } from '../hooks/actions.ts';
import type { Hook } from '../hooks/hook.ts';
import type { Message } from '../hooks/payloads.ts';
import { injectionPatterns } from './injection.ts';
import { mapMessage } from './message-texts.ts';
import { isPattern, matchesAny } from './pattern.ts';
import { personalData, type PersonalDataKind } from './personal-data.ts';
import { type Finder, maskRun, patternFinder } from './spans.ts';
import {
  type Check,
  checkOptions,
  flag,
  hookOptions,
  listOf,
  oneOf,
  type StockOptions,
  words,
} from './stock-options.ts';

/** Something of your own to mask, and what stands in its place. */
export interface MaskPattern {
  readonly label: string;
  readonly pattern: RegExp;
}

export interface RequestGuardrailOptions extends StockOptions {
  /** What is masked: all kinds of personal data if not given, some of them, patterns of yours, or nothing. */
  readonly mask?: boolean | readonly (PersonalDataKind | MaskPattern)[] | undefined;
  /** What refuses the request: the usual phrases of prompt injection if not given, patterns of yours instead, or nothing. */
  readonly block?: boolean | readonly RegExp[] | undefined;
  /** What a tool's result that is blocked does: it refuses the request, or its text is taken out. `reject` if not given. */
  readonly toolResults?: 'reject' | 'remove' | undefined;
  /** What the caller is told of a blocked request. */
  readonly reason?: string | undefined;
}

/**
 * Masks personal data in every message a model would get and refuses requests in which a user or a tool tries to give
 * it other orders. It comes after the other hooks; where it cannot mask, the request is refused.
 */
export function requestGuardrail(options: RequestGuardrailOptions = {}): Hook {
  const checks = { mask: isMask, block: isBlock, toolResults: oneOf('reject', 'remove'), reason: words };
  checkOptions('requestGuardrail', options, { checks });
  const { mask = true, block = true, reason = 'Request blocked: it looks like a prompt injection' } = options;
  if (mask === false && block === false) {
    throw new BridleError('OPTION_INVALID', 'requestGuardrail: with "mask" and "block" off it guards nothing');
  }
  const finders = findersOf(mask);
  const isBlocked = block === false ? () => false : matchesAny(block === true ? injectionPatterns : block);
  const isRemoved = ({ role }: Message): boolean => role === 'tool' && options.toolResults === 'remove';
  return {
    ...hookOptions(options, { name: 'request-guardrail', priority: 1000, gate: true, failOpen: false }),
    preLlmCall(request) {
      const { messages } = request;
      const cleaned = messages.map((message) => (isRemoved(message) ? withoutBlocked(message, isBlocked) : message));
      if (cleaned.some((message) => holds(message, isBlocked))) return reject(reason);
      const masked = cleaned.map((message) => mapMessage(message, (texts) => maskRun(texts, finders)));
      const changed = masked.some((message, index) => message !== messages[index]);
      return changed ? transform({ ...request, messages: masked }) : undefined;
    },
  };
}

/** Orders are expected from the system, and the model's own words are no orders. */
function holds(message: Message, isBlocked: (text: string) => boolean): boolean {
  if (message.role !== 'user' && message.role !== 'tool') return false;
  let found = false;
  mapMessage(message, (texts) => {
    found ||= isAnyBlocked(texts, isBlocked);
    return texts;
  });
  return found;
}

function withoutBlocked(message: Message, isBlocked: (text: string) => boolean): Message {
  const note = '[taken out: it looked like a prompt injection]';
  return mapMessage(message, (texts) => (isAnyBlocked(texts, isBlocked) ? texts.map(() => note) : texts));
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

const isMaskItem: Check = (value) => {
  const names = Object.keys(personalData);
  if (typeof value === 'string') return names.includes(value) ? undefined : `is none of ${names.join(', ')}`;
  const { label, pattern } = (value ?? {}) as Partial<MaskPattern>;
  return words(label) === undefined && isPattern(pattern) === undefined ? undefined : 'is no { label, pattern }';
};

const isMask: Check = (value) => (Array.isArray(value) ? listOf(isMaskItem)(value) : flag(value));
const isBlock: Check = (value) => (Array.isArray(value) ? listOf(isPattern)(value) : flag(value));
