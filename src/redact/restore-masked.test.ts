/** Editing text around masks keeps the secrets that were not touched. */

import { containsMask, maskSecrets, restoreMasked } from 'bridle/journal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { chosen, madeUp, plantedDocument, spelledName } from '../../test/masking/planted-secrets.ts';
import { runs } from '../../test/property-runs.ts';

const mask = maskSecrets({ key: 'k', env: {} });

describe('restoreMasked', () => {
  it(proves('R10')('restores unchanged args'), () => {
    const args = fc.tuple(spelledName, chosen, madeUp, fc.integer()).map(([name, secret, token, count]) => ({
      [name]: secret,
      command: `curl -H 'Authorization: Bearer ${token}' https://me:${token}@x`,
      password: count,
      list: [{ name: 'API_KEY', value: token }, 'x'],
    }));
    fc.assert(
      fc.property(args, (original) => {
        const shown = JSON.parse(JSON.stringify(mask(original))) as typeof original;
        expect(containsMask(shown)).toBe(true);
        expect(restoreMasked(shown, original, mask)).toEqual(original);
      }),
      { numRuns: runs(300) },
    );
  });

  it(proves('R10')('keeps edits, also inside a text'), () => {
    const original = { url: 'https://me:hunter2@old/', token: 'abc123', count: 1 };
    const shown = mask(original);
    const edited = { url: shown.url.replace('old', 'new'), count: 2, token: `Bearer ${shown.token}` };
    expect(restoreMasked(edited, original, mask)).toEqual({
      url: 'https://me:hunter2@new/',
      count: 2,
      token: 'Bearer abc123',
    });
    expect(restoreMasked({ token: 'other' }, original, mask)).toEqual({ token: 'other' });
  });

  it(
    proves('R10', 'Q03')('restores a secret only at its original position; a moved mask stays and can be refused'),
    () => {
      const original = { token: 'abc123', header: '', list: ['x', { password: 'p4ssword' }] };
      const shown = mask(original);
      const [, second] = shown.list as [string, { readonly password: string }];
      const moved = [
        { ...shown, header: `Bearer ${shown.token}` },
        { ...shown, token: '', header: shown.token },
        { ...shown, list: [second, 'x'] },
        { ...shown, list: ['x', { password: '', note: second.password }] },
        { ...shown, list: { 1: second } },
        { ...shown, [shown.token]: 'x' },
      ];
      for (const edited of moved) expect(containsMask(restoreMasked(edited as never, original, mask))).toBe(true);
    },
  );

  it(proves('R10', 'Q03')('keeps a text that only looks like the mask of a secret'), () => {
    const { token } = mask({ token: 'abc123' });
    const original = { token: 'abc123', note: `see ${token}`, header: `Bearer abc123 ${token}`, count: 1 };
    const shown = mask(original);
    expect(restoreMasked({ ...shown, count: 2 }, original, mask)).toEqual({ ...original, count: 2 });
    // It is ambiguous which of the two was kept.
    const edited = { ...shown, header: `${shown.header}!` };
    expect(restoreMasked(edited, original, mask)).toEqual({ ...original, header: edited.header });
  });

  it(proves('R10')('keeps a mask that is not in the original, so that it can be refused'), () => {
    const foreign = mask({ token: 'something else' });
    const restored = restoreMasked(foreign, { token: 'abc123' }, mask);
    expect(containsMask(restored)).toBe(true);
    // A text that only looks like a mask means nothing.
    const forged = { note: '[masked:3:deadbeef]' };
    expect(restoreMasked(forged, forged, mask)).toBe(forged);
  });

  it(proves('R10')('never inserts anything but a secret of the original'), () => {
    const env = ['q1w2e3r4t5y6'];
    fc.assert(
      fc.property(plantedDocument(env), ({ value }) => {
        const own = maskSecrets({ key: 'k', env: { A_TOKEN: env[0] } });
        const restored = restoreMasked(own(value) as never, value as never, own);
        // Each mask is either restored exactly, or still there to be refused.
        expect(JSON.stringify(own(restored))).toBe(JSON.stringify(own(value)));
      }),
      { numRuns: runs(300) },
    );
  });
});
