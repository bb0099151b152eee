import {
  allowAll,
  compilePolicy,
  createGuard,
  deny,
  preToolCall,
  type JsonObject,
  type StandardSchema,
  type ToolCall,
  type ToolDeclaration,
} from 'bridle';
import type { CallRequest } from '../call.ts';
import { memoryJournal } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../test/contract/cite.ts';

/** A schema that answers what it is told to. */
function schemaOf(validate: (value: unknown) => unknown): StandardSchema {
  return { '~standard': { version: 1, vendor: 'test', validate: validate as StandardSchema['~standard']['validate'] } };
}

/** Takes one call along the whole path, with a predicate, a hook, an approver, a journal and a tool that look at it. */
async function take(tool: ToolDeclaration, asked: Partial<CallRequest>) {
  const seen: Record<string, unknown> = {};
  const journal = memoryJournal();
  const watch = (who: string, call: ToolCall): void => {
    seen[who] = call.args;
  };
  const guard = createGuard({
    tools: [tool],
    policy: [
      deny('*', {
        when: (args, call) => {
          seen['predicate'] = args;
          watch('call', call);
          return false;
        },
      }),
      allowAll(),
    ],
    hooks: [
      preToolCall(function look({ call }) {
        watch('hook', call);
        return undefined;
      }),
    ],
    journal,
  });
  const session = await guard.start({ cwd: '/work' });
  const result = await session.turn().guard({ tool: tool.name, ...asked }, { run: (call) => watch('tool', call) });
  await session.end();
  const decided = journal.entries().find(({ kind }) => kind === 'decided') as { args?: unknown; status?: string };
  return { result, seen, decided };
}

describe('args', () => {
  it(proves('G16')('are what the schema gives, to everyone'), async () => {
    const schema = z.object({
      path: z.string().trim(),
      depth: z.number().default(3),
      cwd: z.string().default('/work'),
    });
    const { result, seen, decided } = await take({ name: 'list', schema }, { args: { path: ' a ', more: 1 } });
    const expected = { path: 'a', depth: 3, cwd: '/work' };
    expect(result).toMatchObject({ type: 'ok', call: { args: expected, requested: { path: ' a ', more: 1 } } });
    expect(seen).toEqual({ predicate: expected, call: expected, hook: expected, tool: expected });
    expect(decided.args).toEqual(expected);
  });

  it(proves('G16')('may come from a schema that takes its time'), async () => {
    const schema = schemaOf(async (value) => ({ value: { ...(value as object), late: true } }));
    const { result } = await take({ name: 'list', schema }, { args: { a: 1 } });
    expect(result).toMatchObject({ type: 'ok', call: { args: { a: 1, late: true } } });
  });

  it(proves('G16', 'P15')('reach the schema under canonical names'), async () => {
    const schema = z.strictObject({ file_path: z.string() });
    const tool = { name: 'view', schema, aliases: { args: { path: 'file_path' } } };
    const { seen } = await take(tool, { args: { path: 'a' } });
    expect(seen['tool']).toEqual({ file_path: 'a' });
  });

  it(proves('G16', 'G01')('are a copy: what the schema keeps cannot change them'), async () => {
    const kept: { list: string[] } = { list: ['a'] };
    const schema = schemaOf(() => ({ value: kept }));
    const tool = { name: 'list', schema };
    const policy = compilePolicy(
      [
        deny('list', {
          when: (args) => {
            kept.list.push('b');
            return (args['list'] as string[]).length !== 1 || !Object.isFrozen(args['list']);
          },
        }),
      ],
      { tools: [tool] },
    );
    expect(await policy.decide({ tool: 'list' })).toMatchObject({ effect: 'allow' });
  });

  it.each([
    ['a Date', () => ({ value: { at: new Date() } }), 'Date'],
    ['undefined', () => ({ value: undefined }), 'undefined'],
    ['a function', () => ({ value: { run: () => 1 } }), 'function'],
    ['NaN', () => ({ value: { n: Number.NaN } }), 'NaN'],
    ['a bigint', () => ({ value: { n: 1n } }), 'bigint'],
    ['a Map', () => ({ value: new Map() }), 'Map'],
    ['a list', () => ({ value: [1] }), 'the output of its schema is not an object'],
    ['a text', () => ({ value: 'a' }), 'the output of its schema is not an object'],
    ['null', () => ({ value: null }), 'the output of its schema is not an object'],
    ['a lone surrogate', () => ({ value: { a: '\uD800' } }), 'surrogate'],
    ['itself', () => ({ value: cyclic() }), ''],
    ['a __proto__ key', () => ({ value: JSON.parse('{"__proto__":{"a":1}}') as unknown }), '__proto__'],
  ])(proves('G16')('that the schema turns into %s are an error'), async (_title, validate, says) => {
    const { result, seen } = await take({ name: 'list', schema: schemaOf(validate) }, { args: {} });
    expect(result).toMatchObject({ type: 'invalid', isError: true });
    expect(result.text).toContain('args for list: ');
    expect(result.text).toContain(says);
    expect(seen).toEqual({});
  });

  it.each([
    ['throws', throwing(new Error('broken')), 'broken'],
    ['throws a text', throwing('broken'), 'broken'],
    ['rejects', () => Promise.reject(new Error('broken')), 'broken'],
    ['answers nothing', () => undefined, ''],
    ['answers null', () => null, ''],
    ['answers a promise of nothing', () => Promise.resolve(undefined), ''],
    ['answers issues that are none', () => ({ issues: null }), ''],
    ['answers an empty list of issues', () => ({ issues: [] }), 'invalid'],
    ['answers issues beside a value', () => ({ value: {}, issues: [{ message: 'too late' }] }), 'too late'],
    ['answers junk as issues', () => ({ issues: [null] }), ''],
    ['answers issues with odd paths', () => ({ issues: [{ message: 'odd', path: [null, Symbol('x')] }] }), ''],
    [
      'answers very many long issues',
      () => ({ issues: Array.from({ length: 10_000 }, () => ({ message: 'x'.repeat(1000) })) }),
      'xxx',
    ],
  ])(proves('G16', 'G11')('are refused if the schema %s'), async (_title, validate, says) => {
    const { result, seen } = await take({ name: 'list', schema: schemaOf(validate) }, { args: {} });
    expect(result).toMatchObject({ type: 'invalid', isError: true });
    expect(result.text).toContain(says);
    expect(result.text.length).toBeLessThan(2000);
    expect(seen).toEqual({});
  });

  it(
    proves('G11')('that do not fit the schema are an error that names the problem, and policy is not asked'),
    async () => {
      const schema = z.object({ path: z.string(), edits: z.array(z.object({ at: z.number() })) });
      const { result, seen, decided } = await take(
        { name: 'edit', schema },
        { args: { path: 7, edits: [{ at: 'x' }] } },
      );
      expect(result).toMatchObject({ type: 'invalid', isError: true });
      expect(result.text).toContain('path:');
      expect(result.text).toContain('edits.0.at:');
      expect(seen).toEqual({});
      expect(decided.status).toBe('denied');
      const policy = compilePolicy([allowAll()], { tools: [{ name: 'edit', schema }] });
      expect(await policy.decide({ tool: 'edit', args: { path: 7 } })).toMatchObject({
        effect: 'deny',
        rule: undefined,
      });
    },
  );

  it.each([
    ['a text', '{"path":"a"}'],
    ['a list', [1]],
    ['a number', 7],
    ['a function', () => 1],
    ['an object of a class', new Date()],
    ['NaN inside', { n: Number.NaN }],
    ['undefined inside a list', { list: [undefined] }],
    ['a __proto__ key', JSON.parse('{"__proto__":{"admin":true}}')],
    [
      'what cannot be read',
      {
        get a(): never {
          throw new TypeError('no');
        },
      },
    ],
    ['too much', { text: 'x'.repeat(1024 * 1024) }],
    ['too deep', deep(65)],
  ])(proves('G11', 'G12')('that are %s are refused, with or without a schema'), async (_title, args) => {
    for (const schema of [undefined, z.looseObject({})]) {
      const { result, seen } = await take({ name: 'list', schema }, { args });
      expect(result).toMatchObject({ type: 'invalid', isError: true });
      expect(result.text).toContain('args for list: ');
      expect(seen).toEqual({});
    }
  });

  it(proves('G11')('that are missing are none'), async () => {
    for (const args of [undefined, null, {}]) {
      expect((await take({ name: 'list' }, { args })).result).toMatchObject({ type: 'ok', call: { args: {} } });
    }
  });

  it(proves('G01')('are copied and frozen before anyone looks at them'), async () => {
    const given = { list: [{ a: 1 }] };
    const { seen } = await take({ name: 'list' }, { args: given });
    for (const args of Object.values(seen) as JsonObject[]) {
      expect(args).toEqual(given);
      expect(args).not.toBe(given);
      expect(Object.isFrozen(args) && Object.isFrozen(args['list'])).toBe(true);
    }
  });
});

describe('a call', () => {
  it(proves('G14')('has the tier and the display name of its tool, or the careful ones'), async () => {
    const observing = { name: 'look', tier: 'observe' as const, displayName: 'Look around' };
    expect((await take(observing, {})).result.call).toMatchObject({ tier: 'observe', displayName: 'Look around' });
    expect((await take({ name: 'push' }, {})).result.call).toMatchObject({ tier: 'confirm', displayName: 'push' });
  });

  it(proves('G11')('keeps its id if that is one'), async () => {
    expect((await take({ name: 'push' }, { id: 'call-7' })).result.call.id).toBe('call-7');
    for (const id of ['', 'x'.repeat(257), '\uD800', 7, null]) {
      const { call } = (await take({ name: 'push' }, { id: id as string })).result;
      expect(call.id).not.toBe(id);
      expect(call.id).not.toBe('');
    }
  });
});

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

function deep(levels: number): object {
  let value: object = {};
  for (let i = 1; i < levels; i++) value = { value };
  return value;
}

function throwing(error: unknown): () => never {
  return () => {
    throw error;
  };
}
