/** An exported journal with its checkpoints: whatever is done to its lines is found. */

import { generateKeyPairSync } from 'node:crypto';
import { recordLine, sealRecord, verifyExport, verifyLines } from 'bridle/journal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { noteOf } from '../../test/rigs/journal-rig.ts';
import { otherSpellings } from '../../test/rigs/other-spellings.ts';
import { runs } from '../../test/property-runs.ts';
import { chainStart } from './hash-chain.ts';
import { type Checkpoint, checkpointLine, readCheckpointLine, signCheckpoint } from './checkpoint.ts';

const own = { id: '0123456789abcdef', ...generateKeyPairSync('ed25519') };
const other = { id: 'fedcba9876543210', ...generateKeyPairSync('ed25519') };
const keys = [own];

/** An export of so many records, with checkpoints after some numbers of them. */
function exported(count: number, stops: readonly number[], namespace = 'default'): { lines: string[]; head: string } {
  const lines: string[] = [];
  let head = chainStart;
  for (let seq = 0; seq < count; seq++) {
    const record = sealRecord(noteOf(seq), seq, head);
    head = record.hash;
    lines.push(recordLine(record));
    if (!stops.includes(seq + 1)) continue;
    lines.push(checkpointLine(signCheckpoint({ namespace, count: seq + 1, hash: head, at: seq }, own)));
  }
  return { lines, head };
}

const small = exported(20, [5, 12, 20]);

describe('an export with checkpoints', () => {
  it(proves('R09')('is whole, says how much of it is signed, and is so in any form'), async () => {
    const whole = { ok: true, count: 20, head: small.head, checkpoints: 3, signed: 20 };
    const options = { keys, head: small.head, namespace: 'default' };
    expect(verifyLines(small.lines, options)).toEqual(whole);
    expect(await verifyExport(small.lines, options)).toEqual(whole);
    async function* slowly(): AsyncIterable<string> {
      for (const line of small.lines) yield Promise.resolve(line);
    }
    expect(await verifyExport(slowly(), options)).toEqual(whole);
    expect(verifyLines(exported(20, [5, 12]).lines, { keys })).toMatchObject({ ok: true, signed: 12, checkpoints: 2 });
    expect(verifyLines(exported(20, []).lines, { keys })).toMatchObject({ ok: true, signed: 0, checkpoints: 0 });
  });

  it(proves('R09')('is checked for place and hash where no keys are given, and is not called signed'), () => {
    expect(verifyLines(small.lines)).toMatchObject({ ok: true, checkpoints: 3, signed: 0 });
    const [first, second] = [small.lines[5], small.lines[13]] as [string, string];
    const swapped = small.lines.with(5, second).with(13, first);
    expect(verifyLines(swapped)).toMatchObject({ ok: false, at: 5 });
  });

  it(proves('R09')('shows any change, loss, doubling or move of any line, if the head was kept'), () => {
    const change = fc.constantFrom('remove', 'swap', 'double', 'edit', 'cut');
    fc.assert(
      fc.property(change, fc.tuple(fc.nat(), fc.nat()), fc.string({ maxLength: 3 }), (how, [a, b], insert) => {
        const { lines, head } = small;
        const [one, two] = [a % lines.length, b % lines.length];
        const [first, second] = [lines[one], lines[two]] as [string, string];
        const place = b % first.length;
        const changed = {
          remove: lines.toSpliced(one, 1),
          swap: lines.with(one, second).with(two, first),
          double: lines.toSpliced(two, 0, first),
          edit: lines.with(one, first.slice(0, place) + insert + first.slice(place + 1)),
          cut: lines.slice(0, one),
        }[how];
        fc.pre(JSON.stringify(changed) !== JSON.stringify(lines));
        // What is signed by a later checkpoint is signed; only the last record shows a cut.
        const isCheckpoint = readCheckpointLine(first) !== undefined;
        const isHarmless = (how === 'remove' || (how === 'cut' && one === lines.length - 1)) && isCheckpoint;
        expect(verifyLines(changed, { keys, head }).ok).toBe(isHarmless);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it(proves('R09')('shows a signature that is not in canonical form, though its bytes are right'), () => {
    const line = small.lines[5] as string;
    const checkpoint = readCheckpointLine(line) as Checkpoint;
    for (const signature of otherSpellings(checkpoint.signature, 'base64')) {
      const changed = small.lines.with(5, checkpointLine({ ...checkpoint, signature }));
      expect(verifyLines(changed, { keys }), signature).toMatchObject({ ok: false, at: 5 });
    }
  });

  it(proves('R09')('shows a forger by the signature, the key, the namespace, and what is missing'), () => {
    const forged = exported(20, [5, 12, 20], 'another').lines;
    expect(verifyLines(forged, { keys, namespace: 'default' })).toMatchObject({ ok: false, at: 5 });
    expect(verifyLines(small.lines, { keys: [other] })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('with an unknown key: 0123456789abcdef'),
    });
    expect(verifyLines(small.lines, { keys: [{ ...other, id: own.id }] })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('signed with another key'),
    });
    const mixed = small.lines.with(13, forged[13] as string);
    expect(verifyLines(mixed, { keys })).toMatchObject({
      ok: false,
      at: 12,
      problem: expect.stringContaining('another'),
    });
  });

  it(proves('R09')('shows a checkpoint that is missing after a full segment, unless there are none at all'), () => {
    const due = [1_000, 2_000, 3_000];
    const verified = (stops: readonly number[], mustBeSigned = false) =>
      verifyLines(exported(3_100, stops).lines, { keys, mustBeSigned });
    expect(verified([...due, 3_100], true)).toMatchObject({ ok: true, checkpoints: 4 });
    expect(verified([])).toMatchObject({ ok: true, signed: 0 });
    expect(verified([], true)).toMatchObject({ ok: false, at: 1_000 });
    for (const stop of due) {
      const rest = [...due.filter((each) => each !== stop), 3_100];
      expect(verified(rest)).toEqual({
        ok: false,
        at: stop,
        problem: `the checkpoint after ${stop} records is missing`,
      });
    }
    expect(verified([1_000, 2_000])).toMatchObject({ ok: false, at: 3_000 });
    expect(verifyLines(exported(1_000, []).lines, { keys, mustBeSigned: true })).toMatchObject({
      ok: false,
      at: 1_000,
    });
  });

  it(proves('R09')('can begin in the middle, where that is said'), () => {
    const [record] = small.lines.slice(6) as [string];
    const { prev } = JSON.parse(record) as { prev: string };
    const from = { seq: 5, prev };
    expect(verifyLines(small.lines.slice(6), { keys, from, head: small.head })).toMatchObject({ ok: true, count: 15 });
    expect(verifyLines(small.lines.slice(6), { keys }).ok).toBe(false);
  });
});

describe('a line with a checkpoint', () => {
  const [line] = [small.lines[5] as string];

  it(proves('R09')('gives the checkpoint back'), () => {
    const read = readCheckpointLine(line) as Checkpoint;
    expect(read).toMatchObject({ namespace: 'default', count: 5, key: own.id });
    expect(checkpointLine(read)).toBe(line);
  });

  const odd: Readonly<Record<string, string>> = {
    'no JSON': line.slice(0, -1),
    'a blank': line.replace(':5', ': 5'),
    'a field more': line.replace('"count"', '"more":1,"count"'),
    'a field less': line.replace('"count":5,', ''),
    'a text for a number': line.replace('"count":5', '"count":"5"'),
    'a number for a text': line.replace(/"key":"\w+"/, '"key":5'),
    'a number beyond counting': line.replace('"count":5', '"count":1e400'),
    'nothing in it': '{"checkpoint":null}',
    'a list': '[{"checkpoint":{}}]',
  };
  for (const [name, text] of Object.entries(odd)) {
    it(proves('R09')(`with ${name} is none, and a fault in an export`), () => {
      expect(readCheckpointLine(text)).toBeUndefined();
      expect(verifyLines(small.lines.with(5, text), { keys })).toMatchObject({ ok: false, at: 5 });
    });
  }
});
