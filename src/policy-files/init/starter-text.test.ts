import { evaluate } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { runs } from '../../../test/property-runs.ts';
import { celText, commentText, yamlText, yamlTexts } from './starter-text.ts';

const hostile = [
  '',
  'yes',
  'No',
  'null',
  '~',
  '1e3',
  '0x1',
  '2027-01-01',
  '- a',
  'a: b',
  'a #b',
  "'",
  '"',
  '\\',
  '{a}',
  '*',
];
const texts = fc.oneof(
  fc.constantFrom(...hostile, 'a\nallow: *', '\u2028', '\u{1F600}', '\u0085'),
  fc.string({ unit: 'grapheme' }),
);

it('a text stays the same text in YAML, in block and in flow, alone and in a list', () => {
  fc.assert(
    fc.property(texts, texts, (one, two) => {
      expect(parse(`key: ${yamlText(one)}\n`)).toEqual({ key: one });
      expect(parse(`- { value: ${yamlText(one)}, list: [${yamlText(two)}] }\n`)).toEqual([{ value: one, list: [two] }]);
      expect(parse(yamlTexts([one, two]))).toEqual([one, two]);
      expect(yamlText(one)).toMatch(/^[\x20-\x7e]*$/);
    }),
    { numRuns: runs(500) },
  );
});

it('a text stays the same text in a condition', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(evaluate(celText(text))).toBe(text);
      expect(celText(text)).toMatch(/^"[\x20-\x7e]*"$/);
    }),
    { numRuns: runs(500) },
  );
});

it('a comment is one line of a bounded length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const comment = commentText(text);
      expect(comment).toMatch(/^[\x20-\x7e…]*$/);
      expect(comment.length).toBeLessThanOrEqual(1 + 100 * 10);
    }),
    { numRuns: runs(300) },
  );
});
