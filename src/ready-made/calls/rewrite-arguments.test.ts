import { allowAll, deny } from 'bridle';
import { rewriteArguments } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { rig } from '../../../test/rigs/guard-rig.ts';

function throwing(): never {
  throw new TypeError('no');
}

describe('rewriteArguments', () => {
  it(proves('E14')('changes only the arguments of its tool, in order'), async () => {
    const hooks = [
      rewriteArguments({ tool: 'act', rewrite: (args) => ({ ...args, dry: true }) }),
      rewriteArguments({
        tool: 'act',
        name: 'second',
        rewrite: async (args) => ({ ...args, n: Number(args['n']) + 1 }),
      }),
      rewriteArguments({ tool: 'look', rewrite: () => undefined }),
    ];
    const { call, host } = await rig({ hooks });
    await call('act', { n: 1 });
    await call('look', { n: 1 });
    expect(host.calls.map(({ args }) => args)).toEqual([{ dry: true, n: 2 }, { n: 1 }]);
    expect(host.calls[0]?.requested).toEqual({ n: 1 });
    expect(hooks.map(({ name }) => name)).toEqual(['rewrite-arguments:act', 'second', 'rewrite-arguments:look']);
  });

  it(proves('E14', 'G02')('is decided again: a rewrite into a denied form is denied'), async () => {
    const hook = rewriteArguments({ tool: 'act', rewrite: () => ({ path: '/etc' }) });
    const policy = [deny('act', { when: ({ path }) => path === '/etc', reason: 'not there' }), allowAll()];
    const { call, host } = await rig({ hooks: [hook], policy });
    expect(await call('act', { path: 'a' })).toMatchObject({ type: 'denied', reason: 'not there' });
    expect(host.calls).toEqual([]);
  });

  it(proves('E14', 'H06')('denies the call when it fails or returns no arguments'), async () => {
    const deep: Record<string, unknown> = {};
    deep['self'] = deep;
    for (const rewrite of [
      throwing,
      () => Promise.reject(new TypeError('no')),
      () => 'x',
      () => null,
      () => [],
      () => deep,
    ]) {
      const { call, host } = await rig({ hooks: [rewriteArguments({ tool: 'act', rewrite: rewrite as never })] });
      expect(await call('act')).toMatchObject({ type: 'denied', hook: 'rewrite-arguments:act' });
      expect(host.calls).toEqual([]);
    }
    for (const options of [
      {},
      { tool: 'act' },
      { tool: 'a*', rewrite: () => ({}) },
      { tool: ['act'], rewrite: () => ({}) },
    ]) {
      expect(() => rewriteArguments(options as never)).toThrow('rewriteArguments');
    }
  });
});
