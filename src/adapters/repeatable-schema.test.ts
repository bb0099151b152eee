import { expect, test } from 'vitest';
import { z } from 'zod';
import type { StandardSchema } from '../kernel/tool.ts';
import { repeatableSchema } from './repeatable-schema.ts';

function parse(schema: unknown, value: unknown): unknown {
  return (repeatableSchema(schema) as StandardSchema)['~standard'].validate(value);
}

test('defaults are filled in, as the tool does it again with the same result', () => {
  const schema = z.object({ a: z.number(), b: z.number().default(3) });
  expect(parse(schema, { a: 1 })).toEqual({ value: { a: 1, b: 3 } });
});

test('args that the schema converts stay as they are, because the tool converts them', () => {
  expect(parse(z.object({ on: z.stringbool() }), { on: 'yes' })).toEqual({ value: { on: 'yes' } });
  const doubled = z.object({ n: z.number().transform((n) => n * 2) });
  expect(parse(doubled, { n: 4 })).toEqual({ value: { n: 4 } });
});

test('args that do not fit are refused', () => {
  expect(parse(z.object({ a: z.number() }), { a: 'one' })).toHaveProperty('issues');
});

test('a JSON Schema is returned as it is', () => {
  const schema = { type: 'object' };
  expect(repeatableSchema(schema)).toBe(schema);
});
