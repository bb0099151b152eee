/** Schemas of tools that parse their args themselves: the guard parses them first, and then the tool does it again. */

import { isDeepStrictEqual } from 'node:util';
import { isStandardSchema } from '../kernel/catalog/read-declaration.ts';
import { isPromise } from '../kernel/maybe-promise.ts';
import type { StandardSchema } from '../kernel/tool.ts';

/** The same schema. If its output is no valid input, such as after a conversion, valid args stay as they are. */
export function repeatableSchema(schema: unknown): unknown {
  if (!isStandardSchema(schema)) return schema;
  const { validate } = schema['~standard'];
  const repeatable: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'bridle',
      validate(value) {
        const first = validate(value);
        if (isPromise(first) || first.issues !== undefined) return first;
        if (isDeepStrictEqual(first.value, value)) return first;
        const again = validate(first.value);
        const isSame = !isPromise(again) && again.issues === undefined && isDeepStrictEqual(again.value, first.value);
        return isSame ? first : { value };
      },
    },
  };
  return repeatable;
}
