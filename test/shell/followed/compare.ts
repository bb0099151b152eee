/** Compares the observed effects of a line with the facts about it. */

import { basename } from 'node:path';
import { factsOfLine } from '../tools/facts-of-line.ts';
import type { Accesses, Start } from './run-lines.ts';
import { entries, ordinaryFiles, twins } from './tree.ts';

type Mode = 'read' | 'written';
type Answer = 'yes' | 'no' | '?';

const modes: readonly Mode[] = ['read', 'written'];

/** The answers of the facts about the folder that the line finds. */
export interface Foreseen {
  readonly answer: (mode: Mode, pattern: string) => Answer;
  readonly inside: Readonly<Record<Mode, Answer>>;
  /** True: a script does the work, and the facts cover only the line (X04). */
  readonly scripted: boolean;
}

/** Patterns of many files that people write, each with what it means. */
const patterns: readonly (readonly [pattern: string, fits: (path: string) => boolean])[] = [
  ['**/.env', (path) => basename(path) === '.env'],
  ['**/*.ts', (path) => path.endsWith('.ts')],
  ['src/**', (path) => path.startsWith('src/')],
  ['*.ts', (path) => path.endsWith('.ts') && !path.includes('/')],
  ['../outside/**', (path) => path.startsWith('../outside/')],
  ['odd/*', (path) => path.startsWith('odd/')],
  ['**/sub/**', (path) => /(?:^|\/)sub\//u.test(path)],
];

/** The pattern of one file; absolute where it stands around the folder. */
function patternOf(path: string): string {
  return path
    .replaceAll(/[*?[\]{}\\!~]/gu, '\\$&')
    .replaceAll('\uFFFD', '*')
    .replace(/^\\~/u, './\\~');
}

/** Evaluates each fact lazily and once. */
export function foresee(line: string, { cwd, home }: Start): Foreseen {
  const facts = atHome(home, () => factsOfLine(line, cwd));
  const answers = new Map<string, Answer>();
  const asked = (key: string, ask: () => Answer): Answer => {
    const known = answers.get(key) ?? atHome(home, ask);
    answers.set(key, known);
    return known;
  };
  return {
    answer: (mode, pattern) =>
      asked(`${mode} ${pattern}`, () => (mode === 'read' ? facts.reads(pattern) : facts.writes(pattern))),
    inside: { read: facts.readsInside, written: facts.writesInside },
    scripted: facts.opaque === 'yes' && /\b(?:go|show)\.sh\b/u.test(line),
  };
}

function atHome<T>(home: string, work: () => T): T {
  const { HOME } = process.env;
  process.env['HOME'] = home;
  try {
    return work();
  } finally {
    process.env['HOME'] = HOME;
  }
}

/** Every access that the facts denied, as sentences. */
export function deniedAccesses(foreseen: Foreseen, accesses: Accesses): readonly string[] {
  if (foreseen.scripted) return [];
  return [...deniedOf('read', foreseen, accesses), ...deniedOf('written', foreseen, accesses)];
}

function deniedOf(mode: Mode, foreseen: Foreseen, accesses: Accesses): readonly string[] {
  const denied = (pattern: string): boolean => foreseen.answer(mode, pattern) === 'no';
  const found: string[] = [];
  for (const path of accesses[mode]) {
    const names = [path, ...(twins.has(path) ? [twins.get(path) as string] : [])];
    if (isParentOnly(path, accesses.written)) continue;
    // A moved file is read under its new name.
    if (mode === 'read' && accesses.written.has(path) && foreseen.answer('written', patternOf(path)) !== 'no') continue;
    if (names.every((name) => denied(patternOf(name))))
      found.push(`${mode} ${path}, ${factName(mode)}("${path}") is no`);
    for (const [pattern, fits] of patterns)
      if (names.every((name) => fits(name)) && denied(pattern))
        found.push(`${mode} ${path}, ${factName(mode)}("${pattern}") is no`);
    if (path.startsWith('../') && names.length === 1 && foreseen.inside[mode] === 'yes')
      found.push(`${mode} ${path}, ${factName(mode)}Inside(".") is yes`);
  }
  return found;
}

/** A parent folder that is created on the way, as by `mkdir -p`. */
function isParentOnly(path: string, written: ReadonlySet<string>): boolean {
  return !entries.includes(path) && [...written].some((other) => other.startsWith(`${path}/`));
}

function factName(mode: Mode): string {
  return mode === 'read' ? 'reads' : 'writes';
}

/**
 * Of a line that succeeded and whose commands all ran: what the facts are sure of, and nobody has seen. What a line reads
 * and writes cannot be seen to be read. The target of a link counts as written when the link is made, moved or deleted.
 */
export function unseenAccesses(line: string, foreseen: Foreseen, accesses: Accesses): readonly string[] {
  if (/\b(?:ln|mv|rm|sed)\b/u.test(line)) return [];
  const isSeen = (mode: Mode, path: string): boolean => accesses[mode].has(path) || accesses.written.has(path);
  return modes.flatMap((mode) =>
    ordinaryFiles
      .filter((path) => foreseen.answer(mode, patternOf(path)) === 'yes')
      .filter((path) => !isSeen(mode, path) && !isSeen(mode, twins.get(path) ?? path))
      .map((path) => `${factName(mode)}("${path}") is yes, but it was not ${mode}`),
  );
}

/** How much the facts know about the lines that were run. */
export interface Figures {
  readonly lines: number;
  /** Lines of which it is known whether they read a secret, write one, and stay inside. */
  readonly certain: number;
  /** Files that were read or written, and those of which the facts were sure. */
  readonly accesses: number;
  readonly foreseen: number;
}

export const noFigures: Figures = { lines: 0, certain: 0, accesses: 0, foreseen: 0 };

export function addFigures(one: Figures, other: Figures): Figures {
  return {
    lines: one.lines + other.lines,
    certain: one.certain + other.certain,
    accesses: one.accesses + other.accesses,
    foreseen: one.foreseen + other.foreseen,
  };
}

export function figuresOf({ answer, inside }: Foreseen, accesses: Accesses): Figures {
  const touched = modes.flatMap((mode) => [...accesses[mode]].map((path) => answer(mode, patternOf(path))));
  const isCertain = modes.every((mode) => answer(mode, '**/.env') !== '?' && inside[mode] !== '?');
  const foreseen = touched.filter((truth) => truth === 'yes').length;
  return { lines: 1, certain: isCertain ? 1 : 0, accesses: touched.length, foreseen };
}
