import { allowAll, createGuard, deny, type Hook, pointNames, reject, preTurn } from 'bridle';
import { logging } from 'bridle/ready-made';
import { fakeClock, tryHooks } from 'bridle/testing';
import { describe, expect, it, vi } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { never, rig } from '../../../test/rigs/guard-rig.ts';
import { samplePayloads } from '../../../test/rigs/sample-payloads.ts';

function logged(): { lines: string[]; hook: Hook } {
  const lines: string[] = [];
  return { lines, hook: logging({ write: (line) => void lines.push(line) }) };
}

describe('logging', () => {
  it.each(pointNames)(proves('E01')('writes one line at %s and does not answer'), async (point) => {
    const { lines, hook } = logged();
    const result = await tryHooks([hook], point, { payload: samplePayloads[point] });
    expect(result).toMatchObject({ type: 'passed', payload: undefined });
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^\\[\\S+ main 1\\.1\\] ${point}( .+)?$`))]);
  });

  it(proves('E01')('logs a whole turn without affecting decisions'), async () => {
    const { lines, hook } = logged();
    const options = { tools: [{ name: 'act' }, { name: 'look' }], policy: [deny('look'), allowAll()] };
    const session = await createGuard({ ...options, hooks: [hook] }).start({ id: 's' });
    const turn = session.turn();
    await turn.enter('hello');
    const plain = await createGuard(options).start();
    for (const tool of ['act', 'look', 'nothing']) {
      const host = { run: () => 'secret words' };
      const [logs, not] = [await turn.guard({ tool }, host), await plain.turn().guard({ tool }, host)];
      expect([logs.type, logs.text]).toEqual([not.type, not.text]);
    }
    await session.end();
    const points = lines
      .filter((line) => !line.includes('onEvent'))
      .map((line) => line.replace(/in \d+ ms/, 'in 0 ms'));
    expect(points).toEqual([
      '[s main 0.0] onSessionStart on own',
      '[s main 1.0] preTurn from user, 5 characters, 0 media',
      '[s main 1.0] preToolCall act',
      '[s main 1.0] postToolCall act: ok in 0 ms',
      '[s main 0.0] onSessionEnd stopped',
    ]);
    expect(lines).toContain('[s main 1.0] onEvent tool_denied look: Denied look by rule "deny look"');
    expect(lines.join('\n')).not.toContain('secret words');
  });

  it(proves('E01')('logs a prompt that another hook refuses'), async () => {
    const { lines, hook } = logged();
    const no = preTurn(() => reject('no'), { name: 'no', priority: 10 });
    const session = await createGuard({ tools: [], policy: [], hooks: [no, hook] }).start();
    await session.turn().enter('hello');
    expect(lines.some((line) => line.includes('preTurn'))).toBe(true);
  });

  it(proves('E01', 'H06')('has no effect when writing throws, rejects or hangs'), async () => {
    const writes = [
      () => {
        throw new TypeError('disk full');
      },
      () => Promise.reject(new TypeError('disk full')),
      () => never(),
    ];
    for (const write of writes) {
      const clock = fakeClock();
      const hook = logging({ write, timeoutMs: 100 });
      const going = tryHooks([hook], 'preToolCall', { payload: samplePayloads.preToolCall, clock });
      await clock.advance(300);
      expect(await going).toMatchObject({ type: 'passed', payload: undefined });
    }
    const failing = await rig({ hooks: [logging({ write: writes[0] as never })] });
    expect(await failing.call('act')).toMatchObject({ type: 'ok' });
    expect(failing.events.filter(({ type }) => type === 'hook_failed').length).toBeGreaterThan(0);
  });

  it(proves('E01')('writes one line for any name or error'), async () => {
    const { lines, hook } = logged();
    const { call } = await rig({ hooks: [hook], does: { act: new TypeError(`a\nb\u202ec${'x'.repeat(10_000)}`) } });
    await call('act');
    await call('no\n[fake main 1.0] preToolCall');
    expect(lines.filter((line) => /\p{C}/u.test(line))).toEqual([]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1000);
  });

  it(proves('E01', 'R10')('masks secrets in errors and reasons, including values from the args'), async () => {
    const { lines, hook } = logged();
    const { call } = await rig({
      hooks: [hook],
      policy: [deny('look', { reason: 'not with https://me:hunter2@x/' })],
      does: { act: new TypeError('wrong: q1w2e3r4t5') },
    });
    await call('act', { password: 'q1w2e3r4t5' });
    await call('look');
    expect(lines.join('\n')).not.toMatch(/hunter2|q1w2e3r4t5/);
    expect(lines.filter((line) => line.includes('[masked:')).length).toBeGreaterThan(1);
    expect(() => logging({ mask: 'x' as never })).toThrow('option "mask" is a string, not a function');
  });

  it(proves('E01')('skips pieces of streamed text'), async () => {
    const { lines, hook } = logged();
    const { turn } = await rig({ hooks: [hook] });
    lines.length = 0;
    turn.emit(() => ({ type: 'text_delta', text: 'hello', attempt: 1 }));
    turn.emit(() => ({ type: 'compaction_skipped', reason: 'short' }));
    expect(lines).toEqual([expect.stringContaining('onEvent compaction_skipped')]);
  });

  it(proves('E01')('writes to standard error by default'), async () => {
    const write = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
    await tryHooks([logging()], 'onSessionEnd', { payload: { reason: 'done' } });
    expect(write.mock.calls).toEqual([[expect.stringMatching(/onSessionEnd done\n$/)]]);
    write.mockRestore();
    expect(() => logging({ write: 'x' as never })).toThrow('option "write" is a string, not a function');
    expect(() => logging({ points: ['preTun' as never] })).toThrow(
      'option "points[0]" is "preTun", not "onSessionStart"',
    );
    expect(Object.keys(logging({ points: ['preTurn'] })).filter((name) => /^(pre|post|on)/.test(name))).toEqual([
      'preTurn',
    ]);
  });
});
