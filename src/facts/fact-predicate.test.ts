/** Rules that ask facts of tools that do not declare what they touch. */

import {
  allow,
  allowAll,
  ask,
  compilePolicy,
  createGuard,
  deny,
  forbid,
  type Rule,
  type ToolDeclaration,
} from 'bridle';
import { isPublicHost, underDomain } from 'bridle/facts';
import { reads, readsInside, writes, writesInside } from 'bridle/facts';
import { allOf, anyOf, not, opaque, runs, runsOnly } from 'bridle/facts';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';

const facts = {
  runs: [runs('rm'), { touches: { bash: ['command'] } }, 'touches: { bash: ['],
  runsOnly: [runsOnly('ls'), { touches: { bash: ['command'] } }, 'touches: { bash: ['],
  opaque: [opaque(), { touches: { bash: ['command'] } }, 'touches: { bash: ['],
  reads: [reads('**/.env'), { paths: ['path'] }, "paths: ['path'], touches: { writes: ['path'] }"],
  writes: [writes('**/.env'), { touches: { bash: ['command'] } }, "paths: ['path']"],
  readsInside: [readsInside('.'), { paths: ['path'] }, "paths: ['path']"],
  writesInside: [writesInside('.'), { paths: ['path'] }, "paths: ['path']"],
  isPublicHost: [isPublicHost(), { touches: { urls: ['url'] } }, "touches: { urls: ['url'] }"],
  underDomain: [underDomain('example.com'), { touches: { urls: ['url'] } }, "touches: { urls: ['url'] }"],
} as const;

const bare: ToolDeclaration = { name: 'bash' };
const approver = () => true;
const silent = { approver, onWarning: () => undefined };
const isPlain = () => true;

function warningsOf(rule: Rule, tools: readonly ToolDeclaration[]): readonly string[] {
  return createGuard({ tools, servers: [{ name: 'gh' }], policy: [rule, allowAll()], ...silent }).warnings;
}

describe('a fact about exactly one tool', () => {
  for (const [name, [when, declared, hint]] of Object.entries(facts)) {
    it.each(['allow', 'deny', 'ask', 'forbid'] as const)(
      proves('G17', 'X01')(`that declares nothing is refused, with what to declare: ${name}, %s`),
      (effect) => {
        const rule: Rule = { allow, deny, ask, forbid }[effect]('bash', { when, name: 'mine' });
        const build = (tool: ToolDeclaration) => createGuard({ tools: [tool], policy: [rule, allowAll()], ...silent });
        expect(() => build(bare)).toThrow('rule "mine": its condition asks what "bash" ');
        expect(() => build(bare)).toThrow('"touches"');
        expect(() => build(bare)).toThrow(hint);
        expect(() => build({ ...bare, tier: 'observe' })).toThrow('"touches"');
        expect(build({ ...bare, ...declared }).warnings).toEqual([]);
      },
    );
  }

  it(proves('X01')('is refused anywhere in a condition that depends on it'), () => {
    const blind = [
      not(runs('rm')),
      allOf(isPlain, runs('rm')),
      anyOf(runs('rm'), opaque()),
      not(allOf(runs('rm'), isPlain)),
    ];
    for (const when of blind) {
      expect(() => compilePolicy([deny('bash', { when })], { tools: [bare] })).toThrow('"touches"');
    }
    const seeing = [anyOf(isPlain, runs('rm')), isPlain, not(anyOf(isPlain, opaque()))];
    for (const when of seeing) {
      expect(() => compilePolicy([deny('bash', { when })], { tools: [bare] })).not.toThrow();
    }
  });

  it(proves('X01')('names the argument that the tool has'), () => {
    const tool = { name: 'shell', args: ['timeout', 'cmd'] };
    expect(() => compilePolicy([deny('shell', { when: runs('rm') })], { tools: [tool] })).toThrow(
      "{ name: 'shell', touches: { bash: ['cmd'] } }",
    );
  });

  it(proves('X01')('decides calls once the tool declares what it runs'), async () => {
    const tool = { name: 'bash', touches: { bash: ['command'] } };
    await using guard = createGuard({ tools: [tool], policy: [deny('bash', { when: runs('rm') }), allow('bash')] });
    expect((await guard.call('bash', { command: 'ls' }, () => 'x')).type).toBe('ok');
    expect((await guard.call('bash', { command: 'cd x; rm -r y' }, () => 'x')).type).toBe('denied');
  });
});

describe('a fact about many tools', () => {
  it(proves('X01')('warns of those that declare nothing, and of no others'), () => {
    const others: ToolDeclaration[] = [
      { name: 'run', touches: { bash: ['line'] } },
      { name: 'edit', paths: ['path'] },
      { name: 'look', tier: 'observe' },
    ];
    for (const [when] of Object.values(facts)) {
      expect(warningsOf(deny('*', { when }), others)).toEqual([]);
      expect(warningsOf(deny('gh/*', { when }), [...others, bare])).toEqual([]);
      const [warning] = warningsOf(deny('*', { when }), [...others, bare, { name: 'push', server: 'gh' }]);
      expect(warning).toContain('the declarations of "bash", "gh/push" ');
      expect(warning).toContain('"touches"');
      expect(warningsOf(deny('gh/*', { when }), [bare, { name: 'push', server: 'gh' }])).toHaveLength(1);
    }
  });

  it(proves('X01', 'M04')('warns of a tool of a server, as soon as the server lists it'), () => {
    const told: string[] = [];
    const guard = createGuard({
      tools: [],
      servers: [{ name: 'gh' }],
      policy: [deny('gh/bash', { when: runs('rm') }), allowAll()],
      onWarning: (warning) => told.push(warning),
    });
    expect(told).toEqual([]);
    guard.replaceServerTools('gh', [{ name: 'bash' }]);
    guard.replaceServerTools('gh', [{ name: 'bash' }]);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('deny gh/bash: its condition asks what "gh/bash" runs');
  });
});
