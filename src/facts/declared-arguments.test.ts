import fc from 'fast-check';
import { expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { runs } from '../../test/property-runs.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import { findDeclaredArguments } from './declared-arguments.ts';

const name = fc.constantFrom('a', 'b', 'a[]', 'a.b', 'a[].b', 'b[]', '__proto__', 'toString', '', '[]');
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>('x', 1, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));
const args: fc.Arbitrary<JsonObject> = fc.dictionary(name, value, { maxKeys: 5 });

it(proves('W01')('a declared argument is found alike by the short way and by the long one'), () => {
  fc.assert(
    // Of two declarations the long way is taken, and what is found twice counts once.
    fc.property(args, name, (given, declared) => {
      expect(findDeclaredArguments(given, [declared])).toEqual(findDeclaredArguments(given, [declared, declared]));
    }),
    { numRuns: runs(5000) },
  );
});

it(proves('W01')('a declared argument is found once more under a name with marks'), () => {
  const found = findDeclaredArguments({ path: 'x', 'path[]': ['y'] }, ['path']);
  expect(found.map(({ value: each }) => each)).toEqual(['x', 'y']);
});
