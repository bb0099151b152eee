/** Copies of args for tools and histories. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { copyJson, type JsonObject } from '../kernel/json.ts';
import { changeableArgs, rewriteArgs } from './rewritten-args.ts';

const args = fc
  .dictionary(fc.string(), fc.jsonValue())
  .map((value) => copyJson(value, { bytes: 2 ** 20, depth: 64 }) as { readonly value?: JsonObject })
  .filter(({ value }) => value !== undefined)
  .map(({ value }) => value as JsonObject);

/** Changes everything that can be changed, at every level. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const each of Object.values(value)) spoil(each);
  if (Array.isArray(value)) value.push('spoiled');
  else Object.assign(value, { spoiled: true });
}

describe('args for a tool', () => {
  it(proves('G01')('are equal to the decided ones, and changing them changes nothing else'), () => {
    fc.assert(
      fc.property(args, (decided) => {
        const before = JSON.stringify(decided);
        const copy = changeableArgs(decided);
        expect(copy).toEqual(decided);
        spoil(copy);
        expect(copy['spoiled']).toBe(true);
        expect(JSON.stringify(decided)).toBe(before);
      }),
    );
  });
});

describe('args in a history', () => {
  it(proves('B07')('become those that run, whatever they were'), () => {
    fc.assert(
      fc.property(args, args, (given, decided) => {
        const history = changeableArgs(given);
        rewriteArgs(history, decided);
        expect(history).toEqual(decided);
        spoil(history);
        expect(decided['spoiled']).not.toBe(true);
      }),
    );
  });
});
