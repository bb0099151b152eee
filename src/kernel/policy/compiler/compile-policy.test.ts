import fc from 'fast-check';
import {
  allow,
  allowAll,
  type Approver,
  arg,
  ask,
  askMcp,
  BridleError,
  compilePolicy,
  createGuard,
  deny,
  denyAll,
  denyMcp,
  forbid,
  safeDefaults,
  type Policy,
  type Rule,
  type Rules,
  type ToolDeclaration,
} from 'bridle';
import type { CompileOptions } from './compile-options.ts';
import { fakeClock } from 'bridle/testing';
import { builtinTools } from 'bridle/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../../test/contract/cite.ts';
import { runs } from '../../../../test/property-runs.ts';

const approver = (): boolean => true;
const call = { tool: 'push', args: {} };

/** Compiles as plain JavaScript would, whatever the types say. */
function compileAny(rules: unknown, options?: unknown): Policy {
  return compilePolicy(rules as Rules, options as CompileOptions);
}

function problemsOf(build: () => unknown): readonly string[] {
  try {
    build();
  } catch (error) {
    expect(error).toBeInstanceOf(BridleError);
    return (error as BridleError).problems;
  }
  throw new BridleError('SCRIPT_FAILED', 'nothing was refused');
}

class Odd extends Date {}

describe('the list of rules', () => {
  const [a, b, c] = [allow('a'), deny('b'), forbid('c')];
  const flat = ['allow a', 'deny b', 'forbid c'];

  it.each([[[a, b, c]], [[[a, b], c]], [[[], [a], [[b, [], [[c]]]]]]])(
    proves('P07')('is flattened (%#)'),
    (rules: Rules) => {
      expect(compilePolicy(rules).rules.map(({ name }) => name)).toEqual(flat);
    },
  );

  it(proves('P07')('may be one rule, or none'), () => {
    expect(compilePolicy(a).rules).toHaveLength(1);
    expect(compilePolicy([]).rules).toEqual([]);
  });

  it.each([
    [undefined, 'undefined is not a rule'],
    [null, 'null is not a rule'],
    ['allow view_file', 'the string "allow view_file" is not a rule'],
    [7, 'a number is not a rule'],
    [true, 'a boolean is not a rule'],
    [{}, 'an object is not a rule'],
    [{ effect: 'allow', target: { type: 'all' } }, 'an object is not a rule'],
    [{ type: 'Rule' }, 'an object is not a rule'],
    [new Odd(), 'an object of class Odd is not a rule'],
    [new Map(), 'an object of class Map is not a rule'],
    [Promise.resolve(a), 'an object of class Promise is not a rule'],
    [allowAll, 'the function allowAll (was it meant to be called?) is not a rule'],
    [() => a, 'the function without a name (was it meant to be called?) is not a rule'],
    [Odd, 'the function Odd (was it meant to be called?) is not a rule'],
    [Object.assign(() => true, { type: 'rule' }), 'is not a rule'],
  ])(proves('P07')('refuses and names a value that is not a rule (%#)'), (value, says) => {
    for (const rules of [value, [a, value], [[b], [[value]]]]) {
      const problems = problemsOf(() => compileAny(rules));
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain(says);
    }
  });

  it(proves('P07')('has no holes'), () => {
    // oxlint-disable-next-line no-sparse-arrays
    expect(problemsOf(() => compileAny([a, , b]))).toEqual(['undefined is not a rule']);
    expect(problemsOf(() => compileAny(Array(3)))).toHaveLength(3);
  });

  it(proves('P07')('does not contain itself, and is not nested endlessly'), () => {
    const self: unknown[] = [a];
    self.push(self, self);
    expect(problemsOf(() => compileAny(self))).toContain('a list of rules contains itself');
    let deep: unknown = a;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(problemsOf(() => compileAny(deep))).toContain('a list of rules is nested more than 32 deep');
  });

  it(proves('P07')('is checked completely: every problem is in one error'), () => {
    const problems = problemsOf(() =>
      compileAny([7, deny('vew_file'), [{ ...a, effect: 'maybe' }], ask('edit_file'), denyMcp('gh')], {
        tools: builtinTools,
        servers: [],
      }),
    );
    expect(problems).toHaveLength(5);
  });
});

const made = { type: 'rule', effect: 'deny', target: { type: 'tool', tool: 'push' } };

/** Decides by a rule whose check finds a reason. */
function found(reason: unknown) {
  return compileAny([{ ...made, check: () => ({ matched: true, reason }) }]).decide(call);
}

describe('a rule made by hand', () => {
  it(proves('P07')('is as good as any other'), async () => {
    expect(await compileAny([made]).decide(call)).toMatchObject({ effect: 'deny' });
  });

  it.each([
    [{ type: 'rule' }, 'effect'],
    [{ ...made, effect: 'Deny' }, 'effect'],
    [{ ...made, effect: 'approve' }, 'effect'],
    [{ ...made, effect: 1n }, 'effect'],
    [{ ...made, effect: ['deny'] }, 'effect'],
    [{ ...made, effect: '__proto__' }, 'effect'],
    [{ ...made, target: undefined }, 'target'],
    [{ ...made, target: null }, 'target'],
    [{ ...made, target: 'push' }, 'target'],
    [{ ...made, target: {} }, 'target'],
    [{ ...made, target: { type: 'everything' } }, 'target'],
    [{ ...made, target: { type: 'toString' } }, 'target'],
    [{ ...made, target: { type: 'tool' } }, '"target.tool" is undefined'],
    [{ ...made, target: { type: 'tool', tool: Symbol('push') } }, '"target.tool" is a symbol'],
    [{ ...made, target: { type: 'tool', tool: '' } }, '"target.tool" is "", which is empty'],
    [{ ...made, target: { type: 'tool', tool: 'push*' } }, '"target.tool" is "push*", which contains a "*"'],
    [{ ...made, target: { type: 'tool', server: null, tool: 'push' } }, '"target.server" is null'],
    [{ ...made, target: { type: 'tool', server: '', tool: 'push' } }, '"target.server" is "", which is empty'],
    [{ ...made, target: { type: 'server' } }, '"target.server" is undefined'],
    [{ ...made, target: { type: 'server', server: '*' } }, '"target.server" is "*", which contains a "*"'],
    [{ ...made, name: 7 }, '"name" is a number'],
    [{ ...made, name: '' }, '"name" is empty'],
    [{ ...made, name: '   ' }, 'is empty'],
    [{ ...made, name: 'x'.repeat(769) }, 'longer than 768'],
    [{ ...made, name: 'x'.repeat(10_000_000) }, 'longer than 768'],
    [{ ...made, name: 'one\ntwo' }, 'control'],
    [{ ...made, name: '\uD800' }, 'lone surrogate'],
    [{ ...made, when: true }, '"when" is a boolean, not a function'],
    [{ ...made, when: 'args.x' }, '"when" is a string, not a function'],
    [{ ...made, when: null }, '"when" is null'],
    [{ ...made, when: Promise.resolve(true) }, '"when" is an object'],
    [{ ...made, check: 'x' }, '"check" is a string, not a function'],
    [{ ...made, review: [] }, '"review" is a list'],
    [{ ...made, effect: 'ask', handler: true }, '"handler" is a boolean'],
    [{ ...made, handler: approver }, 'only an ask rule has a handler'],
    [{ ...made, optional: 'yes' }, '"optional" is a string, not true or false'],
    [{ ...made, reason: 7 }, 'reason'],
    [{ ...made, reason: null }, 'reason'],
    [{ ...made, shadow: 'false' }, 'shadow'],
    [{ ...made, shadow: 0 }, 'shadow'],
    [{ ...made, unanswerable: 7 }, 'unanswerable'],
    [{ ...made, grant: 7 }, 'grant'],
    [{ ...made, grant: null }, 'grant'],
    [{ ...made, grant: { timeoutMs: -1 } }, '"grant.timeoutMs" is -1'],
    [{ ...made, grant: { timeoutMs: '5' } }, '"grant.timeoutMs" is a string'],
    [{ ...made, grant: { timeout: 5 } }, '"grant.timeout" is not known; did you mean "timeoutMs"?'],
    [{ ...made, wen: () => false }, '"wen" is not known; did you mean "when"?'],
    [{ ...made, shaddow: true }, '"shaddow" is not known; did you mean "shadow"?'],
  ])(proves('P07')('is refused if one of its fields is invalid (%#)'), (rule, says) => {
    const problems = problemsOf(() => compileAny([rule], { servers: ['gh'] }));
    expect(problems.join('; ')).toContain(says);
    expect(problems.join('; ').length).toBeLessThan(500);
  });

  it(proves('P07')('is read as it was checked, even if it is not a plain object'), async () => {
    class Made {
      get type() {
        return 'rule';
      }
      get effect() {
        return 'deny';
      }
      get target() {
        return { type: 'all' };
      }
    }
    expect(await compileAny([new Made()]).decide(call)).toMatchObject({ effect: 'deny', rule: { bucket: 6 } });
    let reads = 0;
    const shifty = {
      ...made,
      get effect() {
        return reads++ === 0 ? 'deny' : 'allow';
      },
    };
    expect(await compileAny([shifty]).decide(call)).toMatchObject({
      effect: 'deny',
      rule: { effect: 'deny', bucket: 0 },
    });
    let looks = 0;
    const target = {
      type: 'tool',
      get tool() {
        return looks++ === 0 ? 'push' : 'other';
      },
    };
    expect(await compileAny([{ ...made, target }]).decide(call)).toMatchObject({
      effect: 'deny',
      rule: { target: 'push' },
    });
  });

  it(proves('P07')('keeps a condition that is a method of its class'), async () => {
    class Narrow {
      type = 'rule';
      effect = 'allow';
      target = { type: 'all' };
      when() {
        return false;
      }
    }
    expect(await compileAny([new Narrow()], { strict: true }).decide(call)).toMatchObject({
      effect: 'deny',
      rule: undefined,
    });
  });

  it.each([
    ['shadow', true],
    ['when', () => false],
    ['effect', 'allow'],
    ['tier', 'observe'],
    ['grant', { timeoutMs: 1 }],
    ['disabledTools', []],
  ])(proves('P07', 'G11')('is refused while every object inherits %s'), (field, value) => {
    // oxlint-disable-next-line no-extend-native
    Object.defineProperty(Object.prototype, field, { value, configurable: true });
    try {
      expect(() => compileAny([made])).toThrow(`Object.prototype has a property "${field}"`);
    } finally {
      Reflect.deleteProperty(Object.prototype, field);
    }
    expect(() => compileAny([made])).not.toThrow();
  });

  it(proves('P07')('is refused or works, whatever it contains'), async () => {
    const junk = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
      fc.constantFrom(approver, 'push', 'deny', 'tool', true),
    );
    const target = fc.oneof(
      junk,
      fc.record({ type: fc.constantFrom('tool', 'server', 'all'), server: junk, tool: junk }),
    );
    const rule = fc.record(
      {
        type: fc.constant('rule'),
        effect: fc.oneof({ weight: 4, arbitrary: fc.constantFrom('allow', 'deny', 'ask', 'forbid') }, junk),
        target: fc.oneof({ weight: 4, arbitrary: fc.constant(made.target) }, target),
        name: junk,
        reason: junk,
        when: junk,
        check: junk,
        grant: junk,
        shadow: junk,
      },
      { requiredKeys: ['type', 'effect', 'target'] },
    );
    await fc.assert(
      fc.asyncProperty(rule, async (given) => {
        let policy: Policy;
        try {
          policy = compileAny([given], { approver, servers: ['gh'] });
        } catch (error) {
          expect(error).toBeInstanceOf(BridleError);
          return;
        }
        expect(['allow', 'deny', 'ask']).toContain((await policy.decide(call)).effect);
      }),
      { numRuns: runs(3000) },
    );
  });

  it.each([
    undefined,
    null,
    true,
    'no',
    [],
    {},
    { matched: 'no' },
    { matched: undefined },
    { matched: 1, reason: 'x' },
  ])(proves('P05')('denies if its check finds nothing that it could mean (%#)'), async (finding) => {
    for (const check of [() => finding, async () => finding]) {
      for (const effect of ['forbid', 'deny', 'allow']) {
        const policy = compileAny([{ ...made, name: 'checked', effect, check }]);
        const decision = await policy.decide(call);
        expect(decision).toMatchObject({ effect: 'deny', rule: { name: 'checked' } });
        expect(decision.reason).toContain('"checked"');
      }
    }
  });

  it(proves('P05', 'P11')('gives the reason its check found, if that is one'), async () => {
    expect(await found('outside')).toMatchObject({ effect: 'deny', reason: 'outside' });
    expect(await found('  ')).toMatchObject({ effect: 'deny', reason: 'Denied push by rule "deny push"' });
    expect(await found(undefined)).toMatchObject({ effect: 'deny', reason: 'Denied push by rule "deny push"' });
    expect(await found(7)).toMatchObject({ effect: 'deny' });
    expect(typeof (await found(7)).reason).toBe('string');
  });
});

describe('options', () => {
  it.each([
    [{ strct: true }, 'option "strct" is not known; did you mean "strict"?'],
    [{ defualt: 'deny' }, 'option "defualt" is not known; did you mean "default"?'],
    [{ strict: 'yes' }, 'option "strict" is a string, not true or false'],
    [{ strict: 1 }, 'option "strict" is 1, not true or false'],
    [{ default: 'block' }, 'option "default" is "block", not "allow", "deny" or "ask"'],
    [{ default: null }, 'option "default" is null'],
    [{ strict: true, default: 'allow' }, 'strict and default: "allow" contradict each other'],
    [{ default: 'ask' }, 'approver'],
    [{ approver: {} }, 'option "approver" is an object, not a function'],
    [{ approver: true }, 'option "approver" is a boolean, not a function'],
    [{ tools: 'push' }, 'option "tools" is a string, not a list'],
    [{ tools: {} }, 'option "tools" is an object, not a list'],
    [{ servers: 'gh' }, 'option "servers" is a string, not a list'],
    [{ servers: new Set(['gh']) }, 'option "servers" is an object, not a list'],
    [{ timeoutMs: Number.NaN }, 'option "timeoutMs" is NaN, not a number above 0'],
    [{ timeoutMs: 0 }, 'option "timeoutMs" is 0, not a number above 0'],
    [{ timeoutMs: '100' }, 'option "timeoutMs" is a string, not a number above 0'],
    [{ clock: null }, 'option "clock" is null, not an object with now, wall, every'],
  ])(proves('P07', 'P06')('that are invalid are refused, never ignored (%#)'), (options, says) => {
    expect(problemsOf(() => compileAny([allowAll()], options)).join('; ')).toContain(says);
  });

  it(proves('P06')('that are undefined are not given'), async () => {
    const none = { tools: undefined, servers: undefined, approver: undefined, default: undefined, strict: undefined };
    expect(await compileAny([], none).decide(call)).toMatchObject({ effect: 'allow' });
  });

  it(proves('M01', 'M04')('name each server once, and by a name that can be one'), () => {
    expect(() => compileAny([], { servers: ['gh', 'gh'] })).toThrow('two servers are named "gh"');
    expect(() => compileAny([], { servers: ['gh', { name: 'gh' }] })).toThrow('two servers are named "gh"');
    for (const server of ['', '*', 'a/b', ' gh', 7, null, undefined, {}]) {
      expect(() => compileAny([], { servers: [server] })).toThrow(BridleError);
    }
  });
});

/** Runs a call that a rule's own handler is asked about, with an approver who would say yes to everything. */
async function askHandler(handler: () => unknown) {
  const clock = fakeClock();
  const asked: string[] = [];
  const guard = createGuard({
    tools: [{ name: 'push' }],
    policy: [ask('push', { name: 'check', handler: handler as Approver })],
    approver: () => {
      asked.push('approver');
      return true;
    },
    askTimeoutMs: 1000,
    clock,
  });
  let ran = 0;
  const running = (await guard.start()).turn().guard(call, { run: () => ++ran });
  await clock.advance(5000);
  return { result: await running, ran, asked };
}

describe('an ask', () => {
  it(proves('P10')('without anybody to answer is an error that names the rule'), () => {
    expect(() => compilePolicy([ask('push', { name: 'check' })])).toThrow(
      'rule "check": it asks, but there is nobody to answer',
    );
    expect(() => compilePolicy([ask('push')])).toThrow('ask push: it asks, but there is nobody to answer');
    expect(() => compilePolicy([askMcp('gh', ['push'])], { servers: ['gh'] })).toThrow('rule "ask_gh_push"');
    const options = { tools: [{ name: 'push' }], policy: [ask('push', { name: 'check' })] };
    expect(() => createGuard(options)).toThrow('rule "check": it asks, but there is nobody to answer');
    expect(() => createGuard({ ...options, approver })).not.toThrow();
  });

  it(proves('P10')('is fine with a handler, or with an approver'), () => {
    expect(() => compilePolicy([ask('push', { handler: approver })])).not.toThrow();
    expect(() => compilePolicy([ask('push')], { approver })).not.toThrow();
    expect(() => compilePolicy([ask('push', { handler: approver }), ask('pull')])).toThrow('ask pull');
  });

  it.each([() => true, async () => true, () => ({ type: 'approve' })])(
    proves('P10')('is approved by nothing but an approval (%#)'),
    async (handler) => {
      expect(await askHandler(handler)).toMatchObject({ result: { type: 'ok' }, ran: 1, asked: [] });
    },
  );

  it.each([
    () => false,
    () => undefined,
    () => null,
    () => 1,
    () => 'yes',
    () => 'approve',
    () => ({}),
    () => [true],
    () => Object(true),
    () => ({ type: 'Approve' }),
    () => ({ type: 'approve', extra: true }),
    () => ({ approve: true }),
    () => ({ type: 'deny' }),
    async () => 'true',
    () => Promise.reject(new TypeError('broken')),
    () => new Promise(() => undefined),
    () => {
      throw new TypeError('broken');
    },
    () => () => true,
  ])(proves('P10')('is not approved by anything else, nor by anybody else (%#)'), async (handler) => {
    expect(await askHandler(handler)).toMatchObject({ result: { type: 'denied' }, ran: 0, asked: [] });
  });

  it(proves('P10', 'P13')('in a shadow rule needs no approver'), () => {
    expect(() => compilePolicy([ask('push', { shadow: true })])).not.toThrow();
  });
});

describe('unknown names', () => {
  const tools: readonly ToolDeclaration[] = [...builtinTools, { name: 'create_issue', server: 'gh' }];
  const servers = ['gh', 'files'];
  const build = (rule: Rules, options: CompileOptions = {}) =>
    compilePolicy(rule, { tools, servers, approver, ...options });

  it.each([
    ['deny', deny],
    ['ask', ask],
    ['forbid', forbid],
  ] as const)(proves('P14')('are an error for %s, with the nearest known name'), (_kind, make) => {
    expect(() => build(make('vew_file'))).toThrow('no tool is named "vew_file"; did you mean "view_file"?');
    expect(() => build(make('view_files', { name: 'mine' }))).toThrow('rule "mine": no tool is named "view_files"');
    expect(() => build(make('READ_FILE'))).toThrow('did you mean "read_file"?');
    expect(() => build(make('gh/create_isue'))).toThrow('did you mean "create_issue"?');
    expect(() => build(make('create_issue'))).toThrow('no tool is named "create_issue"');
    expect(() => build(make('file/list'))).toThrow('no server is named "file"; did you mean "files"?');
    const comand = arg('comand_line', () => true);
    expect(() => build(make('run_command', { when: comand }))).toThrow('did you mean "command_line"?');
    expect(() => build(make('frobnicate'))).toThrow(/no tool is named "frobnicate"$/);
  });

  it(proves('P14')('are a warning for allow'), () => {
    const rules = [allow('vew_file'), allow('run_command', { when: arg('comand_line', () => true) })];
    const { warnings } = build([...rules, denyAll()]);
    expect(warnings).toEqual([
      'allow vew_file: no tool is named "vew_file"; did you mean "view_file"?',
      'allow run_command: no tool it is about has an argument "comand_line"; did you mean "command_line"?',
    ]);
  });

  it(proves('P14')('are reported by the guard as well'), () => {
    const guard = createGuard({ tools: builtinTools, policy: [allow('vew_file'), denyAll()] });
    expect(guard.warnings).toEqual(['allow vew_file: no tool is named "vew_file"; did you mean "view_file"?']);
    expect(() => createGuard({ tools: builtinTools, policy: [deny('vew_file')] })).toThrow('did you mean "view_file"?');
  });

  it(proves('P14', 'P15')('are known if they are aliases'), () => {
    const rules = [deny('read_file'), deny('RUN_COMMAND', { when: arg('CommandLine', () => true) })];
    expect(build([...rules, denyAll()]).warnings).toEqual([]);
  });

  it(proves('P06', 'P14')('that no rule covers are reported, if no default is set'), () => {
    const tools = [{ name: 'look', tier: 'observe' as const }, { name: 'act' }, { name: 'undo' }];
    const said = (rules: Rule[], options: CompileOptions = {}): readonly string[] =>
      compilePolicy(rules, { tools, ...options }).warnings;
    expect(said([allow('look')])).toEqual(['no rule covers "act", "undo": the default allows them']);
    expect(said([allow('look'), deny('act')])).toEqual(['no rule covers "undo": the default allows them']);
    expect(said([], { default: 'allow' })).toEqual([]);
    expect(said([], { strict: true })).toEqual([]);
    expect(said([denyAll()])).toEqual([]);
    expect(said([deny('*', { shadow: true }), deny('act')])).toHaveLength(1);
  });

  it(proves('P14')('are looked for in all tools a rule is about'), () => {
    expect(build([deny('*', { when: arg('command_line', () => true) }), allowAll()]).warnings).toEqual([]);
    const known = { tools: builtinTools, servers: [] };
    expect(() => build(deny('*', { when: arg('comand_line', () => true) }), known)).toThrow('"command_line"');
    expect(() => build(deny('*', { when: arg('CommandLine', () => true) }), known)).not.toThrow();
    const issue = { name: 'create_issue', server: 'gh', args: ['title'] };
    const listed = { tools: [...builtinTools, issue], servers: ['gh'] };
    expect(() => build(deny('gh/*', { when: arg('tittle', () => true) }), listed)).toThrow('did you mean "title"?');
    expect(() => build(deny('gh/*', { when: arg('command_line', () => true) }), listed)).toThrow('no tool it is about');
  });

  it(proves('P14')('are not looked for where a tool or a server does not tell'), () => {
    const open = { tools: [...builtinTools, { name: 'custom' }], servers: [] };
    expect(() => build(deny('custom', { when: arg('anything', () => true) }), open)).not.toThrow();
    expect(() => build(deny('*', { when: arg('anything', () => true) }), open)).not.toThrow();
    expect(() => build(deny('files/delete'))).not.toThrow();
    expect(() => build(deny('files/*', { when: arg('anything', () => true) }))).not.toThrow();
    expect(() => build(deny('*', { when: arg('anything', () => true) }))).not.toThrow();
    expect(() => compilePolicy([deny('anything', { when: arg('x', () => true) })])).not.toThrow();
  });

  it(proves('P14', 'G16')('are the names that the schema gives out, since predicates see those'), () => {
    const plain = { name: 'plain', schema: z.object({ path: z.string(), depth: z.number().default(1) }) };
    const renaming = {
      name: 'renaming',
      schema: z.object({ path: z.string() }).transform(({ path }) => ({ file: path })),
    };
    const piped = {
      name: 'piped',
      schema: z.object({ path: z.string() }).pipe(z.object({ path: z.string(), deep: z.string().default('') })),
    };
    const options = { tools: [plain, renaming, piped], servers: [] };
    const about = (tool: string, name: string) => (): unknown =>
      build(deny(tool, { when: arg(name, () => true) }), options);
    expect(about('plain', 'depth')).not.toThrow();
    expect(about('plain', 'pth')).toThrow('did you mean "path"?');
    expect(about('piped', 'deep')).not.toThrow();
    expect(about('piped', 'deeep')).toThrow('did you mean "deep"?');
    expect(about('renaming', 'file')).not.toThrow();
  });
});

describe('servers', () => {
  const rules: readonly (readonly [string, Rules])[] = [
    ['allow', allow('gh/push')],
    ['deny', denyMcp('gh')],
    ['ask', askMcp('gh', ['push'])],
    ['forbid', forbid({ server: 'gh' })],
  ];

  it.each(rules)(proves('M04')('that are not registered are an error for %s'), (_kind, rule) => {
    expect(() => compilePolicy(rule, { servers: ['git'], approver })).toThrow('no server is named "gh"');
    expect(() => compilePolicy(rule, { servers: [], approver })).toThrow('no server is named "gh"');
    expect(() => createGuard({ tools: [], servers: [{ name: 'git' }], policy: rule, approver })).toThrow('"gh"');
  });

  it.each(rules)(proves('M04')('that are not given at all are an error for %s'), (_kind, rule) => {
    expect(() => compilePolicy(rule, { approver })).toThrow('no servers were given');
    expect(() => createGuard({ tools: [], policy: rule, approver })).toThrow('"gh"');
  });

  it.each(rules)(proves('M04')('that are registered are fine for %s'), (_kind, rule) => {
    expect(() => compilePolicy(rule, { servers: ['gh'], approver })).not.toThrow();
    expect(() => compilePolicy(rule, { servers: [{ name: 'gh' }], approver })).not.toThrow();
  });

  it(proves('M04')('are not needed by rules for local tools'), () => {
    expect(() => compilePolicy([deny('push'), allowAll()])).not.toThrow();
  });
});

function version(rules: Rules, options: CompileOptions = {}): string {
  return compilePolicy(rules, { approver, ...options }).version;
}

function base(): Rule[] {
  return [deny('push', { reason: 'no', when: (args) => args['x'] === 1 }), allowAll()];
}

describe('a compiled policy', () => {
  it(proves('P07', 'P18')('does not change when its inputs change'), async () => {
    const grant = { timeoutMs: 5 };
    const target = { type: 'tool', tool: 'push' };
    const mine = { type: 'rule', effect: 'deny', target, name: 'made' };
    const list = [mine, { type: 'rule', effect: 'allow', target: { type: 'all' }, grant }] as unknown as Rule[];
    const names = ['shove'];
    const push = { name: 'push', aliases: { names } };
    const tools: ToolDeclaration[] = [push, { name: 'pull' }];
    const policy = compilePolicy(list, { tools });
    mine.effect = 'allow';
    mine.name = 'changed';
    target.tool = 'other';
    grant.timeoutMs = 1_000_000;
    list.length = 0;
    names.push('pull2');
    push.name = 'other';
    tools.push({ name: 'new' });
    expect(await policy.decide({ tool: 'push' })).toMatchObject({ effect: 'deny', rule: { name: 'made' } });
    expect(await policy.decide({ tool: 'shove' })).toMatchObject({ effect: 'deny', rule: { name: 'made' } });
    expect(await policy.decide({ tool: 'pull' })).toMatchObject({ effect: 'allow', grant: { timeoutMs: 5 } });
    expect((await policy.decide({ tool: 'new' })).reason).toContain('Unknown tool');
    expect((await policy.decide({ tool: 'pull2' })).reason).toContain('Unknown tool');
  });

  it(proves('P07', 'P18')('gives out nothing by which it could be changed'), async () => {
    const policy = compilePolicy([allow('push', { grant: { timeoutMs: 5 } }), deny('pull', { when: () => true })]);
    for (const tool of ['push', 'pull', 'other']) {
      const decision = await policy.decide({ tool });
      for (const part of [decision, decision.rule, decision.grant, decision.paths, policy.rules, policy.warnings]) {
        expect(part === undefined || Object.isFrozen(part), `${tool} ${JSON.stringify(part)}`).toBe(true);
      }
    }
  });

  it(proves('G11')('denies a call of an undeclared tool, whatever its rules are'), async () => {
    const policy = compilePolicy([allowAll()], { tools: [{ name: 'push' }] });
    for (const tool of ['pull', 'Push', 'push ', 'constructor', '__proto__', 'toString', '']) {
      const decision = await policy.decide({ tool });
      expect(decision, tool).toMatchObject({ effect: 'deny', rule: undefined });
      expect(decision.reason).toContain('Unknown tool');
    }
  });

  it(proves('G11')('denies a value that is not a call'), async () => {
    const policy = compilePolicy([allowAll()]);
    const junk = [undefined, null, 7, 'push', [], {}, { tool: 7 }, { tool: null }, { tool: ['push'] }, { tool: '' }];
    for (const request of [
      ...junk,
      { tool: 'push', server: null },
      { tool: 'push', server: 7 },
      { tool: 'push', server: '' },
    ]) {
      const decision = await policy.decide(request as never);
      expect(decision, JSON.stringify(request)).toMatchObject({ effect: 'deny', rule: undefined });
      expect(decision.reason).not.toBe('');
      expect((await policy.explain(request as never)).decision.effect).toBe('deny');
    }
  });

  it(proves('G11', 'M01')('decides about what it has looked at, also if the request shifts'), async () => {
    let reads = 0;
    const shifty = {
      tool: 'push',
      get server() {
        return reads++ === 0 ? 'gh' : undefined;
      },
    };
    const policy = compilePolicy([denyMcp('gh'), allowAll()], { servers: ['gh'] });
    expect(await policy.decide(shifty)).toMatchObject({ effect: 'deny', rule: { target: 'gh/*' } });
  });

  it(proves('P07', 'Q01')('has a version that changes with its rules and stays the same otherwise'), () => {
    expect(version(base())).toBe(version(base()));
    const others: readonly [string, string][] = [
      ['effect', version([forbid('push', { reason: 'no', when: (args) => args['x'] === 1 }), allowAll()])],
      ['target', version([deny('pull', { reason: 'no', when: (args) => args['x'] === 1 }), allowAll()])],
      ['reason', version([deny('push', { reason: 'yes', when: (args) => args['x'] === 1 }), allowAll()])],
      ['predicate', version([deny('push', { reason: 'no', when: (args) => args['x'] === 2 }), allowAll()])],
      ['order', version(base().toReversed())],
      ['default', version(base(), { default: 'deny' })],
      ['shadow', version([{ ...(base()[0] as Rule), shadow: true }, allowAll()])],
      ['grant', version([base()[0] as Rule, allowAll({ grant: { timeoutMs: 5 } })])],
      ['fewer', version([allowAll()])],
      ['said', version(base(), { version: '2' })],
      ['said otherwise', version(base(), { version: '3' })],
      ['wrapped predicate', version(safeDefaults({ when: (args) => args['x'] === 1 }))],
      ['other wrapped predicate', version(safeDefaults({ when: (args) => args['x'] === 2 }))],
      ['wrapped argument', version(safeDefaults({ when: arg('x', (value) => value === 1) }))],
      ['other wrapped argument', version(safeDefaults({ when: arg('y', (value) => value === 1) }))],
      ['argument', version([deny('push', { when: arg('x', (value) => value === 1) })])],
      ['other argument', version([deny('push', { when: arg('y', (value) => value === 1) })])],
      ['other test', version([deny('push', { when: arg('x', (value) => value === 2) })])],
    ];
    const seen = new Map([[version(base()), 'base']]);
    for (const [what, each] of others) {
      expect(seen.get(each), what).toBeUndefined();
      seen.set(each, what);
    }
  });

  it(proves('P16')('compiles 100,000 rules in reasonable time'), () => {
    const rules = Array.from({ length: 100_000 }, (_, i) =>
      i % 2 === 0
        ? deny(`tool_${i}`, { when: arg('x', () => true) })
        : allow({ server: `s${i % 100}`, tool: `tool_${i}` }),
    );
    const servers = Array.from({ length: 100 }, (_, i) => `s${i}`);
    const tools = [
      ...Array.from({ length: 50_000 }, (_, i) => ({ name: `tool_${2 * i}`, args: ['x'] })),
      ...Array.from({ length: 50_000 }, (_, i) => ({ name: `tool_${2 * i + 1}`, server: `s${(2 * i + 1) % 100}` })),
    ];
    const started = performance.now();
    expect(compilePolicy(rules, { servers, tools }).warnings).toEqual([]);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
