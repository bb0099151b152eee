/** How many lines of a set are allowed, need approval, or are denied. */

export type Effect = 'allow' | 'ask' | 'deny';

export interface Shares {
  readonly lines: number;
  readonly allow: number;
  readonly ask: number;
  readonly deny: number;
}

export function countShares(effects: readonly Effect[]): Shares {
  const count = (wanted: Effect): number => effects.filter((effect) => effect === wanted).length;
  return { lines: effects.length, allow: count('allow'), ask: count('ask'), deny: count('deny') };
}

export function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((1000 * part) / whole) / 10;
}

/** Shares per system, for each set of lines. */
export type SharesBySet = Readonly<Record<string, Readonly<Record<string, Shares>>>>;

/** `sets`: the members of each set. `systems`: what each system answers to a member. */
export function sharesBySet<Item>(
  sets: Readonly<Record<string, readonly Item[]>>,
  systems: Readonly<Record<string, (item: Item) => Effect>>,
): SharesBySet {
  const rows = Object.entries(sets).map(([set, items]) => {
    const cells = Object.entries(systems).map(([name, decide]) => [name, countShares(items.map(decide))]);
    return [set, Object.fromEntries(cells)];
  });
  return Object.fromEntries(rows) as SharesBySet;
}
