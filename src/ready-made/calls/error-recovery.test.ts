import { errorRecovery } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { rig } from '../../../test/rigs/guard-rig.ts';

const fallback = {
  error: 'network_unavailable',
  fallback: true,
  message: 'Service temporarily unavailable, using cached data',
};

const failing = (message: string) => ({ act: new TypeError(message), look: new TypeError(message) });

function throwing(): never {
  throw new TypeError('bad test');
}

describe('errorRecovery', () => {
  it(proves('E04', 'G08')('gives the model the fallback value, and the error is still recorded'), async () => {
    const hook = errorRecovery([{ match: /timeout|connection refused/, value: fallback }]);
    const { call } = await rig({ hooks: [hook], does: failing('connect: connection refused') });
    expect(await call('act')).toMatchObject({
      type: 'recovered',
      value: fallback,
      isError: false,
      error: 'connect: connection refused',
    });
    const other = await rig({ hooks: [hook], does: failing('no such file') });
    expect(await other.call('act')).toMatchObject({ type: 'error', text: 'no such file' });
  });

  it(proves('E04')('uses the first matching pattern, text or test for its tools'), async () => {
    const hook = errorRecovery([
      { match: 'busy', value: 'of look', tools: ['look'] },
      { match: ({ message, tool }) => message === 'busy' && tool === 'act', message: 'Try another tool' },
      { match: 'busy', value: 'never' },
      { match: 'empty', value: null },
    ]);
    const { call } = await rig({ hooks: [hook], does: failing('busy') });
    expect(await call('look')).toMatchObject({ type: 'recovered', value: 'of look' });
    expect(await call('act')).toMatchObject({ type: 'error', text: 'Try another tool', isError: true });
    const empty = await rig({ hooks: [hook], does: failing('empty') });
    expect(await empty.call('act')).toMatchObject({ type: 'recovered', value: null });
  });

  it(proves('E04')('matches every time with a global or sticky pattern, and does not change it'), async () => {
    const patterns = [/time/g, /time/y];
    for (const match of patterns) {
      match.lastIndex = 3;
      const { call } = await rig({ hooks: [errorRecovery([{ match, value: 1 }])], does: failing('timeout') });
      for (let n = 0; n < 3; n++) expect(await call('act')).toMatchObject({ type: 'recovered' });
      expect(match.lastIndex).toBe(3);
    }
  });

  it(proves('E04', 'G08')('never hides an error by failing, and does not accept a promise as true'), async () => {
    for (const match of [throwing, async () => Promise.resolve(true), () => 1]) {
      const hook = errorRecovery([{ match: match as never, value: 'recovered' }]);
      const { call } = await rig({ hooks: [hook], does: failing('broke') });
      expect(await call('act')).toMatchObject({ type: 'error', text: 'broke' });
    }
  });

  it.each([
    [undefined],
    [[]],
    [[{ match: /x/ }]],
    [[{ match: /x/, value: 1, message: 'y' }]],
    [[{ match: 3, value: 1 }]],
    [[{ match: '', value: 1 }]],
    [[{ match: /x/, value: () => 1 }]],
    [[{ match: /x/, value: 1, tools: [] }]],
    [[{ match: /x/, value: 1, tools: ['a*'] }]],
    [[{ match: /x/, valeu: 1 }]],
    [[{ match: /x/, value: 1, name: 'y' }]],
  ])(proves('E04')('refuses invalid recoveries: %j'), (recoveries) => {
    expect(() => errorRecovery(recoveries as never)).toThrow('errorRecovery');
  });
});
