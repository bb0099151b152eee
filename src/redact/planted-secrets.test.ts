/** Planted secrets disappear, whatever surrounds them; without planted secrets, nothing changes. */

import { maskSecrets } from 'bridle/journal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { naiveMask } from '../../test/masking/naive-mask.ts';
import {
  chosen,
  madeUp,
  ordinaryDocument,
  plantedDocument,
  readings,
  templateText,
} from '../../test/masking/planted-secrets.ts';
import { runs } from '../../test/property-runs.ts';

const key = 'a key of tests';
const environment = fc.record({ ONE_TOKEN: madeUp, TWO_PASSWORD: chosen, THREE_API_KEY: madeUp });
const planted = environment.chain((env) =>
  plantedDocument(Object.values(env)).map((document) => ({ env, ...document })),
);

/** The same keys, lists of the same length, strings for strings; numbers may become strings. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shapeOf(each)]));
}

describe('a document', () => {
  it(proves('R10')('with planted secrets shows none of them in any encoding, and keeps its structure'), () => {
    fc.assert(
      fc.property(planted, ({ env, value, secrets }) => {
        const masked = maskSecrets({ key, env })(value);
        const text = JSON.stringify(masked);
        const all = [...readings(text), text.replaceAll(/\\+(["\\])/g, '$1')].join('\n');
        // Everything a person can read in it; latin1 represents bytes.
        const shown = secrets.filter((secret) =>
          [secret, Buffer.from(secret).toString('latin1'), secret.replaceAll(/\\+(["\\])/g, '$1')].some((form) =>
            all.includes(form),
          ),
        );
        expect(shown).toEqual([]);
        expect(secrets.length === 0 || masked !== value).toBe(true);
        expect(shapeOf(masked)).toEqual(shapeOf(value));
      }),
      { numRuns: runs(500) },
    );
  });

  it(proves('R10')('that is masked does not change when masked again'), () => {
    fc.assert(
      fc.property(planted, ({ env, value }) => {
        const mask = maskSecrets({ key, env });
        const masked = mask(value);
        expect(mask(masked)).toBe(masked);
        expect(maskSecrets({ key, env })(value)).toEqual(masked);
      }),
      { numRuns: runs(300) },
    );
  });

  it(proves('R10')('with any texts gets a stable result, the same each time'), () => {
    const word = fc.constantFrom(
      ...'token password = : " \' ` --key x9 Bearer :// @ ? & ; % \\ { [ ] } , $ ( < > \n curl -u [masked:1:aaaaaaaa] Cookie Authorization a1b2c3d4e5f6g7h8'.split(
        ' ',
      ),
      ' ',
      '\n',
    );
    const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(''));
    const value = fc.oneof(text, fc.string({ unit: 'binary' }), fc.array(text), fc.dictionary(text, text));
    fc.assert(
      fc.property(value, (given) => {
        const mask = maskSecrets({ key, env: { A_TOKEN: 'x9x9x9x9=:' } });
        const masked = mask(given);
        const again = mask(masked);
        expect(again).toEqual(masked);
        expect(mask(given)).toEqual(masked);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it(proves('R10')('without secrets is returned unchanged'), () => {
    fc.assert(
      fc.property(ordinaryDocument, environment, (value, env) => {
        expect(maskSecrets({ key, env })(value)).toBe(value);
      }),
      { numRuns: runs(200) },
    );
  });

  it(proves('R10')('with texts of known forms is masked like a plain search and replace'), () => {
    fc.assert(
      fc.property(templateText, ({ value, secrets }) => {
        const expected = naiveMask(value as string, secrets, key);
        expect(maskSecrets({ key, env: {} })(value)).toBe(expected);
      }),
      { numRuns: runs(1_000) },
    );
  });
});
