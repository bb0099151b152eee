/** The accepted losses: `[{ path, unit, limit, reason }]`, where `limit` is how many times its base a count may be. */

import { readFileSync } from 'node:fs';

export function readAccepted() {
  return JSON.parse(readFileSync(new URL('../accepted.json', import.meta.url), 'utf8'));
}

/** Their section of RESULTS.md. */
export function acceptedSection(accepted) {
  const rows = accepted.map(({ path, unit, limit, reason }) => `| ${path} | ${unit} | ${limit}× | ${reason} |`);
  const table = ['| path | counted | at most | reason |', '|---|---|---|---|', ...rows].join('\n');
  return `## Accepted losses\n\n${rows.length === 0 ? 'None.' : table}`;
}
