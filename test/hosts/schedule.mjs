/** Runs cases two at a time, but never two of the same coding agent: those share a cache. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNamespace } from './namespace.mjs';

const lanes = 2;
const slowest = 'opencode';
const caseLimitMs = 120_000;

/**
 * @param {{ host: string, name: string }[]} jobs
 * @param {{ clis: string, keep: boolean, onOutcome: (job: { host: string, name: string }, outcome: Outcome) => void }} options
 *
 * @typedef {{ result: 'pass' | 'fail', seconds?: number, detail?: string, folder?: string }} Outcome
 */
export async function runAll(jobs, { clis, keep, onOutcome }) {
  // The slowest host keeps one lane busy from the start.
  const waiting = jobs.toSorted((a, b) => Number(b.host === slowest) - Number(a.host === slowest));
  const busy = new Set();
  const next = () => {
    const at = waiting.findIndex(({ host }) => !busy.has(host));
    return at === -1 ? undefined : waiting.splice(at, 1)[0];
  };
  const worker = async () => {
    for (let job = next(); job !== undefined; job = next()) {
      busy.add(job.host);
      onOutcome(job, await runOne(job, { clis, keep }));
      busy.delete(job.host);
    }
  };
  // A lane ends when only jobs of the other one's host are left.
  await Promise.all(Array.from({ length: lanes }, worker));
}

async function runOne({ host, name }, { clis, keep }) {
  const cache = join(clis, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), `bridle-${host}-`));
  mkdirSync(join(folder, 'home'));
  try {
    return { folder, ...(await runInNamespace({ folder, host, name, clis, cache }, caseLimitMs)) };
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
