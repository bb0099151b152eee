/**
 * Patterns for paths. They are matched name by name: `**` stands for any number of names, everything else for a part of
 * one. Dots are characters like others. Matching takes at most pattern times path steps, whatever both hold.
 */

import { BridleError } from '../../../kernel/errors.ts';
import { kindOf } from '../../../kernel/kind-of.ts';
import { expandGlobBraces } from './expand-glob-braces.ts';
import { GlobAutomaton, type GlobMatch, type GlobPart } from './glob-automaton.ts';
import { foldCase, readNamePattern } from './name-pattern.ts';
import { quote } from '../resolve/quote.ts';

export type { GlobPart } from './glob-automaton.ts';

/** One alternative of a pattern. */
export interface GlobAlternative {
  /** Where it starts: at the root, in the home folder, in the folder of the call, or anywhere (`**` comes first). */
  readonly start: 'root' | 'home' | 'folder';
  /** How many folders it first goes up from there. */
  readonly up: number;
  readonly parts: readonly GlobPart[];
}

const maxLength = 1024;

/** Reads a pattern; throws `OPTION_INVALID` for one that could not mean what was meant. */
export function readGlob(pattern: unknown): readonly GlobAlternative[] {
  if (typeof pattern !== 'string') throw invalid(`A pattern is ${kindOf(pattern)}, not a text.`);
  const wrong = (problem: string): BridleError => invalid(`The pattern ${quote(pattern)} ${problem}.`);
  if (pattern.length > maxLength) throw wrong(`is longer than ${maxLength} characters`);
  if (pattern.includes('\0') || !pattern.isWellFormed()) throw wrong('holds a character that no path can');
  const texts = expandGlobBraces(pattern);
  if ('problem' in texts) throw wrong(texts.problem);
  return texts.map((text) => {
    const branch = readAlternative(text);
    if (typeof branch === 'string') throw wrong(branch);
    return branch;
  });
}

function readAlternative(text: string): GlobAlternative | string {
  if (text === '') return 'is empty, or one of its alternatives is';
  const names = text.split('/');
  const start = names[0] === '' ? 'root' : names[0] === '~' ? 'home' : names[0] === '**' ? 'root' : 'folder';
  if (names[0] !== '**' && start !== 'folder') names.shift();
  if (start === 'folder' && text.startsWith('~')) return 'starts with ~ and a name: only ~/ is understood';
  const used = names.filter((name) => name !== '' && name !== '.');
  const up = used.findIndex((name) => name !== '..');
  const climbs = up === -1 ? used.length : up;
  if (used.slice(climbs).includes('..') || (climbs > 0 && start !== 'folder'))
    return 'goes up (..) behind a name, which links could lead elsewhere';
  const parts: GlobPart[] = [];
  for (const name of used.slice(climbs)) {
    const part = /^\*\*+$/.test(name) ? '**' : readNamePattern(name);
    if (part !== '**' && 'problem' in part) return part.problem;
    parts.push(part);
  }
  return { start, up: climbs, parts };
}

/** `names` are those of the path behind where the pattern starts. A `**` at the end stands for one name at least. */
export function matchGlobParts(parts: readonly GlobPart[], names: readonly string[], loose = false): GlobMatch {
  return new GlobAutomaton([{ base: [], parts, isMeant: true }], loose).stateAfter(loose ? names.map(foldCase) : names);
}

function invalid(message: string): BridleError {
  return new BridleError('OPTION_INVALID', message);
}
