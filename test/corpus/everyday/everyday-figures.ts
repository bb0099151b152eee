/** The figures of the everyday corpus, and the bounds that the tests keep. */

import { type PresetName, presetNames } from '../../../src/policy-files/init/presets.ts';
import { type PeerAnswersById, peerSystems } from '../peers/compare-peers.ts';
import { countShares, percent, type Shares, sharesBySet, type SharesBySet } from '../peers/shares.ts';
import type { DecidedEveryday, DecidedLine, DecidedSession } from './decide-everyday.ts';

type LineSet = 'known' | 'plain' | 'held' | 'bench';

export function sharesOf(lines: readonly DecidedLine[], preset: PresetName): Shares {
  return countShares(lines.map(({ answers }) => answers[preset].effect));
}

/** `known`: the lines that Bridle is tuned with; `plain`: some of them. `held` and `bench`: lines to measure with only. */
export function splitLines(lines: readonly DecidedLine[]): Record<LineSet, DecidedLine[]> {
  const known = lines.filter(({ item }) => item.held === undefined);
  return {
    known,
    plain: known.filter(({ item }) => item.plain === true),
    held: lines.filter(({ item }) => item.held === true && item.class !== 'bench'),
    bench: lines.filter(({ item }) => item.class === 'bench'),
  };
}

/** For the summary: the shares of the presets, and of the peers if they were asked. */
export function everydayShares(lines: readonly DecidedLine[], peers?: PeerAnswersById): SharesBySet {
  const own = presetNames.map((preset) => [preset, ({ answers }: DecidedLine) => answers[preset].effect] as const);
  const others = peerSystems(peers, ({ item }: DecidedLine) => item.id);
  return sharesBySet<DecidedLine>({ ...splitLines(lines) }, { ...Object.fromEntries(own), ...others });
}

/**
 * True if a preset may deny the line: it certainly touches something that a rule protects. The lines of the bench do not
 * say which of them use the network.
 */
export function mayDeny({ item, answers }: DecidedLine, preset: PresetName): boolean {
  if (answers[preset].unsure !== undefined) return false;
  const isNetwork = item.network === true || item.class === 'bench';
  return item.denies !== undefined || (preset === 'strict' && isNetwork);
}

/** Denied although it does not certainly touch anything protected. */
export function wrongDenials(lines: readonly DecidedLine[], preset: PresetName): DecidedLine[] {
  return lines.filter((line) => line.answers[preset].effect === 'deny' && !mayDeny(line, preset));
}

interface Questions {
  /** Calls that need approval. */
  readonly asked: number;
  /** The same, counting a repeated call once: Bridle can remember an answer. */
  readonly distinct: number;
  readonly denied: number;
}

export function questionsIn({ calls }: DecidedSession, preset: PresetName): Questions {
  const withEffect = (effect: string): string[] =>
    calls.filter(({ answers }) => answers[preset].effect === effect).map(({ call }) => JSON.stringify(call));
  const asked = withEffect('ask');
  return { asked: asked.length, distinct: new Set(asked).size, denied: withEffect('deny').length };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

export interface Bound {
  readonly name: string;
  readonly unit: '%' | 'calls';
  readonly measure: (decided: DecidedEveryday) => number;
  readonly limit: 'at least' | 'at most';
  /** The goal of rule X12. */
  readonly goal: number;
}

const shareOf =
  (set: LineSet, preset: PresetName, effect: 'allow' | 'ask' | 'deny') =>
  ({ lines }: DecidedEveryday): number => {
    const shares = sharesOf(splitLines(lines)[set], preset);
    return percent(shares[effect], shares.lines);
  };

/** All bounds are defined here. */
export const bounds: readonly Bound[] = [
  {
    name: 'balanced allows',
    unit: '%',
    measure: shareOf('known', 'balanced', 'allow'),
    limit: 'at least',
    goal: 55,
  },
  {
    name: 'balanced denies',
    unit: '%',
    measure: shareOf('known', 'balanced', 'deny'),
    limit: 'at most',
    goal: 1,
  },
  {
    name: 'trusting allows',
    unit: '%',
    measure: shareOf('known', 'trusting', 'allow'),
    limit: 'at least',
    goal: 75,
  },
  {
    name: 'balanced asks about or denies plain lines',
    unit: '%',
    measure: ({ lines }) => {
      const { ask, deny, lines: all } = sharesOf(splitLines(lines).plain, 'balanced');
      return percent(ask + deny, all);
    },
    limit: 'at most',
    goal: 33.3,
  },
  {
    name: 'balanced denies, lines held back',
    unit: '%',
    measure: shareOf('held', 'balanced', 'deny'),
    limit: 'at most',
    goal: 3,
  },
  {
    name: 'balanced denies, lines of the bench',
    unit: '%',
    measure: shareOf('bench', 'balanced', 'deny'),
    limit: 'at most',
    goal: 3,
  },
  {
    name: 'denied without certainty, all presets',
    unit: 'calls',
    measure: ({ lines }) => presetNames.reduce((sum, preset) => sum + wrongDenials(lines, preset).length, 0),
    limit: 'at most',
    goal: 0,
  },
  {
    name: 'balanced denies, calls in sessions',
    unit: 'calls',
    measure: ({ sessions }) => sessions.reduce((sum, session) => sum + questionsIn(session, 'balanced').denied, 0),
    limit: 'at most',
    goal: 0,
  },
];

export function isKept(bound: Bound, measured: number): boolean {
  return bound.limit === 'at least' ? measured >= bound.goal : measured <= bound.goal;
}
