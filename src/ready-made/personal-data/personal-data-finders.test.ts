import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { personalData } from './personal-data-finders.ts';
import { maskTexts, patternFinder } from './text-ranges.ts';

const all = Object.values(personalData);
const mask = (text: string) => maskTexts([text], all)[0];

describe('masking personal data', () => {
  it.each([
    ['ann@example.com', '[email]'],
    ['<ann.b+c@mail.example.co.uk>,', '<[email]>,'],
    ['jürgen@müller.de und x@bücher.example', '[email] und [email]'],
    ["to: 'ann@example.com', '@example.com'", "to: '[email]', '@example.com'"],
    ['a@b.c@d.com 𝒶nn@example.com', 'a@[email] [email]'],
    ['mailto:ann@xn--bcher-kva.example', 'mailto:[email]'],
    [`${'a'.repeat(300)}@example.com`, '[email]'],
    ['Card 4111 1111 1111 1111, exp 12/30', 'Card [card number], exp 12/30'],
    ['4111-1111-1111-1111 4111111111111111', '[card number] [card number]'],
    ['378282246310005 or 3782 822463 10005', '[card number] or [card number]'],
    ['5000 4111 1111 1111 1111', '5000 [card number]'],
    ['DE89 3704 0044 0532 0130 00', '[IBAN]'],
    ['iban de89370400440532013000.', 'iban [IBAN].'],
    ['GB29 NWBK 6016 1331 9268 19 USA', '[IBAN] USA'],
    ['NO9386011117947 and BE68539007547034', '[IBAN] and [IBAN]'],
    ['Call +49 (0)30 1234567 or +1-415-555-0132!', 'Call [phone number] or [phone number]!'],
    ['(415) 555-0132, 415-555-0132, 415.555.0132', '[phone number], [phone number], [phone number]'],
    ['Tel. 030/1234567 or 0151 23456789', 'Tel. [phone number] or [phone number]'],
    ['+4915112345678', '[phone number]'],
  ])(proves('E16')('masks %s'), (text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  it.each([
    'react@18.2.0 and @types/node@20.19.43',
    'git@github.com:org/repo.git',
    'user@localhost',
    '2026-11-15T08:45:12.123Z',
    '1234 5678 9012 3456',
    '4111 1111 1111 1112',
    '192.168.100.200:8080',
    '123e4567-e89b-12d3-a456-426614174000',
    'GB00 NWBK 6016 1331 9268 19',
    'version 1.2.3-4567, 10 000 000',
    'sha256-9f86d081884c7d659a2feaa0c55ad015',
    'lines 100-200, 300-400',
    '1700000000000',
    '',
  ])(proves('E16')('ignores: %s'), (text) => {
    expect(mask(text)).toBe(text);
  });

  it(proves('E16')('masks data that is split across texts at any position'), () => {
    const text = 'Write to ann@example.com or +1 415 555 0132, card 4111 1111 1111 1111.';
    const whole = mask(text);
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const texts = places.slice(1).map((to, index) => text.slice(places[index], to));
        const masked = maskTexts(texts, all);
        expect(masked).toHaveLength(texts.length);
        expect(masked.join('')).toBe(whole);
      }),
    );
  });

  it(proves('E16')('masks a text that follows another one ending in a letter'), () => {
    expect(maskTexts(['x', '4111 1111 1111 1111', 'DE89370400440532013000', '+14155550132'], all)).toEqual([
      'x',
      '[card number]',
      '[IBAN]',
      '[phone number]',
    ]);
  });

  it(proves('E16')('leaves nothing to mask a second time'), () => {
    const piece = fc.constantFrom('ann@b.co', '4111111111111111', '+14155550132', 'DE89370400440532013000', 'x', ',');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const once = mask(pieces.join(' ')) as string;
        expect(mask(once)).toBe(once);
      }),
    );
  });

  it(proves('E16')('finds custom patterns with any flags'), () => {
    for (const pattern of [/id-\d+/, /id-\d+/g, /ID-\d+/giu]) {
      pattern.lastIndex = 5;
      expect(maskTexts(['id-1 id-22', 'id-3'], [patternFinder('[id]', pattern)])).toEqual(['[id] [id]', '[id]']);
    }
    expect(maskTexts(['aab'], [patternFinder('[a]', /a/y)])).toEqual(['[a][a]b']);
    expect(maskTexts(['a😀b'], [patternFinder('!', /x*/gu)])).toEqual(['a😀b']);
  });

  it.each([
    ['a'],
    ['a@'],
    ['a.b-'],
    ['a@b.'],
    ['4111 '],
    ['4111'],
    ['+1 '],
    ['+1('],
    ['0123 '],
    ['AB12 '],
    ['DE89'],
    ['(415) '],
    ['ann@example.com '],
  ])(proves('E16')('stays fast for two million characters of "%s"'), (piece) => {
    const text = piece.repeat(Math.ceil(2_000_000 / piece.length));
    const started = performance.now();
    mask(text);
    expect(performance.now() - started, 'a bound against hanging').toBeLessThan(20_000);
  });
});
