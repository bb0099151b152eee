/** Damaged exports of a journal: verification detects every changed, missing or reordered record. */

import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { journalFileLines } from '../../src/cli/command/read-input.ts';
import {
  ExportVerifier,
  type VerifyJournalOptions,
  type JournalVerification,
} from '../../src/journal/verify-journal.ts';
import { openStore } from '../../src/store/open-store.ts';
import { proves } from '../contract/cite.ts';
import { seed } from '../property-runs.ts';
import { hangMs, inForm } from './endurance.ts';
import { mutate, mutantsOf } from './mutation.ts';
import { random } from './random.ts';

/** More than one segment, so that it contains a signed checkpoint. */
const records = 1100;

const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bridle-export-'));

async function exported(): Promise<{ readonly lines: readonly string[]; readonly check: VerifyJournalOptions }> {
  const store = await openStore({ at: join(folder, 'store.db'), keys: join(folder, 'keys') });
  const head = { v: 1, at: 1, session: 's', turn: 1, agent: ['main'], policy: 'p' } as const;
  const entries = Array.from({ length: records }, (_, step) => ({
    ...head,
    step,
    kind: 'noted' as const,
    status: 'remembered' as const,
    detail: { text: `é${'x'.repeat((step * 13) % 200)}` },
  }));
  await Promise.all(entries.map((entry) => store.journal.append(entry)));
  await store.journal.checkpoint();
  const lines: string[] = [];
  for await (const line of store.journal.lines()) lines.push(line);
  const check = {
    keys: store.keys.journalKeys(),
    head: (await store.journal.head()).hash,
    namespace: 'default',
    mustBeSigned: true,
  };
  await store.close();
  return { lines, check };
}

/** Reads it like the command. */
function verify(bytes: Buffer, check: VerifyJournalOptions): JournalVerification {
  const path = join(folder, 'journal.jsonl');
  writeFileSync(path, bytes);
  const file = openSync(path, 'r');
  try {
    const checking = new ExportVerifier(check);
    for (const line of journalFileLines(file)) {
      const fault = checking.addLine(line);
      if (fault !== undefined) return fault;
    }
    return checking.finish();
  } finally {
    closeSync(file);
  }
}

/** The records as a reader without knowledge of chains sees them. */
function recordsIn(text: string): string {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{"checkpoint"'))
    .join('\n');
}

/** Removes, duplicates, swaps or moves lines. */
function* shuffles(lines: readonly string[], chance: () => number): Generator<readonly string[], never> {
  const below = (count: number) => Math.floor(chance() * count);
  for (;;) {
    const [one, other] = [below(lines.length), below(lines.length)];
    const line = lines[one] as string;
    yield lines.toSpliced(one, 1);
    yield lines.toSpliced(other, 0, line);
    yield lines.with(one, lines[other] as string).with(other, line);
    yield lines.toSpliced(one, 1).toSpliced(other, 0, line);
    yield lines.slice(0, one);
    yield lines.slice(one);
  }
}

describe('a damaged export of a journal', () => {
  it(
    proves('R04', 'R09')('is detected if any record is changed, missing or out of order'),
    async () => {
      const { lines, check } = await exported();
      const whole = Buffer.from(`${lines.join('\n')}\n`);
      expect(verify(whole, check)).toMatchObject({ ok: true, count: records, checkpoints: 2 });
      const chance = random(seed);
      const regions = [{ kind: 'text', start: 0, end: whole.length }];
      const mutants = mutantsOf({ file: '', bytes: whole, regions }, chance);
      const shuffled = shuffles(lines, chance);
      const count = inForm({ usual: 300, endurance: 3000 });
      const found = { detected: 0, harmless: 0 };
      for (let n = 0; n < count; n++) {
        const bytes =
          n % 4 === 3
            ? Buffer.from(`${shuffled.next().value.join('\n')}\n`)
            : mutate(whole, mutants.next().value.mutation);
        const isSame = recordsIn(bytes.toString('latin1')) === recordsIn(whole.toString('latin1'));
        const verified = verify(bytes, check);
        if (!isSame) expect(verified, `mutant ${n}, seed ${seed}`).toMatchObject({ ok: false });
        found[verified.ok ? 'harmless' : 'detected']++;
      }
      rmSync(folder, { recursive: true });
      console.info(`damaged exports, seed ${seed}: ${count} mutants, ${JSON.stringify(found)}`);
      expect(found.detected).toBeGreaterThan(count / 2);
    },
    hangMs,
  );
});
