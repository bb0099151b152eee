/**
 * Refuses a hook with a method whose name looks like a point but is not one, such as the names that other systems use for
 * the points: it would never be called, so a gate written that way would let everything pass. The error suggests the point.
 */

import { isRecord } from '../../shapes.ts';
import { BridleError } from '../../errors.ts';
import { getOrCreate } from '../../lazy.ts';
import { closestName, editDistance } from '../../similar-names.ts';
import { type PointName, pointNames, points } from '../points/points.ts';

/** No class has this many ancestors, but a proxy may pretend to. */
const maxAncestors = 1000;

/** Checks own and inherited methods. Accessors are read only if their name is suspicious. */
export function refuseMisnamedMethods(hook: object, name: string, options: readonly string[]): void {
  for (const [member, descriptor] of membersOf(hook)) {
    const isData = !('get' in descriptor);
    if (isData && !isCallable(descriptor.value)) continue;
    const text = typeof member === 'symbol' ? (member.description ?? '') : member;
    if (member === text && isPoint(text)) continue;
    // `_gate` is a common name for a private helper.
    const option = options.find(
      (each) => each !== text && foldPointName(each) === foldPointName(text) && /^[a-z]/i.test(text),
    );
    if (option !== undefined) {
      const unknown = `hook "${name}": "${text}" is not known; did you mean "${option}"?`;
      throw new BridleError('HOOK_OPTION_INVALID', unknown);
    }
    const meant = text.toLowerCase() === 'run' ? meantByClass(hook) : likelyPoints(text);
    if (meant === undefined || !(isData || givesMethod(hook, member))) continue;
    const never = `hook "${name}" has a method "${text}", which is not a point and would never be called`;
    throw new BridleError('HOOK_POINT_MISSPELLED', `${never}; ${advice(meant)}`);
  }
}

function isPoint(name: string): name is PointName {
  return Object.hasOwn(points, name);
}

function advice(meant: readonly PointName[]): string {
  if (meant.length === 0) {
    return `name it after a point (${pointNames.join(', ')}), or rename it if it is a helper of your own`;
  }
  return `did you mean ${meant.map((point) => `"${point}"`).join(' or ')}? If it is a helper of your own, rename it`;
}

/** Every member with its descriptor, own members first. Overridden members are skipped. */
function* membersOf(hook: object): Generator<readonly [member: string | symbol, descriptor: PropertyDescriptor]> {
  const seen = new Set<string | symbol>();
  for (const at of ancestry(hook)) {
    for (const member of Reflect.ownKeys(at)) {
      const descriptor = seen.has(member) ? undefined : Object.getOwnPropertyDescriptor(at, member);
      seen.add(member);
      if (descriptor !== undefined) yield [member, descriptor];
    }
  }
}

function ancestry(hook: object): readonly object[] {
  const found: object[] = [];
  for (let at: object | null = hook; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    if (found.length >= maxAncestors) throw new BridleError('HOOK_INVALID', 'the prototypes of a hook do not end');
    found.push(at);
  }
  return found;
}

/** An accessor that throws might return a method, so it counts as one. */
function givesMethod(hook: object, accessor: string | symbol): boolean {
  try {
    return isCallable(Reflect.get(hook, accessor));
  } catch {
    return true;
  }
}

/** A function, or a list of functions or matchers as in some other systems. */
function isCallable(value: unknown): boolean {
  if (!Array.isArray(value)) return typeof value === 'function';
  return value.some((each) => typeof each === 'function' || (isRecord(each) && 'hooks' in each));
}

/** For a method `run`, the class name shows the intended point: `class Gate extends PreToolCallDecideHook`. */
function meantByClass(hook: object): readonly PointName[] {
  for (const at of ancestry(hook)) {
    const made: unknown = Object.getOwnPropertyDescriptor(at, 'constructor')?.value;
    const name: unknown = typeof made === 'function' ? Object.getOwnPropertyDescriptor(made, 'name')?.value : undefined;
    const meant = typeof name === 'string' ? pointsNamed(name) : undefined;
    if (meant !== undefined) return meant;
  }
  return [];
}

/** Names in other systems, in camel case, of each point. Other spellings are recognised too. */
const foreignNames: Readonly<Partial<Record<PointName, readonly string[]>>> = {
  onSessionStart: ['sessionStart'],
  onSessionEnd: ['sessionEnd'],
  preTurn: ['preTurnContext'],
  postTurn: ['postTurnObserve'],
  preLlmCall: ['preLlmRequest', 'preStep'],
  postLlmCall: ['onLlmResponse', 'postStep'],
  preToolCall: ['preTool', 'preToolUse', 'onToolCall', 'onAmbiguousMigration'],
  postToolCall: ['postTool', 'postToolUse'],
  onTurnError: ['onError'],
  onLlmError: ['onError'],
  onToolError: ['onError', 'postToolUseFailure'],
  preCompaction: ['preCompact', 'onContextCompact'],
  postCompaction: ['postCompact', 'onCompaction'],
  onEvent: ['preStep', 'postStep'],
};

/** A name in lower case and without separators. */
const foldPointName = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase();

/** The points for each folded name, including the names of the points themselves. */
const known = new Map<string, PointName[]>();
for (const point of pointNames)
  for (const name of [point, ...(foreignNames[point] ?? [])])
    getOrCreate(known, foldPointName(name), () => []).push(point);

/** Looks a name up in the table, also without what some systems add: `onPostTool`, `PreToolCallDecideHook`. */
function pointsNamed(name: string): readonly PointName[] | undefined {
  const folded = foldPointName(name);
  return known.get(folded) ?? known.get(folded.replace(/(?:decide)?(?:hook)?$/, '').replace(/^on(?=pre|post)/, ''));
}

/**
 * Finds the points that a method name was meant to be: another system's name, or a point in another spelling, with a typo
 * or cut short. Returns an empty list if the name starts like a point but is near none, and undefined for other methods.
 */
function likelyPoints(name: string): readonly PointName[] | undefined {
  const called = pointsNamed(name) ?? misspelledPoint(name);
  if (called !== undefined) return called;
  if (!beginsLikePoint(name)) return undefined;
  const folded = foldPointName(name);
  const about = subjects.find(([subject]) => subject.test(folded));
  if (about !== undefined) return [about[1][phaseOf(folded)]];
  const near = closestName(folded, known.keys());
  return near === undefined ? [] : known.get(near);
}

/** Subjects of method names, each with the points before it, after it and on its failure. */
const subjects: readonly (readonly [subject: RegExp, points: readonly [PointName, PointName, PointName]])[] = [
  [/tool|permission/, ['preToolCall', 'postToolCall', 'onToolError']],
  [/llm|model|request|response/, ['preLlmCall', 'postLlmCall', 'onLlmError']],
  [/compact|compress/, ['preCompaction', 'postCompaction', 'postCompaction']],
  [/session/, ['onSessionStart', 'onSessionEnd', 'onSessionEnd']],
  [/turn|prompt|message|agent|run|invocation/, ['preTurn', 'postTurn', 'onTurnError']],
];

function phaseOf(folded: string): 0 | 1 | 2 {
  if (/error|fail|exception/.test(folded)) return 2;
  return /^(?:on)?post|result|response|end|finish|complete|stop/.test(folded) ? 1 : 0;
}

/** Ordinary first words that differ from on, pre or post by one letter. */
const otherWords: readonly string[] = ['an', 'cost', 'host', 'in', 'lost', 'most', 'one', 'prev'];

function misspelledPoint(name: string): readonly PointName[] | undefined {
  const folded = foldPointName(name);
  if (folded.length < 6) return undefined;
  const distance = (point: PointName): number =>
    foldPointName(point).startsWith(folded) ? 0 : editDistance(folded, foldPointName(point));
  const near = pointNames.filter((point) => distance(point) <= 2 && sharesOpening(name, point));
  const [best] = near.toSorted((a, b) => distance(a) - distance(b));
  return best === undefined ? undefined : [best];
}

/** Keeps `isToolError`, `toEvent` and `return` from counting as typos of points. */
function sharesOpening(name: string, point: PointName): boolean {
  const [first = '', second] = wordsOf(name);
  const [opening = ''] = wordsOf(point);
  const isAlike = first[0]?.toLowerCase() === opening[0];
  if (second === undefined) return isAlike;
  const apart = editDistance(first.toLowerCase(), opening);
  return apart <= (isAlike ? 2 : 1) && !otherWords.includes(first.toLowerCase());
}

const wordsOf = (name: string): readonly string[] =>
  name.normalize('NFKC').match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{Lm}\p{Lt}]+/gu) ?? [];

/** True if the first word is exactly on, pre or post, and another word follows: `preStep`, `ON_SAVE`; not `prepare`. */
function beginsLikePoint(name: string): boolean {
  const separated = name.normalize('NFKC').split(/\P{L}+/u);
  const spellings = [wordsOf(name), separated.filter((word) => word !== '')];
  return spellings.some(([first, second]) => second !== undefined && /^(?:on|pre|post)$/i.test(first ?? ''));
}
