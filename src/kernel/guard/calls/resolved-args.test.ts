/** Checked paths in the place of what was given, and nothing else touched. */

import { allowAll, type Rule } from 'bridle';
import type { CheckedPath } from '../../call.ts';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { only, rig } from '../../../../test/rigs/guard-rig.ts';

const ancestor = { path: '/', identity: { device: '1', inode: '1' } };
const found = (at: CheckedPath['at'], path: string): CheckedPath => ({
  at,
  given: '',
  path,
  identity: undefined,
  ancestor,
});

async function ran(args: unknown, paths: readonly CheckedPath[]): Promise<unknown> {
  const rule: Rule = {
    type: 'rule',
    effect: 'forbid',
    target: { type: 'all' },
    check: () => ({ matched: false, paths }),
  };
  const { call, host } = await rig({ policy: [allowAll(), rule] });
  expect((await call('act', args)).type).toBe('ok');
  return only(host.calls).args;
}

describe('a tool', () => {
  it(proves('W06')('gets each resolved path at its position: in objects, lists and nested lists'), async () => {
    const args = { file: 'a', list: ['b', 'c'], edits: [{ path: 'd', text: 'd' }, [{ path: 'e' }]], other: 'a' };
    expect(
      await ran(args, [
        found(['file'], '/A'),
        found(['list', 1], '/C'),
        found(['edits', 0, 'path'], '/D'),
        found(['edits', 1, 0, 'path'], '/E'),
      ]),
    ).toEqual({ file: '/A', list: ['b', '/C'], edits: [{ path: '/D', text: 'd' }, [{ path: '/E' }]], other: 'a' });
  });

  it(proves('W06', 'G01')('gets the args as they are where a place is not there, and none is made up'), async () => {
    const args = { file: 'a', list: ['b'], deep: { text: 'x' } };
    for (const at of [
      ['missing'],
      ['missing', 'too'],
      ['list', 5],
      ['file', 'inside'],
      ['deep', 'no'],
      ['__proto__', 'polluted'],
      ['constructor', 'prototype', 'polluted'],
    ]) {
      expect(await ran(args, [found(at, '/X')])).toEqual(args);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it(proves('W06')('gets the same args, not a copy, where no path was checked'), async () => {
    const { call, host } = await rig({ policy: allowAll() });
    const result = await call('act', { file: 'a' });
    expect(only(host.calls)).toBe(result.call);
  });
});
