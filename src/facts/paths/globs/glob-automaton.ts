/**
 * Matches a path against many patterns at the same time, name by name. Each state says how the path so far matches all
 * of the patterns. States are created on first use and cached.
 */

import { literalNamePattern, type NamePattern, type NameTest } from './name-pattern.ts';

export type GlobPart = NamePattern | '**';

/** How a path matches a pattern: it fits, something below it may fit, or both are impossible. */
export interface GlobMatch {
  readonly fits: boolean;
  readonly mayFitBelow: boolean;
  /**
   * True if something below this folder may fit that could not be below any other folder as well because of a leading
   * `**`.
   */
  readonly isSpecific: boolean;
}

/** A pattern together with the folder it starts from. */
export interface RootedGlobParts {
  /** The names of the folder it starts from. */
  readonly base: readonly string[];
  readonly parts: readonly GlobPart[];
  /** False if this is only a possible reading of the pattern, not a certain one. */
  readonly isCertain: boolean;
}

/** A position in one of the patterns, described by what comes next. The last position of each pattern is its end. */
interface PatternPosition {
  readonly part: '**' | NameTest | 'end';
  readonly isSpecific: boolean;
  readonly isCertain: boolean;
  /** True for a `**` at the end: it must match at least one name. */
  readonly isLast: boolean;
}

/** Limits the memory for cached states, counted in positions: patterns alone do not limit it. */
const maxCachedPositions = 100_000;

export class GlobAutomaton {
  readonly start: GlobState;
  private readonly positions: readonly PatternPosition[];
  private readonly known = new Map<string, GlobState>();
  private remaining = maxCachedPositions;

  /** `isLoose`: names are passed in folded form. */
  constructor(patterns: readonly RootedGlobParts[], isLoose: boolean) {
    const positions: PatternPosition[] = [];
    const starts: number[] = [];
    for (const pattern of patterns) {
      starts.push(positions.length);
      for (const position of positionsOf(pattern, isLoose)) positions.push(position);
    }
    this.positions = positions;
    this.start = this.stateFor(starts);
  }

  stateAfter(names: readonly string[]): GlobState {
    let state = this.start;
    for (const name of names) state = state.next(name);
    return state;
  }

  get isFull(): boolean {
    return this.remaining <= 0;
  }

  /** The state for these positions, plus those reachable without a name: after a `**`, unless it is the last part. */
  stateFor(reached: readonly number[]): GlobState {
    const active = new Set(reached);
    // Entries added during the loop are visited, too.
    for (const at of active) {
      const position = this.positions[at];
      if (position?.part === '**' && !position.isLast) active.add(at + 1);
    }
    const sorted = [...active].toSorted((one, other) => one - other);
    const key = sorted.join();
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const state = new GlobState(this, sorted, this.positions);
    this.remaining -= sorted.length + 1;
    if (!this.isFull) this.known.set(key, state);
    return state;
  }
}

function positionsOf({ base, parts, isCertain }: RootedGlobParts, isLoose: boolean): readonly PatternPosition[] {
  const all = [...base.map(literalNamePattern), ...parts];
  // After a leading `**`, the path may still be anywhere: nothing below these positions is specific to this folder.
  const isAnywhere = parts[0] === '**';
  const firstName = parts.findIndex((part) => part !== '**');
  const lastAnywhere = base.length + (firstName === -1 ? parts.length - 1 : firstName);
  const positions = all.map((part, at): PatternPosition => ({
    part: part === '**' ? part : isLoose ? part.loose : part.exact,
    isSpecific: !isAnywhere || at < base.length || at > lastAnywhere,
    isCertain,
    isLast: at === all.length - 1,
  }));
  return [...positions, { part: 'end', isSpecific: false, isCertain, isLast: false }];
}

export class GlobState implements GlobMatch {
  readonly fits: boolean;
  /** True if a certain reading of a pattern fits. */
  readonly isCertain: boolean;
  readonly mayFitBelow: boolean;
  readonly isSpecific: boolean;
  /** The positions that any name leads to. */
  private readonly onAnyName: readonly number[];
  private readonly literals = new Map<string, readonly number[]>();
  private readonly patterns: readonly (readonly [NameTest, number])[];
  private readonly nextStates = new Map<string, GlobState>();
  private stateOnOtherName: GlobState | undefined;

  constructor(
    private readonly states: GlobAutomaton,
    active: readonly number[],
    positions: readonly PatternPosition[],
  ) {
    const onAnyName: number[] = [];
    const patterns: [NameTest, number][] = [];
    let [fits, isCertain, mayFitBelow, isSpecific] = [false, false, false, false];
    for (const at of active) {
      const position = positions[at];
      if (position === undefined) continue;
      const { part } = position;
      if (part === 'end') {
        fits = true;
        isCertain ||= position.isCertain;
        continue;
      }
      mayFitBelow = true;
      isSpecific ||= position.isSpecific;
      if (part === '**') onAnyName.push(at, ...(position.isLast ? [at + 1] : []));
      else if (part.literal === undefined) patterns.push([part, at + 1]);
      else this.literals.set(part.literal, [...(this.literals.get(part.literal) ?? []), at + 1]);
    }
    [this.fits, this.isCertain, this.mayFitBelow, this.isSpecific] = [fits, isCertain, mayFitBelow, isSpecific];
    this.onAnyName = onAnyName;
    this.patterns = patterns;
  }

  /** The state after one more name. */
  next(name: string): GlobState {
    const literal = this.literals.get(name);
    let others: number[] | undefined;
    for (const [test, target] of this.patterns) if (test.fits(name)) (others ??= []).push(target);
    if (literal === undefined && others === undefined)
      return (this.stateOnOtherName ??= this.states.stateFor(this.onAnyName));
    const reached = [...(literal ?? []), ...(others ?? [])];
    const key = reached.join();
    const known = this.nextStates.get(key);
    if (known !== undefined) return known;
    const state = this.states.stateFor([...this.onAnyName, ...reached]);
    if (!this.states.isFull) this.nextStates.set(key, state);
    return state;
  }
}
