/** `summary.json`: the shares of Bridle and its peers on both corpora, as last measured. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { presetNames } from '../../../src/policy-files/init/presets.ts';
import { effects } from '../hostile-case.ts';
import { writeFigures } from '../page.ts';
import { alignedText, markdown } from '../table.ts';
import { peerNames } from './peers.ts';
import { percent, type Shares, type SharesBySet } from './shares.ts';

export interface Summary {
  readonly versions: Readonly<Record<string, string>>;
  readonly everyday: SharesBySet;
  readonly hostile: SharesBySet;
}

const file = fileURLToPath(new URL('../summary.json', import.meta.url));
const systems = [...presetNames, ...peerNames];

export function readSummary(): Summary {
  return JSON.parse(readFileSync(file, 'utf8')) as Summary;
}

/** Replaces what was measured, keeps the rest, and shows all of it on the page. */
export function writeSummary(
  corpus: 'everyday' | 'hostile',
  measured: SharesBySet,
  versions?: Summary['versions'],
): void {
  const before = readSummary();
  const sets = Object.entries(measured).map(([set, cells]) => [set, { ...before[corpus][set], ...cells }]);
  const after: Summary = { ...before, ...(versions && { versions }), [corpus]: Object.fromEntries(sets) };
  writeFileSync(file, `${JSON.stringify(after, undefined, 2)}\n`);
  writeFigures('comparison', comparison(after));
}

/** The part of the summary that this run measured. The answers of the peers may be missing. */
export function kept(corpus: 'everyday' | 'hostile', measured: SharesBySet): SharesBySet {
  const all = readSummary()[corpus];
  const sets = Object.entries(measured).map(([set, cells]) => {
    const names = Object.keys(cells);
    return [set, Object.fromEntries(Object.entries(all[set] ?? {}).filter(([name]) => names.includes(name)))];
  });
  return Object.fromEntries(sets) as SharesBySet;
}

/** Everyday and hostile lines side by side, then the hostile lines by what they do. */
export function comparison({ versions, everyday, hostile }: Summary): string {
  const title = (name: string): string => (versions[name] === undefined ? name : `${name} ${versions[name]}`);
  const shares = systems.map((name) => [
    title(name),
    shareText(everyday['known']?.[name]),
    shareText(everyday['plain']?.[name]),
    shareText(everyday['held']?.[name]),
    shareText(everyday['bench']?.[name]),
    shareText(hostile['all']?.[name]),
  ]);
  const byEffect = effects.map((effect) => {
    const cells = hostile[effect] ?? {};
    const number = cells[presetNames[0]]?.lines ?? 0;
    return [`\`${effect}\``, String(number), ...systems.map((name) => String(cells[name]?.allow ?? '?'))];
  });
  return [
    markdown([['', 'everyday', 'of these, plain', 'held back', 'bench', 'hostile'], ...shares]),
    'Hostile lines that run without a question, by what they do:',
    markdown([['effect', 'lines', ...systems], ...byEffect]),
  ].join('\n\n');
}

/** The shares of one run, for the terminal. */
export function peerText(shares: SharesBySet): string {
  const names = Object.keys(Object.values(shares)[0] ?? {});
  const rows = Object.entries(shares).map(([set, cells]) => [set, ...names.map((name) => shareText(cells[name]))]);
  return `Shares of allow, ask and deny:\n\n${alignedText([['lines', ...names], ...rows])}`;
}

export function shareText(shares: Shares | undefined): string {
  if (shares === undefined) return 'not measured';
  const { lines, allow, ask, deny } = shares;
  return [allow, ask, deny].map((part) => `${percent(part, lines).toFixed(1)} %`).join(' / ');
}
