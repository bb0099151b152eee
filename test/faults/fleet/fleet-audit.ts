/** Holds the ledger of effects against what the runs were told: a second opinion that knows no claims and no steps. */

import { readFileSync } from 'node:fs';
import type { Store } from 'bridle/store';

interface Effect {
  readonly does: 'begins' | 'did';
  readonly run: string;
  readonly tool: string;
  readonly key: string;
}

/** What a tool told the model. */
interface Told {
  readonly tool: string;
  readonly said: string;
}

export interface FleetAudit {
  readonly done: number;
  /** Runs that have not come to a good end. */
  readonly undone: readonly string[];
  /** Effects that happened twice, of tools that must not be repeated. */
  readonly doubled: readonly string[];
  /** Told as done, and not in the ledger. */
  readonly lost: readonly string[];
  /** In the ledger, and the run knows of no call that could have done it. */
  readonly untold: readonly string[];
  /** Results that are neither: what a tool never says. */
  readonly odd: readonly string[];
  /** Calls told as interrupted. */
  readonly interrupted: number;
  /** Calls that did not run, since their decision could not be recorded. */
  readonly unrecorded: number;
  /** Calls that were repeated as they may be. */
  readonly repeated: number;
}

const mayRepeat: ReadonlySet<string> = new Set(['look', 'post']);

export async function auditFleet(store: Store, ledger: string): Promise<FleetAudit> {
  const effects = readLedger(ledger).filter(({ does }) => does === 'did');
  const counts = countKeys(effects);
  const found = { done: 0, interrupted: 0, unrecorded: 0 };
  const [undone, lost, untold, odd]: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const { id, state, output, error } of await store.runs.list({ limit: 100_000 })) {
    if (state !== 'done') {
      undone.push(`${id}: ${state} ${error ?? ''}`);
      continue;
    }
    found.done++;
    const told = JSON.parse((output as { readonly text: string }).text) as readonly Told[];
    const open = new Set(effects.filter(({ run }) => run === id).map(({ key }) => key));
    for (const { said, tool } of told.filter(({ said: text }) => text.startsWith('did '))) {
      if (!open.delete(said.slice('did '.length))) lost.push(`${id}: ${tool} ${said}`);
    }
    const rest = told.filter(({ said }) => !said.startsWith('did '));
    const cut = rest.filter(({ said }) => /interrupted/i.test(said));
    found.interrupted += cut.length;
    const refused = rest.filter(({ said }) => /^The (?:decision|question) could not be recorded/.test(said));
    found.unrecorded += refused.length;
    if (cut.length + refused.length < rest.length) odd.push(`${id}: ${JSON.stringify(rest)}`);
    if (open.size > cut.length) untold.push(`${id}: ${[...open].join(' ')}`);
  }
  const again = [...counts.values()].filter(({ count }) => count > 1);
  const doubled = again.filter(({ effect }) => !mayRepeat.has(effect.tool)).map(({ effect }) => JSON.stringify(effect));
  return { ...found, undone, doubled, lost, untold, odd, repeated: again.length - doubled.length };
}

export function readLedger(ledger: string): readonly Effect[] {
  const lines = readFileSync(ledger, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Effect);
}

function countKeys(
  effects: readonly Effect[],
): ReadonlyMap<string, { readonly effect: Effect; readonly count: number }> {
  const counts = new Map<string, { effect: Effect; count: number }>();
  for (const effect of effects) {
    counts.set(effect.key, { effect, count: (counts.get(effect.key)?.count ?? 0) + 1 });
  }
  return counts;
}
