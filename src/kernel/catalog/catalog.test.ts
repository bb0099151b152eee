import {
  allow,
  allowAll,
  arg,
  BridleError,
  compilePolicy,
  createGuard,
  deny,
  denyMcp,
  type Guard,
  type Rules,
  type ServerDeclaration,
  type ToolDeclaration,
} from 'bridle';
import { workspaceOnly } from 'bridle/facts';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

const host = { run: () => 'ran' };

/** A guard that would let everything run. */
function guardOf(
  tools: readonly ToolDeclaration[],
  servers: readonly ServerDeclaration[] = [],
  policy: Rules = allowAll(),
) {
  return createGuard({ tools, servers, policy });
}

/** Builds a guard as plain JavaScript would, whatever the types say. */
function guardOfAny(tools: unknown, servers: unknown = []): Guard {
  return guardOf(tools as ToolDeclaration[], servers as ServerDeclaration[]);
}

async function request(guard: Guard, asked: unknown) {
  const session = await guard.start();
  const result = await session.turn().guard(asked as never, host);
  await session.end();
  return result;
}

const call = (guard: Guard, tool: unknown, server?: unknown) => request(guard, { tool, server });

function aliased(name: string, ...names: string[]): ToolDeclaration {
  return { name, aliases: { names } };
}

const listed = (guard: Guard): string[] =>
  guard.tools.map(({ server, name }) => (server === undefined ? name : `${server}/${name}`));

describe('finding a tool', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', 'then'])(
    proves('G11', 'M01')('finds nothing under %s unless it is declared'),
    async (name) => {
      const plain = guardOf([{ name: 'push' }, { name: 'push', server: 'gh' }], [{ name: 'gh' }]);
      for (const [tool, server] of [[name], [name, 'gh'], ['push', name], [name, name]]) {
        const result = await call(plain, tool, server);
        expect(result).toMatchObject({ type: 'invalid', isError: true });
        expect(result.text).toContain('Unknown');
      }
      const declared = guardOf([{ name }, { name, server: name }], [{ name }], [allow(name), denyMcp(name)]);
      expect(await call(declared, name)).toMatchObject({ type: 'ok', call: { tool: name } });
      expect(await call(declared, name, name)).toMatchObject({ type: 'denied' });
    },
  );

  it(proves('M01')('takes names that look alike for different ones'), async () => {
    const lookalikes = ['caf\u00E9', 'cafe\u0301', 'c\u0430f\u00E9', 'CAF\u00C9', 'caf\u00E9_', '\uFF43af\u00E9'];
    for (const name of lookalikes) {
      const guard = guardOf(
        [{ name }, { name, server: name }],
        [{ name }],
        [deny(name), denyMcp(name, [name]), allowAll()],
      );
      for (const other of lookalikes) {
        const expected = other === name ? 'denied' : 'invalid';
        expect(await call(guard, other), `${name} ${other}`).toMatchObject({ type: expected });
        expect(await call(guard, other, name), `${name} ${other}`).toMatchObject({ type: expected });
        expect(await call(guard, name, other), `${name} ${other}`).toMatchObject({ type: expected });
      }
    }
    const both = guardOf(
      lookalikes.map((name) => ({ name })),
      [],
      [deny(lookalikes[0] as string), allowAll()],
    );
    const outcomes = await Promise.all(lookalikes.map(async (name) => (await call(both, name)).type));
    expect(outcomes).toEqual(['denied', 'ok', 'ok', 'ok', 'ok', 'ok']);
  });

  it(proves('M01', 'M02')('goes by the pair, never by a flat name or a text with a slash'), async () => {
    const guard = guardOf([{ name: 'push', server: 'gh' }, { name: 'pull' }], [{ name: 'gh' }]);
    expect(await call(guard, 'push', 'gh')).toMatchObject({ type: 'ok', call: { tool: 'push', server: 'gh' } });
    for (const [tool, server] of [
      ['mcp_gh_push'],
      ['gh/push'],
      ['push'],
      ['gh_push'],
      ['pull', 'gh'],
      ['push', 'GH'],
      ['push', 'gh '],
      ['push', ''],
      ['gh/push', 'gh'],
      ['mcp_gh_push', 'gh'],
    ]) {
      expect(await call(guard, tool, server), `${tool} ${server}`).toMatchObject({ type: 'invalid' });
    }
  });

  it(proves('M01')('knows tools of servers that have a slash in their name'), async () => {
    const tools = [
      { name: 'repos/push', server: 'gh' },
      { name: 'push', server: 'gh' },
    ];
    const guard = guardOf(tools, [{ name: 'gh' }], [deny('gh/repos/push'), allowAll()]);
    expect(await call(guard, 'repos/push', 'gh')).toMatchObject({ type: 'denied', rule: { target: 'gh/repos/push' } });
    expect(await call(guard, 'push', 'gh')).toMatchObject({ type: 'ok' });
    expect(await call(guard, 'gh/repos/push')).toMatchObject({ type: 'invalid' });
  });

  it(proves('G11')('names the problem and the nearest tool there is'), async () => {
    const guard = guardOf([{ name: 'view_file' }, { name: 'push', server: 'github' }], [{ name: 'github' }]);
    expect((await call(guard, 'vew_file')).text).toBe('Unknown tool "vew_file"; did you mean "view_file"?');
    expect((await call(guard, 'pusch', 'github')).text).toBe(
      'Unknown tool "pusch" on server "github"; did you mean "push"?',
    );
    expect((await call(guard, 'push', 'gihub')).text).toBe('Unknown server "gihub"; did you mean "github"?');
    expect((await call(guard, 'frobnicate')).text).toBe('Unknown tool "frobnicate".');
  });

  it.each([undefined, null, 7, true, [], {}, ['view_file'], () => 'view_file'])(
    proves('G11')('refuses a name that is none (%#)'),
    async (name) => {
      const guard = guardOf([{ name: 'view_file' }, { name: 'push', server: 'gh' }], [{ name: 'gh' }]);
      expect(await call(guard, name)).toMatchObject({ type: 'invalid' });
      if (name !== undefined) expect(await call(guard, 'push', name)).toMatchObject({ type: 'invalid' });
    },
  );

  it(proves('G11', 'G12')('is bounded, and prints nothing invisible'), async () => {
    const guard = guardOf([{ name: 'view_file' }]);
    const long = await call(guard, 'x'.repeat(1_000_000), 'y'.repeat(1_000_000));
    expect(long).toMatchObject({ type: 'invalid' });
    expect(long.text.length).toBeLessThan(500);
    expect(JSON.stringify(long.call).length).toBeLessThan(2000);
    const hidden = await call(guard, 'view\u202Efile\u0000\u200B"\n');
    expect(hidden.text).toContain('view\\u{202e}file\\u{0}\\u{200b}\\u{22}\\u{a}');
  });
});

describe('names', () => {
  const wrong = [
    '',
    ' ',
    'a\nb',
    'a\u0000',
    'a\u007F',
    'a\u0085',
    'a\u2028',
    'a\u202E',
    'a\u200B',
    'a\u00AD',
    'a\uFEFF',
    'a\u3164b',
    'a*',
    '*',
    ' a',
    'a ',
    '\u00A0a',
    '\uD800',
    'x'.repeat(257),
  ];

  it.each(wrong)(
    proves('M01', 'G12')('that hide something or cannot be written in a rule are refused (%#)'),
    (name) => {
      expect(() => guardOf([{ name }])).toThrow(BridleError);
      expect(() => guardOf([{ name, server: 'gh' }], [{ name: 'gh' }])).toThrow(BridleError);
      expect(() => guardOf([], [{ name }])).toThrow('the server name');
      expect(() => guardOf([{ name: 'push', aliases: { names: [name] } }])).toThrow(BridleError);
    },
  );

  it(proves('M01')('of servers and local tools contain no slash, which means server/tool'), () => {
    expect(() => guardOf([{ name: 'a/b' }])).toThrow('contains a "/"');
    expect(() => guardOf([{ name: 'a', aliases: { names: ['a/b'] } }])).toThrow('contains a "/"');
    expect(() => guardOf([], [{ name: 'a/b' }])).toThrow('contains a "/"');
    expect(() => guardOf([{ name: 'a/b', server: 'gh' }], [{ name: 'gh' }])).not.toThrow();
  });

  it(proves('M01')('may be long, foreign or emoji'), () => {
    for (const name of ['x'.repeat(256), 'größe', '検索', '🔍', 'a b', 'a.b:c-d']) {
      expect(() => guardOf([{ name }], [{ name }], [deny(name), denyMcp(name)]), name).not.toThrow();
    }
  });
});

describe('declarations that do not fit together', () => {
  const servers = [{ name: 'a' }, { name: 'a_b' }];

  it(proves('M01')('two servers of one name'), () => {
    expect(() => guardOf([], [{ name: 'gh' }, { name: 'gh' }])).toThrow('two servers are named "gh"');
  });

  it(proves('M01')('two tools of one name in one place'), () => {
    expect(() => guardOf([{ name: 'push' }, { name: 'push' }])).toThrow('two tools are named "push"');
    const twice = [
      { name: 'push', server: 'a' },
      { name: 'push', server: 'a' },
    ];
    expect(() => guardOf(twice, servers)).toThrow('two tools are named "a/push"');
    expect(() =>
      guardOf([{ name: 'push', server: 'a' }, { name: 'push', server: 'a_b' }, { name: 'push' }], servers),
    ).not.toThrow();
  });

  it(proves('M01')('a tool of an undeclared server'), () => {
    expect(() => guardOf([{ name: 'push', server: 'gh' }])).toThrow('names the server "gh", which is not declared');
  });

  it(proves('M01')('two pairs that flatten to one name'), () => {
    const pair = [
      { name: 'b_c', server: 'a' },
      { name: 'c', server: 'a_b' },
    ];
    expect(() => guardOf(pair, servers)).toThrow('"a/b_c" and "a_b/c" both flatten to "mcp_a_b_c"');
    expect(() => guardOf([{ name: 'push', server: 'a' }, { name: 'mcp_a_push' }], servers)).toThrow(
      'both flatten to "mcp_a_push"',
    );
    expect(() => compilePolicy([], { tools: pair, servers })).toThrow('both flatten to');
  });

  it(proves('M01', 'P15')('aliases that flatten to the name of another pair'), () => {
    const local = { name: 'push', aliases: { names: ['mcp_a_push'] } };
    expect(() => guardOf([local, { name: 'push', server: 'a' }], servers)).toThrow('both flatten to "mcp_a_push"');
    const alias = { name: 'x', server: 'a', aliases: { names: ['b_c'] } };
    expect(() => guardOf([alias, { name: 'c', server: 'a_b' }], servers)).toThrow('both flatten to "mcp_a_b_c"');
  });

  it(proves('P15')('an alias that means two tools'), () => {
    expect(() => guardOf([aliased('a', 'x'), aliased('b', 'x')])).toThrow('alias "x" of tool "b" means "a" already');
    expect(() => guardOf([aliased('a', 'b'), aliased('b')])).toThrow('alias "b" of tool "a" means "b" already');
    expect(() => guardOf([aliased('a', 'x', 'x', 'a')])).not.toThrow();
  });

  it(proves('M01', 'P07')('are all reported in one error'), () => {
    try {
      guardOf([{ name: '' }, { name: 'push', server: 'gh' }, { name: 'x', tier: 'none' as never }], [{ name: '*' }]);
      expect.unreachable();
    } catch (error) {
      expect((error as BridleError).problems).toHaveLength(4);
    }
  });

  it.each([
    [null, 'not an object'],
    [undefined, 'not an object'],
    ['push', 'not an object'],
    [7, 'not an object'],
    [{}, 'the name undefined is undefined, not a string'],
    [{ name: 7 }, 'the name a number is a number, not a string'],
    [{ name: 'push', server: 7 }, 'server a number'],
    [{ name: 'push', server: null }, 'server null'],
    [{ name: 'push', tier: 'observing' }, '"tier" is "observing", not "observe" or "confirm"'],
    [{ name: 'push', tier: null }, '"tier" is null'],
    [{ name: 'push', displayName: 7 }, '"displayName"'],
    [{ name: 'push', displayName: 'Read\u202Eonly' }, '"displayName"'],
    [{ name: 'push', displayName: 'one\ntwo' }, '"displayName"'],
    [{ name: 'push', displayName: '' }, '"displayName"'],
    [{ name: 'push', schema: null }, 'Standard Schema'],
    [{ name: 'push', schema: {} }, 'Standard Schema'],
    [{ name: 'push', schema: { type: 'object', properties: {} } }, 'Standard Schema'],
    [{ name: 'push', args: 'path' }, 'args'],
    [{ name: 'push', paths: 'path' }, 'paths'],
    [{ name: 'push', paths: [7] }, 'paths'],
    [{ name: 'push', paths: [''] }, 'paths'],
    [{ name: 'push', paths: [undefined] }, 'paths'],
    [{ name: 'push', paths: { path: true } }, 'paths'],
    [{ name: 'push', commands: 'line' }, 'commands'],
    [{ name: 'push', aliases: ['shove'] }, 'aliases'],
    [{ name: 'push', aliases: 'shove' }, 'aliases'],
    [{ name: 'push', aliases: null }, 'aliases'],
    [{ name: 'push', aliases: { names: 'shove' } }, 'aliases'],
    [{ name: 'push', aliases: { names: [7] } }, 'aliases'],
    [{ name: 'push', aliases: { args: ['path'] } }, '"aliases.args" is a list, not an object'],
    [{ name: 'push', aliases: { args: 'path' } }, '"aliases.args" is a string, not an object'],
    [{ name: 'push', aliases: { args: { a: 7 } } }, 'alias "a"'],
    [{ name: 'push', aliases: { args: { a: '' } } }, 'alias "a"'],
    [{ name: 'push', aliases: { args: { a: '__proto__' } } }, 'alias "a"'],
    [{ name: 'push', aliases: { args: { a: 'b', b: 'c' } } }, 'alias "a" for "b"'],
    [{ name: 'push', aliases: { args: { a: 'b', b: 'a' } } }, 'alias "a" for "b"'],
    [{ name: 'push', paths: ['P'], aliases: { args: { P: 'path' } } }, 'declares "P", which is only an alias'],
    [{ name: 'push', paths: ['E[].p'], aliases: { args: { E: 'edits' } } }, 'declares "E[].p", which is only an alias'],
    [{ name: 'push', commands: ['L'], aliases: { args: { L: 'line' } } }, 'declares "L", which is only an alias'],
    [{ name: 'push', touches: ['path'] }, '"touches" is a list, not an object'],
    [{ name: 'push', touches: { bash: 'line' } }, '"touches.bash" is a string, not a list'],
    [{ name: 'push', touches: { urls: [7] } }, '"touches.urls[0]" is 7, not a name'],
    [{ name: 'push', touches: { folder: ['dir'] } }, '"touches.folder" is a list, not a name'],
    [{ name: 'push', touches: { folder: '' } }, '"touches.folder" is an empty string, not a name'],
    [{ name: 'push', touches: { url: ['url'] } }, '"touches.url" is not known; did you mean "urls"?'],
    [{ name: 'push', touches: { reads: ['path'] } }, 'touches "path", which is not one of its paths'],
    [{ name: 'push', paths: ['a'], touches: { writes: ['a', 'b'] } }, 'touches "b", which is not one of its paths'],
    [{ name: 'push', touches: { folder: 'dir' } }, 'touches "dir", which is not one of its paths'],
    [
      { name: 'push', touches: { bash: ['L'] }, aliases: { args: { L: 'line' } } },
      'declares "L", which is only an alias',
    ],
    [
      { name: 'push', touches: { urls: ['U'] }, aliases: { args: { U: 'url' } } },
      'declares "U", which is only an alias',
    ],
    [{ name: 'push', toches: {} }, 'did you mean "touches"?'],
    [{ name: 'push', grant: { timeoutMs: 0 } }, '"grant.timeoutMs" is 0, not a finite number above 0'],
    [{ name: 'push', grant: { timeoutMs: Number.POSITIVE_INFINITY } }, 'Infinity'],
    [{ name: 'push', grant: { timeout: 7 } }, '"grant.timeout" is not known; did you mean "timeoutMs"?'],
    [{ name: 'push', grant: [] }, '"grant" is a list, not an object'],
    [{ name: 'push', grant: 7 }, '"grant" is 7, not an object'],
  ])(proves('M01', 'P15', 'P18', 'X08', 'X09')('a tool with an invalid field (%#)'), (tool, says) => {
    expect(() => guardOfAny([tool])).toThrow(says);
  });

  it.each([
    [null, 'the server name undefined'],
    [undefined, 'the server name undefined'],
    ['gh', 'the server name undefined'],
    [{}, 'the server name undefined'],
    [{ name: 7 }, 'the server name a number'],
    [{ name: 'gh', enabledTools: 'push' }, 'enabledTools'],
    [{ name: 'gh', disabledTools: 'push' }, 'disabledTools'],
    [{ name: 'gh', disabledTools: [7] }, 'disabledTools'],
    [{ name: 'gh', disabledTools: new Set(['push']) }, 'Set'],
    [{ name: 'gh', enabledTools: null }, 'enabledTools'],
    [{ name: 'gh', paths: ['path'] }, 'paths'],
    [{ name: 'gh', paths: { push: 'path' } }, 'push'],
    [{ name: 'gh', touches: ['push'] }, '"touches" is a list, not an object'],
    [{ name: 'gh', touches: { push: ['path'] } }, '"touches.push" is a list, not an object'],
    [{ name: 'gh', touches: { push: { read: ['path'] } } }, '"touches.push.read" is not known; did you mean "reads"?'],
    [{ name: 'gh', paths: { push: [7] } }, 'push'],
    [{ name: 'gh', enabledTools: ['push'], disabledTools: ['pull'] }, 'both enabledTools and disabledTools'],
    [{ name: 'gh', enabledTools: [], disabledTools: [] }, 'both enabledTools and disabledTools'],
  ])(proves('M05', 'M01')('a server with an invalid field (%#)'), (server, says) => {
    expect(() => guardOfAny([], [server])).toThrow(says);
    if (typeof server !== 'string')
      expect(() => compilePolicy([], { tools: [], servers: [server] as never })).toThrow(says);
  });
});

describe('hidden tools', () => {
  const tools: readonly ToolDeclaration[] = ['push', 'pull', 'drop'].map((name) => ({ name, server: 'gh' }));
  const only = { name: 'gh', enabledTools: ['pull'] };
  const without = { name: 'gh', disabledTools: ['push', 'drop'] };

  it.each([[only], [without]])(proves('M05', 'G11')('are not listed and cannot be called (%#)'), async (server) => {
    const guard = guardOf([...tools, { name: 'push' }], [server]);
    expect(listed(guard)).toEqual(['push', 'gh/pull']);
    expect(await call(guard, 'pull', 'gh')).toMatchObject({ type: 'ok' });
    for (const name of ['push', 'drop']) {
      const result = await call(guard, name, 'gh');
      expect(result).toMatchObject({ type: 'invalid' });
      expect(result.text).toContain(`Unknown tool "${name}"`);
    }
    expect(await call(guard, 'push')).toMatchObject({ type: 'ok' });
  });

  it(proves('M05')('are not suggested'), async () => {
    const guard = guardOf(tools, [without]);
    expect((await call(guard, 'drip', 'gh')).text).toBe('Unknown tool "drip" on server "gh".');
  });

  it(proves('M05')('may be all, or none'), () => {
    expect(listed(guardOf(tools, [{ name: 'gh', enabledTools: [] }]))).toEqual([]);
    expect(listed(guardOf(tools, [{ name: 'gh', disabledTools: [] }]))).toHaveLength(3);
  });

  it(proves('M05')('go by exact names: part of a name hides nothing and shows nothing'), () => {
    expect(listed(guardOf(tools, [{ name: 'gh', enabledTools: ['pul', 'PUSH', 'drop '] }]))).toEqual([]);
    expect(listed(guardOf(tools, [{ name: 'gh', disabledTools: ['pul', 'PUSH', 'drop '] }]))).toHaveLength(3);
  });

  it(proves('M05', 'P15')('are hidden under their aliases too'), async () => {
    const aliased = tools.map((tool) => ({ ...tool, aliases: { names: [`${tool.name}_it`] } }));
    const off = guardOf(aliased, [{ name: 'gh', disabledTools: ['push_it', 'drop'] }]);
    expect(listed(off)).toEqual(['gh/pull']);
    for (const name of ['push', 'push_it', 'drop', 'drop_it']) {
      expect(await call(off, name, 'gh'), name).toMatchObject({ type: 'invalid' });
    }
    const on = guardOf(aliased, [{ name: 'gh', enabledTools: ['pull_it'] }]);
    expect(listed(on)).toEqual(['gh/pull']);
    expect(await call(on, 'pull_it', 'gh')).toMatchObject({ type: 'ok', call: { tool: 'pull' } });
  });

  it.each([[only], [without]])(proves('M05')('stay hidden when the server changes its list (%#)'), async (server) => {
    const guard = guardOf(tools, [server]);
    guard.replaceServerTools('gh', [{ name: 'drop' }, { name: 'push' }, { name: 'pull' }]);
    expect(listed(guard)).toEqual(['gh/pull']);
    expect(await call(guard, 'drop', 'gh')).toMatchObject({ type: 'invalid' });
    guard.replaceServerTools('gh', [{ name: 'drop' }]);
    expect(listed(guard)).toEqual([]);
    expect(await call(guard, 'drop', 'gh')).toMatchObject({ type: 'invalid' });
  });

  it(proves('M05')('are still hidden if the configuration is changed afterwards'), async () => {
    const disabledTools = ['drop'];
    const server = { name: 'gh', disabledTools };
    const guard = guardOf(tools, [server]);
    disabledTools.length = 0;
    server.disabledTools = [];
    guard.replaceServerTools('gh', tools);
    expect(await call(guard, 'drop', 'gh')).toMatchObject({ type: 'invalid' });
  });
});

describe('a server that changes its list', () => {
  const servers = [{ name: 'a' }, { name: 'a_b' }, { name: 'empty' }];
  const start: readonly ToolDeclaration[] = [
    { name: 'local' },
    { name: 'old', server: 'a' },
    { name: 'c', server: 'a_b' },
  ];

  it(proves('M01')('has the new tools, and no others'), async () => {
    const guard = guardOf(start, servers);
    guard.replaceServerTools('a', [{ name: 'new' }]);
    expect(listed(guard)).toEqual(['local', 'a/new', 'a_b/c']);
    expect(await call(guard, 'new', 'a')).toMatchObject({ type: 'ok' });
    expect(await call(guard, 'old', 'a')).toMatchObject({ type: 'invalid' });
    guard.replaceServerTools('a', []);
    expect(listed(guard)).toEqual(['local', 'a_b/c']);
  });

  it.each([
    ['one that flattens like another', [{ name: 'b_c' }]],
    ['one under an alias that flattens like another', [{ name: 'x', aliases: { names: ['b_c'] } }]],
    ['two of one name', [{ name: 'x' }, { name: 'x' }]],
    ['a name that is none', [{ name: 'fine' }, { name: 'not\nfine' }]],
    ['a tier that is none', [{ name: 'x', tier: 'free' }]],
    ['paths that are no list', [{ name: 'x', paths: 'path' }]],
    ['nothing', [null]],
    ['a hole', [undefined]],
  ])(proves('M01')('is refused whole for %s: the old list stays'), async (_title, tools) => {
    const guard = guardOf(start, servers);
    expect(() => guard.replaceServerTools('a', [{ name: 'good' }, ...tools] as ToolDeclaration[])).toThrow(BridleError);
    expect(listed(guard)).toEqual(['local', 'a/old', 'a_b/c']);
    expect(await call(guard, 'old', 'a')).toMatchObject({ type: 'ok' });
    expect(await call(guard, 'good', 'a')).toMatchObject({ type: 'invalid' });
    guard.replaceServerTools('a', [{ name: 'good' }]);
    expect(listed(guard)).toEqual(['local', 'a/good', 'a_b/c']);
  });

  it(proves('M01')('is a server that was declared'), () => {
    const guard = guardOf(start, servers);
    for (const server of ['b', 'A', '', 'constructor', undefined, null]) {
      for (const tools of [[], [{ name: 'x' }]]) {
        expect(() => guard.replaceServerTools(server as string, tools), String(server)).toThrow('no server is named');
      }
    }
    expect(listed(guard)).toEqual(['local', 'a/old', 'a_b/c']);
  });

  it(proves('M01')('changes only its own tools, whichever server they claim to belong to'), async () => {
    const guard = guardOf(start, servers, [denyMcp('a'), allowAll()]);
    guard.replaceServerTools('a', [
      { name: 'local', server: undefined },
      { name: 'c2', server: 'a_b' },
    ]);
    expect(listed(guard)).toEqual(['local', 'a/local', 'a/c2', 'a_b/c']);
    expect(await call(guard, 'local', 'a')).toMatchObject({ type: 'denied' });
    expect(await call(guard, 'local')).toMatchObject({ type: 'ok' });
    expect(await call(guard, 'c2', 'a_b')).toMatchObject({ type: 'invalid' });
  });

  it(proves('M01', 'P15')('is read once: later changes of the list change nothing'), async () => {
    const names = ['new_alias'];
    const tools = [{ name: 'new', paths: ['path'], aliases: { names } }];
    const guard = guardOf(start, servers);
    guard.replaceServerTools('a', tools);
    tools.push({ name: 'more', paths: [], aliases: { names: [] } });
    names.push('sneaky');
    expect(await call(guard, 'sneaky', 'a')).toMatchObject({ type: 'invalid' });
    guard.replaceServerTools('empty', []);
    expect(listed(guard)).toEqual(['local', 'a/new', 'a_b/c']);
  });
});

describe('what was declared', () => {
  it(proves('G01', 'P15', 'P18')('cannot be changed afterwards'), async () => {
    const args = { Line: 'line' };
    const tool = {
      name: 'push',
      tier: 'confirm' as 'confirm' | 'observe',
      aliases: { names: ['shove'], args },
      grant: { timeoutMs: 1000 },
      paths: ['file'],
    };
    const tools = [tool];
    const guard = guardOf(tools, [], [deny('push', { when: arg('line', (line) => line === 'rm') }), allowAll()]);
    tool.tier = 'observe';
    tool.name = 'pull';
    tool.grant.timeoutMs = 1_000_000;
    tool.paths.length = 0;
    args.Line = 'other';
    tools.length = 0;
    expect(await request(guard, { tool: 'shove', args: { Line: 'rm' } })).toMatchObject({ type: 'denied' });
    expect(await request(guard, { tool: 'push', args: { Line: 'ls' } })).toMatchObject({
      type: 'ok',
      call: { tier: 'confirm', args: { line: 'ls' } },
    });
    expect(guard.tools).toMatchObject([{ name: 'push', tier: 'confirm', grant: { timeoutMs: 1000 }, paths: ['file'] }]);
  });

  it(proves('G01')('is given out frozen'), () => {
    const guard = guardOf([
      { name: 'push', paths: ['p'], args: ['p'], aliases: { names: ['x'], args: { P: 'p' } }, grant: { timeoutMs: 1 } },
    ]);
    const [tool] = guard.tools;
    for (const part of [
      tool,
      tool?.paths,
      tool?.args,
      tool?.aliases,
      tool?.aliases?.names,
      tool?.aliases?.args,
      tool?.grant,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it(proves('P15')('counts if it is inherited, too'), async () => {
    class Tool {
      get name() {
        return 'push';
      }
      get tier() {
        return 'observe' as const;
      }
      get aliases() {
        return { args: { Line: 'line' } };
      }
    }
    const guard = guardOf([new Tool()], [], [deny('push', { when: arg('line', (line) => line === 'rm') }), allowAll()]);
    expect(await request(guard, { tool: 'push', args: { Line: 'rm' } })).toMatchObject({
      type: 'denied',
      call: { tier: 'observe' },
    });
  });

  it(proves('G14')('gives a tool without a tier the tier confirm, whatever its server claims'), async () => {
    const hints = { annotations: { readOnlyHint: true, destructiveHint: false }, readOnlyHint: true };
    const guard = guardOf([{ name: 'local' }, { name: 'push', server: 'gh', tier: undefined }], [{ name: 'gh' }]);
    for (const [hint, value] of Object.entries(hints)) {
      expect(() => guard.replaceServerTools('gh', [{ name: 'push', [hint]: value }])).toThrow(`"${hint}" is not known`);
    }
    guard.replaceServerTools('gh', [{ name: 'push' }]);
    expect(await call(guard, 'local')).toMatchObject({ call: { tier: 'confirm' } });
    expect(await call(guard, 'push', 'gh')).toMatchObject({ call: { tier: 'confirm' } });
  });

  it(
    proves('X08', 'X09')('of what arguments touch is a copy, and is found under any name of a tool of a server'),
    () => {
      const touches = { urls: ['where'] };
      const [own] = guardOf([{ name: 'get', touches }]).tools;
      touches.urls.length = 0;
      expect(own?.touches).toEqual({ urls: ['where'] });
      expect([own?.touches, own?.touches?.urls].every(Object.isFrozen)).toBe(true);
      const tools: ToolDeclaration[] = [{ name: 'read', server: 'fs', aliases: { names: ['get'] } }];
      for (const name of ['read', 'get']) {
        const server = { name: 'fs', paths: { [name]: ['where'] }, touches: { [name]: { reads: ['where'] } } };
        const guard = guardOf(tools, [server]);
        expect(guard.tools[0]).toMatchObject({ paths: ['where'], touches: { reads: ['where'] } });
        guard.replaceServerTools('fs', tools);
        expect(guard.tools[0]).toMatchObject({ paths: ['where'], touches: { reads: ['where'] } });
      }
      expect(() => guardOf(tools, [{ name: 'fs', touches: { read: { reads: ['where'] } } }])).toThrow(
        'not one of its paths',
      );
    },
  );

  it(proves('W01', 'P15')('for the paths of a server is found under any name of a tool'), async () => {
    const tools: ToolDeclaration[] = [{ name: 'read', server: 'fs', aliases: { names: ['get'] } }];
    for (const name of ['read', 'get']) {
      const policy = [workspaceOnly(['/nowhere/at/all']), allowAll()];
      const guard = guardOf(tools, [{ name: 'fs', paths: { [name]: ['where'] } }], policy);
      expect(guard.tools[0]?.paths).toEqual(['where']);
      expect(await request(guard, { tool: 'read', server: 'fs', args: { where: '/etc/passwd' } })).toMatchObject({
        type: 'denied',
      });
      guard.replaceServerTools('fs', tools);
      expect(await request(guard, { tool: 'get', server: 'fs', args: { where: '/etc/passwd' } })).toMatchObject({
        type: 'denied',
      });
    }
    const alias = [{ name: 'read', server: 'fs', aliases: { args: { Where: 'where' } } }];
    expect(() => guardOf(alias, [{ name: 'fs', paths: { read: ['Where'] } }])).toThrow('only an alias');
  });
});
