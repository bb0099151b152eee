/** Compares the log of effects with what the runs recorded, independent of claims and steps. */

import { readFileSync } from 'node:fs';
import type { Store } from 'bridle/store';

interface Effect {
  readonly does: 'begins' | 'did';
  readonly run: string;
  readonly tool: string;
  readonly key: string;
}

/** The result of a tool for the model. */
interface Told {
  readonly tool: string;
  readonly said: string;
}

export interface FleetAudit {
  readonly done: number;
  /** Runs that did not succeed. */
  readonly undone: readonly string[];
  /** Repeated effects of tools that must not be repeated. */
  readonly doubled: readonly string[];
  /** Reported as done, but missing in the log. */
  readonly lost: readonly string[];
  /** In the log, but without a matching call in the run. */
  readonly untold: readonly string[];
  /** Results that no tool returns. */
  readonly odd: readonly string[];
  /** Calls reported as interrupted. */
  readonly interrupted: number;
  /** Calls that did not run because their decision could not be recorded. */
  readonly unrecorded: number;
  /** Allowed repetitions. */
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
