/**
 * Patterns for paths, matched name by name: `**` matches any number of names, everything else a part of one name. Dots
 * have no special meaning. Matching takes at most pattern length times path length steps.
 */

import { BridleError } from '../../../kernel/errors.ts';
import { kindOf } from '../../../kernel/kind-of.ts';
import { expandGlobBraces } from '../../expand-braces.ts';
import { GlobAutomaton, type GlobMatch, type GlobPart } from './glob-automaton.ts';
import { foldCase, readNamePattern } from './name-pattern.ts';
import { quote } from '../resolve/path-refusal.ts';

export type { GlobPart } from './glob-automaton.ts';

/** One alternative of a pattern. */
export interface GlobAlternative {
  /**
   * Where it starts: at the root, in the home folder, or in the folder of the call. A leading `**` starts at the root.
   */
  readonly start: 'root' | 'home' | 'folder';
  /** How many folders it goes up from there. */
  readonly up: number;
  readonly parts: readonly GlobPart[];
}

const maxLength = 1024;

/** Parses a pattern; throws `OPTION_INVALID` for one that cannot mean what its author intended. */
export function readGlob(pattern: unknown): readonly GlobAlternative[] {
  if (typeof pattern !== 'string') throw invalid(`A pattern is ${kindOf(pattern)}, not a string.`);
  const wrong = (problem: string): BridleError => invalid(`The pattern ${quote(pattern)} ${problem}.`);
  if (pattern.length > maxLength) throw wrong(`is longer than ${maxLength} characters`);
  if (pattern.includes('\0') || !pattern.isWellFormed()) throw wrong('contains a character that paths cannot contain');
  const texts = expandGlobBraces(pattern);
  if ('problem' in texts) throw wrong(texts.problem);
  return texts.map((text) => {
    const branch = readAlternative(text);
    if (typeof branch === 'string') throw wrong(branch);
    return branch;
  });
}

function readAlternative(text: string): GlobAlternative | string {
  if (text === '') return 'is empty, or has an empty alternative';
  const names = text.split('/');
  const start = names[0] === '' ? 'root' : names[0] === '~' ? 'home' : names[0] === '**' ? 'root' : 'folder';
  if (names[0] !== '**' && start !== 'folder') names.shift();
  if (start === 'folder' && text.startsWith('~')) return 'starts with ~ and a name: only ~/ is supported';
  const used = names.filter((name) => name !== '' && name !== '.');
  const up = used.findIndex((name) => name !== '..');
  const climbs = up === -1 ? used.length : up;
  if (used.slice(climbs).includes('..') || (climbs > 0 && start !== 'folder'))
    return 'goes up (..) after a name, which may lead elsewhere through a link';
  const parts: GlobPart[] = [];
  for (const name of used.slice(climbs)) {
    const part = /^\*\*+$/.test(name) ? '**' : readNamePattern(name);
    if (part !== '**' && 'problem' in part) return part.problem;
    parts.push(part);
  }
  return { start, up: climbs, parts };
}

/** `names` are the names of the path after the pattern's start. A `**` at the end matches at least one name. */
export function matchGlobParts(parts: readonly GlobPart[], names: readonly string[], loose = false): GlobMatch {
  return new GlobAutomaton([{ base: [], parts, isCertain: true }], loose).stateAfter(
    loose ? names.map(foldCase) : names,
  );
}

function invalid(message: string): BridleError {
  return new BridleError('OPTION_INVALID', message);
}
