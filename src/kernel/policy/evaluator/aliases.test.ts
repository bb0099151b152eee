import {
  allow,
  allowAll,
  arg,
  ask,
  compilePolicy,
  createGuard,
  deny,
  forbid,
  preToolCall,
  replace,
  type JsonObject,
  type Rules,
  type ToolCall,
  type ToolDeclaration,
} from 'bridle';
import { builtinTools } from 'bridle/tools';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';

/** The aliases that the contract names, and what they stand for. */
const toolAliases = [
  ['read_file', 'view_file'],
  ['VIEW_FILE', 'view_file'],
  ['grep_search', 'search_directory'],
  ['SEARCH_DIR', 'search_directory'],
  ['write_to_file', 'create_file'],
  ['LIST_DIR', 'list_directory'],
  ['RUN_COMMAND', 'run_command'],
] as const;
const argumentAliases = [
  ['run_command', 'CommandLine', 'command_line'],
  ...['view_file', 'create_file', 'edit_file'].flatMap((tool) =>
    ['TargetFile', 'AbsolutePath', 'path'].map((alias) => [tool, alias, 'file_path'] as const),
  ),
] as const;

const approver = (): boolean => true;
const options = { tools: builtinTools, approver };

/** Runs one call and gives what the tool got, if it ran. */
async function run(request: { tool: string; args?: unknown; server?: string }, policy: Rules, tools = builtinTools) {
  const guard = createGuard({ tools, servers: [{ name: 'gh' }], policy, approver });
  const got: ToolCall[] = [];
  const session = await guard.start();
  const result = await session.turn().guard(request, { run: (call) => got.push(call) });
  await session.end();
  return { result, got: got[0] };
}

describe('another name of a tool', () => {
  it.each(toolAliases)(proves('P15')('%s in a call is %s to rules and to the tool'), async (alias, name) => {
    const { got } = await run({ tool: alias }, [allowAll()]);
    expect(got?.tool).toBe(name);
    for (const make of [deny, forbid, ask]) {
      const policy = compilePolicy([make(name), allowAll()], options);
      const expected = make === ask ? 'ask' : 'deny';
      expect(await policy.decide({ tool: alias })).toMatchObject({ effect: expected, rule: { target: name } });
    }
  });

  it.each(toolAliases)(proves('P15')('%s in a rule is about %s, however it is called'), async (alias, name) => {
    const names = [name, ...toolAliases.filter(([, other]) => other === name).map(([other]) => other)];
    for (const make of [deny, forbid, ask, allow]) {
      const policy = compilePolicy([make(alias)], { ...options, default: make === allow ? 'deny' : 'allow' });
      for (const tool of names) {
        expect((await policy.decide({ tool })).rule, tool).toMatchObject({ target: name, effect: make.name });
      }
    }
  });

  it(proves('P15')('counts as the same name for precedence'), async () => {
    const policy = compilePolicy([allow('view_file', { name: 'a' }), deny('read_file', { name: 'b' })], options);
    expect(await policy.decide({ tool: 'VIEW_FILE' })).toMatchObject({
      effect: 'deny',
      rule: { name: 'b', bucket: 0 },
    });
    const first = compilePolicy([deny('VIEW_FILE', { name: 'a' }), deny('view_file', { name: 'b' })], options);
    expect(await first.decide({ tool: 'read_file' })).toMatchObject({ rule: { name: 'a' } });
  });

  it(proves('P15')('belongs to the declaration of a tool: custom and MCP tools have none'), async () => {
    const tools: ToolDeclaration[] = [{ name: 'view_file' }, { name: 'view_file', server: 'gh' }];
    for (const request of [{ tool: 'read_file' }, { tool: 'read_file', server: 'gh' }]) {
      const { result, got } = await run(request, [allowAll()], tools);
      expect(result).toMatchObject({ type: 'invalid' });
      expect(got).toBeUndefined();
    }
    const bare = { tool: 'view_file', args: { path: 'x' } };
    expect((await run(bare, [allowAll()], tools)).got?.args).toEqual({ path: 'x' });
    expect((await run({ ...bare, server: 'gh' }, [allowAll()], tools)).got?.args).toEqual({ path: 'x' });
  });

  it(proves('P15', 'M02')('is declared for one server and counts there only'), async () => {
    const tools: ToolDeclaration[] = [
      { name: 'push', server: 'gh', aliases: { names: ['publish'], args: { Branch: 'branch' } } },
      { name: 'publish' },
    ];
    const policy = compilePolicy([deny('gh/publish'), allowAll()], { tools, servers: ['gh'] });
    expect(await policy.decide({ server: 'gh', tool: 'push' })).toMatchObject({ effect: 'deny' });
    expect(await policy.decide({ server: 'gh', tool: 'publish' })).toMatchObject({ effect: 'deny' });
    expect(await policy.decide({ tool: 'publish' })).toMatchObject({ effect: 'allow' });
    const { got } = await run({ server: 'gh', tool: 'publish', args: { Branch: 'main' } }, [allowAll()], tools);
    expect(got).toMatchObject({ server: 'gh', tool: 'push', args: { branch: 'main' } });
  });

  it(proves('P15', 'M01')('counts in rules even if the server declares it later'), async () => {
    const other = deny('gh/push', { name: 'second', when: () => turns === 0 });
    let turns = 0;
    const policy = [deny('gh/publish', { name: 'late' }), other, allow('gh/push', { name: 'early' }), allowAll()];
    const guard = createGuard({ tools: [], servers: [{ name: 'gh' }], policy });
    const turn = (await guard.start()).turn();
    guard.replaceServerTools('gh', [{ name: 'push', aliases: { names: ['publish'] } }, { name: 'pull' }]);
    const host = { run: () => 'ran' };
    for (const tool of ['push', 'publish']) {
      const result = await turn.guard({ server: 'gh', tool }, host);
      expect(result, tool).toMatchObject({ type: 'denied', rule: { name: 'late', bucket: 0 } });
    }
    expect(await turn.guard({ server: 'gh', tool: 'pull' }, host)).toMatchObject({ type: 'ok' });
    turns++;
    guard.replaceServerTools('gh', [{ name: 'push' }, { name: 'publish' }]);
    expect(await turn.guard({ server: 'gh', tool: 'push' }, host)).toMatchObject({
      type: 'ok',
      rule: { name: 'early' },
    });
    expect(await turn.guard({ server: 'gh', tool: 'publish' }, host)).toMatchObject({ type: 'denied' });
  });
});

describe('another name of an argument', () => {
  it.each(argumentAliases)(
    proves('P15')('%s: %s in a call is %s to rules and to the tool'),
    async (tool, alias, name) => {
      const { got } = await run({ tool, args: { [alias]: 'x', other: 1 } }, [allowAll()]);
      expect(got?.args).toEqual({ [name]: 'x', other: 1 });
      expect(Object.keys(got?.args ?? {})).toEqual([name, 'other'].toSorted());
      for (const when of [arg(name, (value) => value === 'x'), (args: JsonObject) => args[name] === 'x']) {
        const policy = compilePolicy([deny(tool, { when })], options);
        expect(await policy.decide({ tool, args: { [alias]: 'x' } })).toMatchObject({ effect: 'deny' });
        expect(await policy.decide({ tool, args: { [alias]: 'y' } })).toMatchObject({ effect: 'allow' });
      }
    },
  );

  it.each(argumentAliases)(proves('P15')('%s: %s in a rule reads %s'), async (tool, alias, name) => {
    const whens = [
      arg(alias, (value) => value === 'x'),
      (args: JsonObject) => args[alias] === 'x',
      (args: JsonObject) => alias in args && Object.hasOwn(args, alias) && args[alias] === 'x',
      ({ [alias]: value }: JsonObject) => value === 'x',
      (args: JsonObject, call: ToolCall) => arg(alias, (value) => value === 'x')(args, call),
    ];
    for (const [index, when] of whens.entries()) {
      for (const target of [tool, '*']) {
        const policy = compilePolicy([deny(target, { when })], options);
        for (const given of [alias, name]) {
          const [match, other] = [{ [given]: 'x' }, { [given]: 'y' }];
          expect(await policy.decide({ tool, args: match }), `${index} ${given}`).toMatchObject({ effect: 'deny' });
          expect(await policy.decide({ tool, args: other }), `${index} ${given}`).toMatchObject({ effect: 'allow' });
        }
        expect(await policy.decide({ tool }), `${index} none`).toMatchObject({ effect: 'allow' });
      }
    }
  });

  it(proves('P15')('can be read by a predicate, but is not counted among the args'), async () => {
    const seen: unknown[] = [];
    const look = (args: JsonObject, call: ToolCall): boolean => {
      seen.push(Object.keys(args), JSON.stringify(args), { ...args }, Object.isFrozen(args), call.args);
      return false;
    };
    await compilePolicy([deny('run_command', { when: look })], options).decide({
      tool: 'run_command',
      args: { CommandLine: 'ls' },
    });
    const canonical = { command_line: 'ls' };
    expect(seen).toEqual([['command_line'], JSON.stringify(canonical), canonical, true, canonical]);
  });

  it(proves('P15')('of a rule about several tools is read by each as it means there'), async () => {
    const when = arg('path', (value) => value === 'secret');
    const policy = compilePolicy([deny('*', { when })], options);
    for (const [tool, name] of [
      ['view_file', 'file_path'],
      ['list_directory', 'directory_path'],
    ] as const) {
      expect(await policy.decide({ tool, args: { [name]: 'secret' } }), tool).toMatchObject({ effect: 'deny' });
      expect(await policy.decide({ tool, args: { [name]: 'open' } }), tool).toMatchObject({ effect: 'allow' });
    }
    expect(await policy.decide({ tool: 'run_command', args: { command_line: 'secret' } })).toMatchObject({
      effect: 'allow',
    });
  });

  it(proves('P15')('together with the canonical name and another value is refused'), async () => {
    const ways: readonly JsonObject[] = [
      { CommandLine: 'ls', command_line: 'rm' },
      { command_line: 'rm', CommandLine: 'ls' },
      { CommandLine: 'ls', command_line: null },
      { CommandLine: '1', command_line: 1 },
      { CommandLine: ['a', 'b'], command_line: ['b', 'a'] },
    ];
    for (const args of ways) {
      const { result, got } = await run({ tool: 'run_command', args }, [allowAll()]);
      expect(result).toMatchObject({ type: 'invalid', isError: true });
      expect(result.text).toContain('"command_line"');
      expect(got).toBeUndefined();
      expect(await compilePolicy([allowAll()], options).decide({ tool: 'run_command', args })).toMatchObject({
        effect: 'deny',
      });
    }
    const two = await run({ tool: 'view_file', args: { path: 'a', TargetFile: 'b' } }, [allowAll()]);
    expect(two.result).toMatchObject({ type: 'invalid' });
  });

  it(proves('P15')('together with the canonical name and the same value is one argument'), async () => {
    for (const value of ['ls', 0, null, false, '', ['a', { b: 1, c: 2 }]]) {
      const args = { CommandLine: value, command_line: value };
      expect((await run({ tool: 'run_command', args }, [allowAll()])).got?.args).toEqual({ command_line: value });
    }
    const args = { CommandLine: { b: 1, a: 2 }, command_line: { a: 2, b: 1 } };
    expect((await run({ tool: 'run_command', args }, [allowAll()])).got?.args).toEqual({
      command_line: { a: 2, b: 1 },
    });
  });

  it(proves('P15', 'G02')('written by a hook is applied as well, and decided again'), async () => {
    const rewrite = preToolCall(function rewrite() {
      return replace({ CommandLine: 'rm -rf /' });
    });
    const when = arg('command_line', (line) => text(line).startsWith('rm'));
    const guard = createGuard({
      tools: builtinTools,
      policy: [deny('run_command', { when }), allowAll()],
      hooks: [rewrite],
    });
    const turn = (await guard.start()).turn();
    const result = await turn.guard({ tool: 'run_command', args: { command_line: 'ls' } }, { run: () => 'ran' });
    expect(result).toMatchObject({ type: 'denied', call: { args: { command_line: 'rm -rf /' } } });
  });

  it(proves('P15', 'G03')('is kept in the args as they were requested'), async () => {
    const { got } = await run({ tool: 'run_command', args: { CommandLine: 'ls' } }, [allowAll()]);
    expect(got).toMatchObject({ requested: { CommandLine: 'ls' }, args: { command_line: 'ls' } });
  });

  it(proves('P15', 'G11')('is found as an own property only'), async () => {
    const tools: ToolDeclaration[] = [{ name: 'push', args: ['x'], aliases: { args: { X: 'x' } } }];
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      const { got } = await run({ tool: 'push', args: { [name]: 1 } }, [allowAll()], tools);
      expect(got?.args).toEqual({ [name]: 1 });
    }
  });
});

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

describe('the policies of the Python SDK', () => {
  it(proves('P15', 'P02')('work as they are written, in either set of names'), async () => {
    const rules = [
      allow('view_file'),
      allow('grep_search'),
      allow('run_command', { when: (a) => text(a['CommandLine']).startsWith('npm test') }),
      allow('write_to_file', { when: (a) => text(a['TargetFile']).includes('/src/') }),
      deny('*'),
    ];
    const policy = compilePolicy(rules, { tools: builtinTools });
    const effect = async (tool: string, args: JsonObject = {}) => (await policy.decide({ tool, args })).effect;
    expect(await effect('read_file')).toBe('allow');
    expect(await effect('search_directory')).toBe('allow');
    for (const name of ['CommandLine', 'command_line']) {
      expect(await effect('run_command', { [name]: 'npm test -- x' })).toBe('allow');
      expect(await effect('RUN_COMMAND', { [name]: 'rm -rf /' })).toBe('deny');
    }
    for (const name of ['TargetFile', 'file_path', 'path']) {
      expect(await effect('create_file', { [name]: '/a/src/b' })).toBe('allow');
      expect(await effect('write_to_file', { [name]: '/etc/passwd' })).toBe('deny');
    }
    expect(await effect('edit_file')).toBe('deny');
    const sudo = deny('run_command', { when: (args) => text(args['CommandLine']).includes('sudo') });
    const other = compilePolicy([sudo, allowAll()], { tools: builtinTools });
    for (const name of ['CommandLine', 'command_line']) {
      const args = { [name]: 'sudo rm' };
      expect(await other.decide({ tool: 'run_command', args })).toMatchObject({ effect: 'deny' });
    }
  });
});
