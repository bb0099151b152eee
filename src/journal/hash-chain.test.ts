/** The hash chain: whatever is changed, removed, moved or put in is found. */

import {
  chainStart,
  memoryJournal,
  readRecordLine,
  recordLine,
  sealRecord,
  verifyLines,
  verifyRecords,
  type JournalEntry,
  type JournalRecord,
} from 'bridle/journal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { noteOf } from '../../test/rigs/journal-rig.ts';
import { runs } from '../../test/property-runs.ts';

function journalOf(details: readonly unknown[]) {
  const journal = memoryJournal();
  for (const detail of details) journal.append(noteOf(detail));
  return journal;
}

const details = fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 12 });
const hex = fc.stringMatching(/^[0-9a-f]{64}$/);

describe('a chain', () => {
  it(proves('Q05')('of any entries is sound, and its head is that of the last record'), () => {
    fc.assert(
      fc.property(details, (given) => {
        const { records, head } = journalOf(given);
        expect(verifyRecords(records)).toEqual({ ok: true, count: given.length, head });
        expect(verifyRecords(records, { head })).toMatchObject({ ok: true });
        expect(records[0]?.prev).toBe(chainStart);
        expect(records.map(({ seq }) => seq)).toEqual(given.map((_, i) => i));
        expect(records.slice(1).map(({ prev }) => prev)).toEqual(records.slice(0, -1).map(({ hash }) => hash));
      }),
      { numRuns: runs(200) },
    );
  });

  it(proves('Q05')('that is empty is sound, and no head fits it but its start'), () => {
    expect(verifyRecords([])).toEqual({ ok: true, count: 0, head: chainStart });
    expect(verifyRecords([], { head: chainStart })).toMatchObject({ ok: true });
    expect(verifyRecords([], { head: 'f'.repeat(64) })).toMatchObject({ ok: false });
    expect(journalOf([]).head).toBe(chainStart);
  });

  const field = fc.constantFrom('text', 'hash', 'prev', 'seq');
  it(proves('Q05')('shows any change of any field of any record'), () => {
    fc.assert(
      fc.property(
        details,
        fc.nat(),
        fc.tuple(field, fc.oneof(fc.string(), hex, fc.nat())),
        (given, at, [name, value]) => {
          const records = [...journalOf(given).records];
          const index = at % records.length;
          const record = records[index] as JournalRecord;
          const other = name === 'seq' ? Number(value) : String(value);
          fc.pre(record[name as keyof JournalRecord] !== other);
          records[index] = { ...record, [name]: other };
          const found = verifyRecords(records);
          expect(found.ok).toBe(false);
          if (!found.ok) expect(Math.abs(found.at - index)).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it(proves('Q05')('shows a change by one character of the text of an entry'), () => {
    fc.assert(
      fc.property(
        details,
        fc.tuple(fc.nat(), fc.nat()),
        fc.string({ minLength: 1, maxLength: 1 }),
        (given, [at, place], character) => {
          const records = [...journalOf(given).records];
          const index = at % records.length;
          const record = records[index] as JournalRecord;
          const cut = place % record.text.length;
          const text = record.text.slice(0, cut) + character + record.text.slice(cut + 1);
          fc.pre(text !== record.text);
          records[index] = { ...record, text };
          expect(verifyRecords(records)).toMatchObject({
            ok: false,
            at: index,
            problem: expect.stringContaining('was changed'),
          });
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it(proves('Q05')('shows records that are missing, moved, doubled or put in'), () => {
    const change = fc.constantFrom('remove', 'swap', 'double', 'insert', 'forge');
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 2, maxLength: 12 }),
        fc.tuple(fc.nat(), fc.nat()),
        change,
        (given, [a, b], how) => {
          const { records: sound, head } = journalOf(given);
          const records = [...sound];
          const one = a % records.length;
          const two = b % records.length;
          if (how === 'remove') records.splice(one, 1);
          if (how === 'double') records.splice(two, 0, records[one] as JournalRecord);
          if (how === 'swap') {
            fc.pre(one !== two);
            [records[one], records[two]] = [records[two] as JournalRecord, records[one] as JournalRecord];
          }
          // A stranger's record, sealed properly for its place: what follows no longer fits.
          const before = records[one - 1]?.hash ?? chainStart;
          if (how === 'insert') records.splice(one, 0, sealRecord(noteOf('forged'), one, before));
          if (how === 'forge') records[one] = sealRecord(noteOf('forged'), one, before);
          expect(verifyRecords(records, { head }).ok).toBe(false);
          // Without the head only a change at the very end can pass.
          const atEnd = (how === 'remove' || how === 'forge') && one === given.length - 1;
          expect(verifyRecords(records).ok).toBe(atEnd);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it(proves('Q05')('shows an end that is cut off, if a head was kept; a head of earlier days still fits'), () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 12 }), fc.nat(), fc.nat(), (given, a, b) => {
        const { records } = journalOf(given);
        const kept = a % given.length;
        const left = b % (given.length + 1);
        const head = (records[kept] as JournalRecord).hash;
        expect(verifyRecords(records.slice(0, left), { head }).ok).toBe(left > kept);
      }),
      { numRuns: runs(300) },
    );
    expect(verifyRecords(journalOf([1]).records, { head: journalOf([2]).head })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('head'),
    });
  });

  it(proves('Q05')('can be verified in parts, each from where the one before ended'), () => {
    const { records, head } = journalOf([1, 2, 3, 4, 5]);
    const first = verifyRecords(records.slice(0, 2));
    expect(first.ok).toBe(true);
    const from = { seq: 2, prev: first.ok ? first.head : '' };
    expect(verifyRecords(records.slice(2), { from, head })).toEqual({ ok: true, count: 3, head });
    expect(verifyRecords(records.slice(3), { from }).ok).toBe(false);
    expect(verifyRecords(records.slice(2), { from: { ...from, prev: chainStart } }).ok).toBe(false);
    expect(verifyRecords([], { from, head: from.prev })).toMatchObject({ ok: true });
  });

  it(proves('Q05')('binds the place of a record: the same entry has another hash elsewhere'), () => {
    const { records } = journalOf(['same', 'same', 'same']);
    expect(new Set(records.map(({ hash }) => hash)).size).toBe(3);
    expect(new Set(records.map(({ text }) => text)).size).toBe(1);
  });
});

describe('an exported line', () => {
  it(proves('Q05')('is one line of JSON, and gives the record back'), () => {
    fc.assert(
      fc.property(details, (given) => {
        const { records } = journalOf(given);
        for (const record of records) {
          const line = recordLine(record);
          expect(line).not.toContain('\n');
          expect(readRecordLine(line)).toEqual(record);
          expect(JSON.parse(line)).toEqual({
            seq: record.seq,
            prev: record.prev,
            hash: record.hash,
            entry: JSON.parse(record.text),
          });
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it(proves('Q05')('that was changed in any way is not a record, or does not verify'), () => {
    const edit = fc.record({ at: fc.nat(), remove: fc.nat(3), insert: fc.string({ maxLength: 3 }) });
    fc.assert(
      fc.property(details, fc.nat(), edit, (given, which, { at, remove, insert }) => {
        const { records, head } = journalOf(given);
        const lines = records.map(recordLine);
        const index = which % lines.length;
        const line = lines[index] as string;
        const place = at % (line.length + 1);
        lines[index] = line.slice(0, place) + insert + line.slice(place + remove);
        fc.pre(lines[index] !== line);
        const read = lines.map(readRecordLine);
        const sound = read.filter((each) => 'seq' in each);
        expect(sound.length < lines.length || !verifyRecords(sound, { head }).ok).toBe(true);
      }),
      { numRuns: runs(2_000) },
    );
  });

  const line = recordLine(journalOf(['x']).records[0] as JournalRecord);
  const odd: Readonly<Record<string, string>> = {
    nothing: '',
    'no JSON': 'x',
    'other JSON': '{"seq":0}',
    'a zero in front': line.replace('"seq":0', '"seq":00'),
    'a sign': line.replace('"seq":0', '"seq":-0'),
    'a fraction': line.replace('"seq":0', '"seq":0.0'),
    'a power': line.replace('"seq":0', '"seq":0e1'),
    'a blank': line.replace('"seq":0', '"seq": 0'),
    'upper case': line.toUpperCase(),
    'a line break at the end': `${line}\n`,
    'two lines': `${line}\n${line}`,
    'a field more': line.replace('"entry":', '"more":1,"entry":'),
    'fields in another order': line.replace(/"prev":"(\w+)","hash":"(\w+)"/, '"hash":"$2","prev":"$1"'),
    'an entry that is no object': line.replace(/"entry":.*/, '"entry":5}'),
    'an entry that is no JSON': line.replace('"v":1', '"v":01'),
    'a seq beyond counting': line.replace('"seq":0', `"seq":${'9'.repeat(20)}`),
    'a byte order mark': `\ufeff${line}`,
  };
  for (const [name, text] of Object.entries(odd)) {
    it(proves('Q05')(`with ${name} is reported as an invalid record`), () => {
      expect(readRecordLine(text)).toEqual({ problem: expect.stringMatching(/./) });
    });
  }
});

describe('a journal in memory', () => {
  it(proves('Q05')('keeps what it was given as it was then, in order'), () => {
    const journal = memoryJournal();
    const detail = { list: [1] };
    journal.append(noteOf(detail));
    detail.list.push(2);
    expect(journal.entries()).toMatchObject([{ detail: { list: [1] } }]);
    (journal.entries() as JournalEntry[]).length = 0;
    expect(journal.entries()).toHaveLength(1);
    expect(Object.isFrozen(journal.records[0])).toBe(true);
  });

  it(proves('Q05')('has the same records whenever somebody looks'), () => {
    const given = Array.from({ length: 200 }, (_, at) => ({ at, text: 'two\nlines' }));
    const [looked, unseen] = [memoryJournal(), journalOf(given)];
    for (const [at, detail] of given.entries()) {
      looked.append(noteOf(detail));
      if (at % 7 === 0) expect(looked.records).toHaveLength(at + 1);
      if (at % 11 === 0) expect(looked.head).toBe(looked.records.at(-1)?.hash);
    }
    expect(unseen.records).toEqual(looked.records);
    expect(verifyRecords(unseen.records, { head: looked.head })).toMatchObject({ ok: true, count: 200 });
  });

  it(proves('G10')('refuses what it cannot write by throwing, and stays sound'), () => {
    const journal = journalOf([1]);
    expect(() => journal.append(noteOf(1n))).toThrow('BigInt');
    journal.append(noteOf(2));
    expect(verifyRecords(journal.records)).toMatchObject({ ok: true, count: 2 });
  });
});

describe('verifyLines', () => {
  const journal = memoryJournal();
  for (const detail of ['a', 'b', 'c']) journal.append(noteOf(detail));
  const lines = journal.records.map(recordLine);
  const { head } = journal;

  it(proves('Q05')('accepts an exported journal, with or without an empty last line'), () => {
    const none = { checkpoints: 0, signed: 0 };
    expect(verifyLines(lines, { head })).toEqual({ ok: true, count: 3, head, ...none });
    expect(verifyLines([...lines, ''])).toEqual({ ok: true, count: 3, head, ...none });
    expect(verifyLines([])).toEqual({ ok: true, count: 0, head: chainStart, ...none });
  });

  it(proves('Q05')('finds a line that is cut, foreign, missing or empty'), () => {
    const [first, second, third] = lines as [string, string, string];
    const damaged: Record<string, readonly string[]> = {
      cut: [first, second, third.slice(0, -5)],
      foreign: [first, '{"hello":1}', second, third],
      missing: [first, third],
      changed: [first, second.replace('"b"', '"x"'), third],
      'changed before a foreign line': [first.replace('"a"', '"x"'), 'x'],
      gap: [first, '', second, third],
    };
    for (const [name, all] of Object.entries(damaged)) expect([name, verifyLines(all).ok]).toEqual([name, false]);
    expect(verifyLines([first, second], { head }).ok).toBe(false);
  });
});
