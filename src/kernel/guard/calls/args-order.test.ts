/** Args as everybody sees them: one object, canonical names and aliases, in the order of the schema's output (P20). */

import {
  allowAll,
  ask,
  createGuard,
  deny,
  postToolCall,
  preToolCall,
  transform,
  type ApprovalRequest,
  type JsonObject,
  type ToolCall,
  type ToolDeclaration,
} from 'bridle';
import { memoryJournal } from 'bridle/testing';
import { builtinTools } from 'bridle/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';
import { entriesOf, only, rig } from '../../../../test/rigs/guard-rig.ts';

const shell: ToolDeclaration = {
  name: 'shell',
  aliases: { args: { CommandLine: 'command_line', cmd: 'command_line', Cwd: 'working_dir' } },
};

/** JSON objects whose keys are written in some order, and the same ones in another order. */
const twice = fc
  .dictionary(fc.constantFrom('a', 'b', 'c', 'z', 'zz', '1'), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, maxKeys: 5 })
  .filter((args) => !JSON.stringify(args).includes('__proto__'))
  .map((args) => ({ one: args, other: reversed(args) as Record<string, unknown> }));

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

const removes = (_args: JsonObject, call: ToolCall): boolean => call.args['cmd'] === 'rm';

const declared = (turned: boolean): ToolDeclaration => ({
  name: 'act',
  aliases: { args: turned ? { a: 'x', b: 'y' } : { b: 'y', a: 'x' } },
});

describe('the args of a call', () => {
  it(proves('P20')('are one object for predicates, conditions and hooks, with the aliases of the tool'), async () => {
    const seen: JsonObject[] = [];
    const isSame: boolean[] = [];
    const look = (args: JsonObject, call: ToolCall): boolean => {
      seen.push(args, call.args);
      isSame.push(args === call.args);
      return false;
    };
    const hooks = [
      preToolCall(({ call }) => void seen.push(call.args), { name: 'before' }),
      postToolCall(({ call }) => void seen.push(call.args), { name: 'after' }),
    ];
    const { call } = await rig({ tools: [shell], policy: [deny('shell', { when: look }), allowAll()], hooks });
    expect((await call('shell', { CommandLine: 'ls', Cwd: '/' })).type).toBe('ok');
    expect(new Set(isSame)).toEqual(new Set([true]));
    expect(new Set(seen).size).toBe(1);
    const args = seen[0] as JsonObject;
    expect(args).toEqual({ command_line: 'ls', working_dir: '/' });
    expect([args['CommandLine'], args['cmd'], args['Cwd']]).toEqual(['ls', 'ls', '/']);
    expect([Object.keys(args), JSON.stringify(args)]).toEqual([
      ['command_line', 'working_dir'],
      '{"command_line":"ls","working_dir":"/"}',
    ]);
    expect(Object.isFrozen(args)).toBe(true);
  });

  it(proves('P20', 'P15')('are denied by a ported rule, whichever of the two it reads'), async () => {
    for (const when of [
      (args: JsonObject) => args['CommandLine'] === 'rm',
      (_args: JsonObject, call: ToolCall) => call.args['CommandLine'] === 'rm',
    ]) {
      const tools = builtinTools;
      const { call } = await rig({ tools, policy: [deny('run_command', { when }), allowAll()] });
      expect((await call('run_command', { command_line: 'rm' })).type).toBe('denied');
      expect((await call('run_command', { CommandLine: 'rm' })).type).toBe('denied');
      expect((await call('run_command', { command_line: 'ls' })).type).toBe('ok');
    }
  });

  it(
    proves('P20', 'G02')('have canonical names and aliases after a hook has changed them, for hooks and rules'),
    async () => {
      const seen: unknown[] = [];
      const look = ({ call }: { call: ToolCall }): void =>
        void seen.push([call.args, call.args['CommandLine'], call.args['command_line']]);
      const hooks = [
        preToolCall(() => transform({ CommandLine: 'rm' }), { name: 'first' }),
        preToolCall(look, { name: 'second' }),
        preToolCall(({ call }) => transform({ ...call.args, working_dir: '/' }), { name: 'third' }),
        preToolCall(look, { name: 'fourth' }),
      ];
      const { call } = await rig({ tools: [shell], policy: [deny('shell', { when: removes }), allowAll()], hooks });
      expect((await call('shell', { command_line: 'ls' })).type).toBe('denied');
      expect(seen).toEqual([
        [{ command_line: 'rm' }, 'rm', 'rm'],
        [{ command_line: 'rm', working_dir: '/' }, 'rm', 'rm'],
      ]);
    },
  );

  it(proves('P20', 'P15')('that a hook gives under two names with two values are refused'), async () => {
    const twoNames = preToolCall(() => transform({ CommandLine: 'ls', cmd: 'rm' }), { name: 'two' });
    const { call } = await rig({ tools: [shell], policy: allowAll(), hooks: [twoNames] });
    expect(await call('shell', { cmd: 'ls' })).toMatchObject({
      type: 'denied',
      reason: expect.stringContaining('twice'),
    });
  });

  it(proves('P20', 'Q04')('are shown to people and tools in the order of the schema’s output'), async () => {
    const schema = z.object({ to: z.string(), subject: z.string().default('none'), body: z.string() });
    const asked: ApprovalRequest[] = [];
    const { call, host } = await rig({
      tools: [{ name: 'mail', schema }],
      policy: ask('mail'),
      approver: (request) => (asked.push(request), true),
    });
    expect((await call('mail', { body: 'hi', to: 'ann' })).type).toBe('ok');
    const order = ['to', 'subject', 'body'];
    expect(only(asked).shown.args.map(({ name }) => name)).toEqual(order);
    expect(Object.keys(only(asked).call.args)).toEqual(order);
    expect(Object.keys(only(host.calls).args)).toEqual(order);
  });

  it(proves('P20')('without a schema keep the order they were given in, results too'), async () => {
    await fc.assert(
      fc.asyncProperty(twice, async ({ one }) => {
        const { call, host } = await rig({ policy: allowAll(), does: { act: one } });
        const result = await call('act', one);
        expect(JSON.stringify(only(host.calls).args)).toBe(JSON.stringify(one));
        expect(result.text).toBe(JSON.stringify(one));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('the order of keys', () => {
  it(proves('P20', 'Q05')('makes no difference to the journal'), async () => {
    await fc.assert(
      fc.asyncProperty(twice, async ({ one, other }) => {
        const texts = await Promise.all(
          [one, other].map(async (args) => {
            const journal = memoryJournal();
            const { call } = await rig({ policy: allowAll(), journal, does: { act: args }, start: { id: 's' } });
            await call('act', args);
            return journal.records.map(({ text }) => text.replaceAll(/"call":"[^"]*"/g, ''));
          }),
        );
        expect(texts[0]).toEqual(texts[1]);
        expect(texts[0]).toHaveLength(2);
      }),
      { numRuns: runs(200) },
    );
  });

  it(proves('P20', 'Q01', 'Q02')('makes no difference to an approval, an edit or a remembered answer'), async () => {
    await fc.assert(
      fc.asyncProperty(twice, fc.boolean(), async ({ one, other }, edits) => {
        let asked = 0;
        const journal = memoryJournal();
        const { call } = await rig({
          policy: ask('act'),
          journal,
          approver: () => {
            asked++;
            return { type: 'approve', remember: 'session', ...(edits && { args: other as JsonObject }) };
          },
        });
        const results = [await call('act', one), await call('act', other), await call('act', one)];
        expect(results.map(({ type }) => type)).toEqual(['ok', 'ok', 'ok']);
        expect(asked).toBe(1);
        expect(entriesOf({ journal }, 'decided').some(({ approval }) => approval?.edited === true)).toBe(false);
      }),
      { numRuns: runs(200) },
    );
  });

  it(proves('P20', 'G02')('is not a change if a hook makes it'), async () => {
    let asked = 0;
    const turned = preToolCall(({ call }) => transform(reversed(call.args) as JsonObject), { name: 'turned' });
    const { call, host } = await rig({ policy: ask('act'), approver: () => ++asked > 0, hooks: [turned] });
    await call('act', { b: 1, a: { d: 1, c: 2 } });
    expect(JSON.stringify(only(host.calls).args)).toBe('{"b":1,"a":{"d":1,"c":2}}');
    expect(asked).toBe(1);
  });

  it(proves('P20', 'G11')('of a tool that its server lists again does not change the tool'), async () => {
    const guard = createGuard({
      tools: [{ ...declared(false), server: 's' }],
      servers: [{ name: 's' }],
      policy: ask('s/act'),
      approver: () => (guard.replaceServerTools('s', [declared(true)]), true),
    });
    expect((await guard.call({ server: 's', tool: 'act' }, {}, () => 1)).type).toBe('ok');
    await guard.end();
  });
});
