import {
  allow,
  allowAll,
  allowMcp,
  arg,
  ask,
  askMcp,
  compilePolicy,
  confirmRunCommand,
  createGuard,
  deny,
  denyAll,
  denyMcp,
  forbid,
  safeDefaults,
  type Rule,
  type Rules,
} from 'bridle';
import { workspaceOnly } from 'bridle/facts';
import { builtinTools } from 'bridle/tools';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';

const approver = (): boolean => true;
const one = { allow, deny, ask, forbid };
const mcp = { allowMcp, denyMcp, askMcp };
const command = { tool: 'run_command', args: { command_line: 'ls' } };

function rulesOf(rules: Rules): Rule[] {
  return Array.isArray(rules) ? rules.flatMap((each: Rules) => rulesOf(each)) : [rules as Rule];
}

const names = (rules: Rules) => rulesOf(rules).map((rule) => rule.name);

/** Calls something as plain JavaScript would, whatever its types say. */
function untyped(fn: unknown, ...given: readonly unknown[]): unknown {
  return (fn as (...given: readonly unknown[]) => unknown)(...given);
}

describe('allow, deny, ask, forbid', () => {
  it.each(Object.entries(one))(proves('P07')('%s makes a frozen rule with name, reason and when'), (effect, make) => {
    const options = { name: 'mine', reason: 'because', when: () => true };
    const rule = make('gh/push', options);
    expect(rule).toMatchObject({
      type: 'rule',
      effect,
      target: { type: 'tool', server: 'gh', tool: 'push' },
      ...options,
    });
    expect(Object.isFrozen(rule) && Object.isFrozen(rule.target)).toBe(true);
  });

  it(proves('P07', 'M01')('read a target as a tool, a pair, a server or everything'), () => {
    expect(allow('push').target).toEqual({ type: 'tool', server: undefined, tool: 'push' });
    expect(allow('gh/push').target).toEqual({ type: 'tool', server: 'gh', tool: 'push' });
    expect(allow('gh/*').target).toEqual({ type: 'server', server: 'gh' });
    expect(allow('*').target).toEqual({ type: 'all' });
    expect(allow({ server: 'gh' }).target).toEqual({ type: 'server', server: 'gh' });
    expect(allow({ server: 'gh', tool: 'push' }).target).toEqual({ type: 'tool', server: 'gh', tool: 'push' });
    expect(allow('gh/repos/push').target).toEqual({ type: 'tool', server: 'gh', tool: 'repos/push' });
  });

  it.each(['', '/', '/push', 'gh/', '**', '*/*', '*/push', 'gh*', 'gh/pu*', 'gh/*/push', 'pu*sh', '*push', 'push*'])(
    proves('P07')('refuse the target %j'),
    (target) => {
      for (const make of Object.values(one)) expect(() => make(target)).toThrow('target');
    },
  );

  it.each([
    undefined,
    null,
    7,
    7n,
    true,
    Symbol('push'),
    () => 'push',
    [],
    ['push'],
    {},
    { tool: 'push' },
    { server: '' },
    { server: 7, tool: 'push' },
    { server: 'gh', tool: undefined },
    { server: 'gh', tol: 'push' },
    { server: 'gh', tool: 'push', when: () => true },
  ])(proves('P07')('refuse as a target what would fit nothing, or more than was meant (%#)'), (target) => {
    for (const make of Object.values(one)) expect(() => untyped(make, target)).toThrow('a target is');
  });

  it.each([
    { server: 'gh', tool: '' },
    { server: 'gh', tool: '*' },
    { server: 'gh', tool: 7 },
    { server: 'gh', tool: null },
    { server: '*' },
    { server: '*', tool: 'push' },
    'push\n',
    ' push',
    'push\u0000',
    'push\u202E',
    'push\u200B',
    'push\uD800',
    'gh/ push',
    'x'.repeat(257),
    `gh/${'x'.repeat(257)}`,
    { server: 'x'.repeat(257) },
    'x'.repeat(10_000_000),
  ])(proves('P07', 'P14', 'M01')('have no target with a name that nothing can have (%#)'), (target) => {
    for (const make of Object.values(one)) {
      const build = (): unknown => compilePolicy(untyped(make, target) as Rule, { servers: ['gh'], approver });
      expect(build).toThrow(/"target\.(tool|server)"|the target/);
      expect(messageOf(build).length).toBeLessThan(500);
    }
  });

  it.each([null, 'when', 7, () => true])(proves('P07')('refuse options that are none (%#)'), (options) => {
    for (const make of Object.values(one)) expect(() => untyped(make, 'push', options)).toThrow('"push"');
  });

  it(proves('P07')('refuse an option they do not know, with the nearest they do'), () => {
    expect(() => untyped(allow, 'push', { wen: () => false })).toThrow(
      'allow("push"): "wen" of the options object is not known; did you mean "when"?',
    );
    expect(() => untyped(deny, 'push', { predicate: () => true })).toThrow(
      '"predicate" of the options object is not known',
    );
    expect(() => untyped(ask, 'push', { effect: 'allow' })).toThrow('"effect" of the options object is not known');
    expect(() => untyped(ask, 'push', { target: '*' })).toThrow('"target" of the options object is not known');
  });

  it(proves('P07')('do not lose a condition that is inherited'), async () => {
    const inherited = Object.create({ when: () => false }) as object;
    expect(await compilePolicy([allow('push', inherited)], { strict: true }).decide({ tool: 'push' })).toMatchObject({
      effect: 'deny',
    });
  });
});

describe('allowAll and denyAll', () => {
  it(proves('P07', 'P09')('are for everything, have names of their own and take options'), async () => {
    expect(allowAll()).toMatchObject({ effect: 'allow', target: { type: 'all' }, name: 'allow_all' });
    expect(denyAll()).toMatchObject({ effect: 'deny', target: { type: 'all' }, name: 'deny_all' });
    const options = { name: 'mine', reason: 'because', when: () => true };
    expect(allowAll(options)).toMatchObject(options);
    expect(denyAll(options)).toMatchObject(options);
    const policy = compilePolicy([allowAll()], { strict: true, servers: ['gh'] });
    for (const call of [command, { server: 'gh', tool: 'push' }]) {
      expect(await policy.decide(call)).toMatchObject({ effect: 'allow', rule: { name: 'allow_all' } });
    }
  });

  it(proves('P07')('leave the rest to others where their condition is false'), async () => {
    const policy = compilePolicy([denyAll({ when: (_args, call) => call.tier === 'confirm' })], {
      tools: [{ name: 'look', tier: 'observe' }, { name: 'push' }],
    });
    expect(await policy.decide({ tool: 'look' })).toMatchObject({ effect: 'allow' });
    expect(await policy.decide({ tool: 'push' })).toMatchObject({ effect: 'deny' });
  });
});

describe('confirmRunCommand', () => {
  it(proves('P08')('asks for run_command if it has a handler'), async () => {
    const policy = compilePolicy(confirmRunCommand(() => true));
    const decision = await policy.decide(command);
    expect(decision).toMatchObject({ effect: 'ask', rule: { name: 'confirm_run_command' } });
    expect(await policy.decide({ tool: 'view_file' })).toMatchObject({ effect: 'allow' });
  });

  it(proves('P08')('asks for run_command if the agent has an approver'), async () => {
    const policy = compilePolicy(confirmRunCommand(), { approver, tools: builtinTools });
    for (const tool of ['run_command', 'RUN_COMMAND']) {
      expect(await policy.decide({ ...command, tool })).toMatchObject({ effect: 'ask' });
    }
    expect(await policy.decide({ tool: 'create_file' })).toMatchObject({ effect: 'allow' });
  });

  it(
    proves('P08')('denies run_command if there is nobody to answer, explains how to enable it, and allows the rest'),
    async () => {
      const policy = compilePolicy(confirmRunCommand(), { strict: true });
      const decision = await policy.decide(command);
      expect(decision).toMatchObject({ effect: 'deny', rule: { name: 'confirm_run_command', bucket: 0 } });
      expect(decision.reason).toContain('confirmRunCommand(handler)');
      expect(decision.reason).toContain('approver');
      expect(await policy.decide({ tool: 'view_file' })).toMatchObject({ effect: 'allow' });
    },
  );

  it.each([
    ['a handler', confirmRunCommand(() => true), undefined],
    ['an approver', confirmRunCommand(), approver],
    ['nobody', confirmRunCommand(), undefined],
  ])(proves('P08')('leaves a deny of the user a deny, with %s'), async (_who, rules, who) => {
    const own = deny('run_command', { name: 'mine' });
    for (const list of [
      [own, rules],
      [rules, own],
    ]) {
      expect(await compilePolicy(list, { approver: who }).decide(command)).toMatchObject({ effect: 'deny' });
    }
    const narrow = deny('run_command', { name: 'mine', when: arg('command_line', (line) => line === 'ls') });
    expect(await compilePolicy([rules, narrow], { approver: who }).decide(command)).toMatchObject({ effect: 'deny' });
  });

  it(
    proves('P08', 'P14')('works for an agent without run_command, and warns only if a tool has a similar name'),
    async () => {
      for (const rules of [confirmRunCommand(), confirmRunCommand(approver)]) {
        const readOnly = compilePolicy(rules, { tools: [{ name: 'view_file' }] });
        expect(readOnly.warnings).toEqual([]);
        expect(await readOnly.decide({ tool: 'view_file' })).toMatchObject({ effect: 'allow' });
        expect(await readOnly.decide(command)).toMatchObject({ effect: 'deny' });
        expect(compilePolicy(rules, { tools: [{ name: 'run_commands' }] }).warnings).toEqual([
          'rule "confirm_run_command": no tool is named "run_command"; did you mean "run_commands"?',
        ]);
      }
    },
  );

  it(proves('P08', 'P07')('takes a name, a reason and a condition for its ask'), async () => {
    const when = arg('command_line', (line) => line !== 'ls');
    const policy = compilePolicy(confirmRunCommand(() => true, { name: 'mine', reason: 'Sure?', when }));
    expect(await policy.decide(command)).toMatchObject({ effect: 'allow' });
    const other = { ...command, args: { command_line: 'rm' } };
    expect(await policy.decide(other)).toMatchObject({ effect: 'ask', reason: 'Sure?', rule: { name: 'mine' } });
  });

  it(proves('P08', 'P10')('lets only the handler decide in the guard'), async () => {
    let asked = 0;
    const guard = createGuard({
      tools: builtinTools,
      policy: confirmRunCommand(({ call }) => call.args['command_line'] === 'ls'),
      approver: () => {
        asked++;
        return true;
      },
    });
    const turn = (await guard.start()).turn();
    const host = { run: () => 'ran' };
    expect(await turn.guard(command, host)).toMatchObject({ type: 'ok' });
    expect(await turn.guard({ ...command, args: { CommandLine: 'rm' } }, host)).toMatchObject({ type: 'denied' });
    expect(asked).toBe(0);
  });

  it.each([null, 'yes', true, {}])(proves('P08', 'P10')('refuses a handler that is not a function (%#)'), (handler) => {
    expect(() => compilePolicy(untyped(confirmRunCommand, handler) as Rules)).toThrow('confirm_run_command');
  });
});

describe('safeDefaults', () => {
  const tools = [
    { name: 'look', tier: 'observe' as const },
    { name: 'push', displayName: 'Push to the cloud', tier: 'confirm' as const },
    { name: 'undeclared' },
  ];

  it(proves('P09')('allows tools that only observe, and asks for every other one'), async () => {
    const policy = compilePolicy(safeDefaults(), { tools, approver, strict: true });
    expect(await policy.decide({ tool: 'look' })).toMatchObject({ effect: 'allow', rule: { name: 'safe_observe' } });
    expect(await policy.decide({ tool: 'push' })).toMatchObject({
      effect: 'ask',
      reason: 'Confirm Push to the cloud?',
    });
    expect(await policy.decide({ tool: 'undeclared' })).toMatchObject({ effect: 'ask', reason: 'Confirm undeclared?' });
  });

  it(proves('P09', 'P10')('is refused if there is nobody to answer'), () => {
    expect(() => compilePolicy(safeDefaults(), { tools })).toThrow(
      'rule "safe_confirm": it asks, but there is nobody to answer',
    );
  });

  it(proves('P09', 'P07')('takes a name, a reason and a condition'), async () => {
    const when = arg('force', (force) => force === true);
    const policy = compilePolicy(safeDefaults({ name: 'mine', reason: 'Sure?', when }), {
      tools,
      approver,
      strict: true,
    });
    const forced = { args: { force: true } };
    expect(await policy.decide({ tool: 'look', ...forced })).toMatchObject({ rule: { name: 'mine_observe' } });
    expect(await policy.decide({ tool: 'push', ...forced })).toMatchObject({
      reason: 'Sure?',
      rule: { name: 'mine_confirm' },
    });
    expect(await policy.decide({ tool: 'push' })).toMatchObject({ effect: 'deny', rule: undefined });
  });

  it(proves('P09', 'P05')('denies where its condition answers no boolean'), async () => {
    for (const answer of [null, undefined, 1]) {
      const policy = compilePolicy(safeDefaults({ when: (() => answer) as never }), { tools, approver });
      for (const tool of ['look', 'push']) {
        expect(await policy.decide({ tool }), `${tool} ${answer}`).toMatchObject({ effect: 'deny' });
      }
    }
  });
});

describe('the builders for servers', () => {
  it.each(Object.entries(mcp))(proves('M03')('%s without a list is for the whole server'), (builder, make) => {
    const effect = builder.slice(0, -'Mcp'.length);
    expect(rulesOf(make('gh'))).toEqual([
      expect.objectContaining({ effect, target: { type: 'server', server: 'gh' } }),
    ]);
    expect(names(make('gh'))).toEqual([`${effect}_gh_all`]);
    expect(names(make('gh', undefined, { name: 'mine' }))).toEqual(['mine']);
  });

  it.each(Object.entries(mcp))(proves('M03')('%s with a list has one rule for each tool'), (builder, make) => {
    const effect = builder.slice(0, -'Mcp'.length);
    const rules = rulesOf(make('gh', ['push', 'repos/pull']));
    expect(rules.map((rule) => rule.target)).toEqual([
      { type: 'tool', server: 'gh', tool: 'push' },
      { type: 'tool', server: 'gh', tool: 'repos/pull' },
    ]);
    expect(names(rules)).toEqual([`${effect}_gh_push`, `${effect}_gh_repos/pull`]);
    expect(names(make('gh', ['push', 'pull'], { name: 'mine' }))).toEqual(['mine_push', 'mine_pull']);
    expect(make('gh', [])).toEqual([]);
  });

  it(proves('M03', 'P07')('take a server as it is declared, and the options of a rule'), () => {
    const options = { reason: 'because', when: () => true };
    for (const rules of [allowMcp({ name: 'gh' }, ['push'], options), denyMcp({ name: 'gh' }, undefined, options)]) {
      expect(rulesOf(rules)).toEqual([
        expect.objectContaining({ target: expect.objectContaining({ server: 'gh' }), ...options }),
      ]);
    }
    expect(rulesOf(askMcp('gh', ['push'], { handler: approver }))).toEqual([
      expect.objectContaining({ handler: approver }),
    ]);
  });

  it.each(Object.entries(mcp))(
    proves('M03')('%s refuses a string instead of a list, and suggests what to write'),
    (builder, make) => {
      expect(() => untyped(make, 'gh', 'push')).toThrow(`${builder} of "gh" takes a list of tool names`);
      expect(() => untyped(make, 'gh', 'push')).toThrow('["push"]');
      for (const wrong of [null, 7, {}, new Set(['push']), () => ['push']]) {
        expect(() => untyped(make, 'gh', wrong)).toThrow('takes a list of tool names');
      }
    },
  );

  it.each(Object.entries(mcp))(proves('M03')('%s never takes a missing tool for all of them'), (_builder, make) => {
    // oxlint-disable-next-line no-sparse-arrays
    for (const list of [[undefined], [null], [7], [''], [, 'push'], [['push']], [{ tool: 'push' }]]) {
      expect(() => untyped(make, 'gh', list)).toThrow(/takes a list of tool names: "\[[01]\]" of the list is /);
    }
    for (const list of [['*'], ['pu*'], [' push']]) {
      expect(() => compilePolicy(untyped(make, 'gh', list) as Rules, { servers: ['gh'], approver })).toThrow(
        '"target.tool" is',
      );
    }
  });

  it.each([undefined, null, '', 7, {}, { name: '' }, { name: 7 }, ['gh']])(
    proves('M03')('refuse a value that is not a server (%#)'),
    (server) => {
      for (const make of Object.values(mcp)) expect(() => untyped(make, server)).toThrow('needs a server or its name');
    },
  );

  it(proves('M03')('refuse names of servers that nothing can have'), () => {
    for (const server of ['*', 'g*h', 'gh\n', ' gh']) {
      expect(() => compilePolicy(denyMcp(server), { servers: ['gh'] }), server).toThrow('"target.server" is');
    }
    expect(() => compilePolicy(denyMcp('gh/x'), { servers: ['gh'] })).toThrow('no server is named "gh/x"');
  });

  it(proves('M03', 'M02')('decide for their server and no other'), async () => {
    const rules = [denyMcp('gh'), allowMcp('gh', ['pull']), askMcp('db'), allowMcp('db', ['read'])];
    const policy = compilePolicy(rules, { servers: ['gh', 'db', 'web'], approver, strict: true });
    const decided = async (server: string | undefined, tool: string) => {
      const { effect, rule } = await policy.decide({ server, tool });
      return `${effect} ${rule?.name ?? ''}`.trim();
    };
    expect(await decided('gh', 'push')).toBe('deny deny_gh_all');
    expect(await decided('gh', 'pull')).toBe('allow allow_gh_pull');
    expect(await decided('db', 'write')).toBe('ask ask_db_all');
    expect(await decided('db', 'read')).toBe('allow allow_db_read');
    expect(await decided('web', 'pull')).toBe('deny');
    expect(await decided(undefined, 'pull')).toBe('deny');
  });
});

describe('workspaceOnly', () => {
  it(proves('P07')('is a rule like any other'), () => {
    const policy = compilePolicy([[workspaceOnly(['.'])], allowAll()]);
    expect(policy.rules.map(({ name, effect, bucket }) => [name, effect, bucket])).toEqual([
      ['workspace_only', 'forbid', -1],
      ['allow_all', 'allow', 8],
    ]);
  });
});

function messageOf(fn: () => unknown): string {
  try {
    fn();
  } catch (error) {
    return String(error);
  }
  return '';
}
