/** What counts as covered, and what is refused while a tool with side effects is not. */

import {
  allow,
  allowAll,
  allowMcp,
  ask,
  compilePolicy,
  createGuard,
  deny,
  forbid,
  preToolCall,
  safeDefaults,
  type GuardOptions,
  type Rules,
  type ToolDeclaration,
} from 'bridle';
import { workspaceOnly } from 'bridle/facts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';

const read: ToolDeclaration = { name: 'read', tier: 'observe' };
const wipe: ToolDeclaration = { name: 'wipe_disk' };
const push: ToolDeclaration = { name: 'push', server: 'gh' };
const approver = () => true;
const when = () => true;

function refusal(options: Partial<GuardOptions>): { code: string; message: string } | undefined {
  try {
    createGuard({ tools: [read, wipe], policy: [], approver, onWarning: () => undefined, ...options });
    return undefined;
  } catch (error) {
    return error as { code: string; message: string };
  }
}

const gate = (options: object) => ({ ...preToolCall(() => undefined, { name: 'gate' }), ...options });

describe('a guard', () => {
  const uncovering: Readonly<Record<string, Rules>> = {
    'no rule': [],
    'a rule for another tool': [allow('read')],
    'the workspace rule': [workspaceOnly(['.'])],
    'a forbid that names it': [forbid('wipe_disk', { when })],
    'an unconditional forbid of another': [forbid('read')],
    'a shadow rule that names it': [deny('wipe_disk', { shadow: true })],
    'a shadow rule for everything': [allowAll({ shadow: true })],
    'a conditional rule for everything': [allow('*', { when }), deny('*', { when })],
    'defaults with a condition': [safeDefaults({ when })],
  };
  for (const [what, policy] of Object.entries(uncovering)) {
    it(proves('G17', 'P06')(`is refused if ${what} is all there is for a tool with side effects`), () => {
      const { code, message } = refusal({ policy }) ?? {};
      expect(code).toBe('TOOL_UNCOVERED');
      expect(message).toContain('"wipe_disk"');
      expect(message).not.toContain('"read"');
      for (const way of ['policy', 'safeDefaults()', 'tier: "observe"', '"default"', 'gate: true']) {
        expect(message).toContain(way);
      }
    });

    it(proves('G17', 'P06')(`is made with ${what} if a default is given`), () => {
      for (const effect of ['allow', 'deny', 'ask'] as const) {
        expect(refusal({ policy, default: effect })).toBeUndefined();
      }
    });
  }

  const covering: Readonly<Record<string, Rules>> = {
    'an allow that names it': [allow('wipe_disk')],
    'a deny that names it': [deny('wipe_disk')],
    'a conditional rule that names it': [ask('wipe_disk', { when })],
    'a rule for everything': [allowAll()],
    'a deny of everything': [deny('*')],
    'the safe defaults': [safeDefaults()],
  };
  for (const [what, policy] of Object.entries(covering)) {
    it(proves('G17')(`is made with ${what}`), () => {
      expect(refusal({ policy })).toBeUndefined();
    });
  }

  it(proves('G17', 'A02')('is made if a gate hook looks at every call of the tool'), () => {
    expect(refusal({ hooks: [gate({ gate: true })] })).toBeUndefined();
    expect(refusal({ hooks: [gate({ gate: true, tools: ['wipe_disk'] })] })).toBeUndefined();
    expect(refusal({ hooks: [gate({})] })?.code).toBe('TOOL_UNCOVERED');
    expect(refusal({ hooks: [gate({ gate: true, tools: ['read'] })] })?.code).toBe('TOOL_UNCOVERED');
    expect(refusal({ hooks: [{ name: 'other', gate: true, preTurn: () => undefined }] })?.code).toBe('TOOL_UNCOVERED');
  });

  it(proves('G17')('looks at the tools of servers, now and when a server lists others'), () => {
    const servers = [{ name: 'gh' }];
    const of = (policy: Rules) => refusal({ tools: [push], servers, policy });
    expect(of([])?.message).toContain('"gh/push"');
    expect(of([allow('push')])?.message).toContain('"gh/push"');
    expect(of([allowMcp('gh')])).toBeUndefined();
    expect(of([allowMcp('gh', ['push'])])).toBeUndefined();
    expect(of([forbid('gh/*', { when })])?.code).toBe('TOOL_UNCOVERED');
    const guard = createGuard({ tools: [], servers, policy: [allowMcp('gh', ['push'])] });
    guard.replaceServerTools('gh', [{ name: 'push' }, { name: 'list', tier: 'observe' }]);
    expect(() => guard.replaceServerTools('gh', [{ name: 'push' }, { name: 'delete' }])).toThrow('"gh/delete"');
    expect(guard.tools.map(({ name }) => name)).toEqual(['push', 'list']);
    const hiding = createGuard({ tools: [], servers: [{ name: 'gh', disabledTools: ['delete'] }], policy: [] });
    expect(() => hiding.replaceServerTools('gh', [{ name: 'delete' }])).not.toThrow();
  });

  it(
    proves('G17')('lets no call of a tool with side effects run that no rule was meant for, for any rules'),
    async () => {
      const rule = fc
        .record({
          make: fc.constantFrom<typeof allow>(allow, deny, ask, forbid),
          target: fc.constantFrom('read', 'wipe_disk', 'other', '*', 'gh/push', 'gh/*'),
          when: fc.constantFrom(undefined, () => false),
          shadow: fc.boolean(),
        })
        .map(({ make, target, ...options }) => make(target, options));
      const tools = [read, wipe, push, { name: 'other' }];
      await fc.assert(
        fc.asyncProperty(fc.array(rule, { maxLength: 5 }), async (policy) => {
          const options = { tools, servers: [{ name: 'gh' }], policy, approver, onWarning: () => undefined };
          // A second, naive reading of the rule.
          const isOpen = ({ tier, server, name }: ToolDeclaration) =>
            tier !== 'observe' &&
            !policy.some(({ effect, shadow, when: condition, target }) => {
              if (effect === 'forbid' || shadow === true) return false;
              if (target.type === 'all') return condition === undefined;
              return target.server === server && (target.type === 'server' || target.tool === name);
            });
          const open = tools.filter(isOpen).map(({ name }) => name);
          const found = refusal(options);
          const compiled = compilePolicy(policy, { tools, servers: ['gh'], approver });
          expect(found?.code).toBe(open.length === 0 ? undefined : 'TOOL_UNCOVERED');
          for (const name of open) expect(found?.message).toContain(`${name}"`);
          for (const tool of tools) expect(compiled.isUncovered(tool) && tool !== read).toBe(isOpen(tool));
        }),
        { numRuns: runs(500) },
      );
    },
  );
});

describe('a declaration', () => {
  const schema = z.object({ path: z.string() });

  it.each([
    ['inputSchema', schema, 'is called "schema" here'],
    ['input_schema', schema, 'is called "schema" here'],
    ['parameters', { type: 'object' }, 'is called "schema" here'],
    ['execute', () => 1, 'guard.wrap(tools)'],
    ['run', () => 1, 'guard.call(tool, args, run)'],
    ['handler', () => 1, 'guard.wrap(tools)'],
    ['func', () => 1, 'guard.wrap(tools)'],
    ['shema', schema, 'did you mean "schema"?'],
    ['teir', 'observe', 'did you mean "tier"?'],
    ['annotations', {}, 'is not known'],
    ['colour', 'red', 'is not known'],
  ])(proves('G17')('with a field that nobody reads is refused: %s'), (field, value, hint) => {
    const tool = { name: 'read', tier: 'observe', [field]: value } as ToolDeclaration;
    const make = () => createGuard({ tools: [tool], policy: [] });
    expect(make).toThrow(`tool "read": "${field}" `);
    expect(make).toThrow(hint);
    expect(() => compilePolicy([], { tools: [tool] })).toThrow(hint);
  });

  it(proves('G17')('with such a field in its class is refused as well'), () => {
    class Tool {
      readonly name = 'read';
      readonly tier = 'observe';
      get inputSchema(): typeof schema {
        return schema;
      }
      execute(): number {
        return 1;
      }
    }
    const make = () => createGuard({ tools: [new Tool()], policy: [] });
    expect(make).toThrow('"inputSchema" is called "schema" here');
    expect(make).toThrow('"execute" is not part of a declaration');
  });

  it(proves('G17')('may say what the model reads'), () => {
    const [tool] = createGuard({ tools: [{ ...read, description: 'Reads' }], policy: [] }).tools;
    expect(tool?.description).toBe('Reads');
  });

  it(proves('G17')('with a JSON Schema as its schema gets advice on how to enforce it'), () => {
    const tool = { ...read, schema: { type: 'object' } } as never;
    expect(() => createGuard({ tools: [tool], policy: [] })).toThrow('toStandardSchema() from bridle/tools');
  });

  it(proves('G17', 'G11')('with a schema has it enforced'), async () => {
    await using session = await createGuard({ tools: [{ ...read, schema }], policy: [] }).start();
    const host = { run: () => 'read' };
    expect(await session.turn().guard({ tool: 'read', args: { path: 1 } }, host)).toMatchObject({ type: 'invalid' });
    expect(await session.turn().guard({ tool: 'read', args: { path: '.' } }, host)).toMatchObject({ type: 'ok' });
  });
});
