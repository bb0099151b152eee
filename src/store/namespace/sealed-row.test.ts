/** Sealed rows: only what was written opens. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { openKeyRing } from '../keys/open-key-ring.ts';
import { createSealer, type RowId, type Sealer } from './sealed-row.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-seal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const keys = openKeyRing(join(folder, 'keys'));
const plain = createSealer({ keys, namespace: 'n', encrypt: false });
const secret = createSealer({ keys, namespace: 'n', encrypt: true });

const damaged = expect.objectContaining({ code: 'STORE_DAMAGED' });
const body = fc.json();
const row: fc.Arbitrary<RowId> = fc.record({
  table: fc.string(),
  key: fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }),
});
const way = fc.constantFrom(
  (name: RowId, text: string) => plain.seal(name, text),
  (name: RowId, text: string) => plain.sealState(name, text),
  (name: RowId, text: string) => secret.seal(name, text),
  (name: RowId, text: string) => secret.sealState(name, text),
);

describe('a sealed row', () => {
  it('opens with any sealer of the same keys', () => {
    fc.assert(
      fc.property(row, body, way, (name, text, seal) => {
        const sealed = seal(name, text);
        for (const sealer of [plain, secret]) expect(sealer.open(name, sealed)).toBe(text);
      }),
      { numRuns: runs(200) },
    );
  });

  it(proves('R04')('does not open if any part of it differs'), () => {
    const others: readonly Sealer[] = [
      createSealer({ keys, namespace: 'm', encrypt: false }),
      createSealer({ keys: openKeyRing(join(folder, 'other')), namespace: 'n', encrypt: false }),
    ];
    fc.assert(
      fc.property(fc.tuple(row, row), fc.tuple(body, fc.nat()), way, ([name, other], [text, at], seal) => {
        const sealed = seal(name, text);
        for (const sealer of others) expect(() => sealer.open(name, sealed)).toThrow(damaged);
        if (JSON.stringify(name) !== JSON.stringify(other)) expect(() => plain.open(other, sealed)).toThrow(damaged);
        for (const column of ['body', 'mac'] as const) {
          const whole = sealed[column];
          const i = at % whole.length;
          const flipped = whole.slice(0, i) + String.fromCodePoint(whole.charCodeAt(i) ^ 1) + whole.slice(i + 1);
          expect(() => plain.open(name, { ...sealed, [column]: flipped })).toThrow(damaged);
          expect(() => plain.open(name, { ...sealed, [column]: whole.slice(0, i) })).toThrow(damaged);
          // As many characters, but more bytes.
          const longer = `${whole.slice(0, i)}é${whole.slice(i + 1)}`;
          expect(() => plain.open(name, { ...sealed, [column]: longer })).toThrow(damaged);
          expect(() => plain.open(name, { ...sealed, [column]: null })).toThrow(damaged);
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('cannot be confused with another by shifting its parts', () => {
    const sealed = plain.seal({ table: 't', key: ['a', 'b'] }, '1');
    for (const key of [['ab'], ['a","b'], ['a', 'b', ''], ['', 'a', 'b']]) {
      expect(() => plain.open({ table: 't', key }, sealed)).toThrow(damaged);
    }
    expect(() => plain.open({ table: 't', key: ['1'] }, plain.seal({ table: 't', key: [1] }, '1'))).toThrow(damaged);
  });

  it(proves('R10')('encrypts a state, differently each time'), () => {
    const name = { table: 't', key: ['k'] };
    const [one, other] = [secret.sealState(name, '"hunter2"'), secret.sealState(name, '"hunter2"')];
    expect(one.body).not.toContain('hunter2');
    expect(Buffer.from(one.body.split(':')[1] ?? '', 'base64').toString('latin1')).not.toContain('hunter2');
    expect(one.body).not.toBe(other.body);
    expect(secret.seal(name, '"shown"').body).toBe('"shown"');
    expect(plain.sealState(name, '"shown"').body).toBe('"shown"');
  });
});
