import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { containsMask, isMasked, maskText } from './mask-text.ts';

describe('a mask', () => {
  it(proves('D09')('is recognised alone and in a text, and reveals only the length of the secret'), () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (secret, before, key) => {
        const mask = maskText(secret, key);
        expect(mask).toMatch(/^\[masked:\d+:[0-9a-f]{8}\]$/);
        expect(isMasked(mask)).toBe(true);
        expect(containsMask(`${before}${mask}`)).toBe(true);
        expect(isMasked(`x${mask}`)).toBe(false);
        expect(containsMask([{ deep: [mask] }])).toBe(true);
        expect(containsMask({ [mask]: 1 })).toBe(true);
      }),
    );
  });

  it(proves('D09')('is equal only for the same secret and key'), () => {
    expect(maskText('secret', 'key')).toBe(maskText('secret', 'key'));
    expect(maskText('secret', 'key')).not.toBe(maskText('secret', 'other'));
    expect(maskText('secret', 'key')).not.toBe(maskText('Secret', 'key'));
  });

  it(proves('D09')('is not recognised in other texts'), () => {
    for (const value of [null, 1, true, '', '[masked]', '[masked:1:xyz]', '[masked::00000000]', [], {}, { a: ['b'] }]) {
      expect(containsMask(value)).toBe(false);
    }
  });
});
