import { createGuard, preTurn, reject, replace } from 'bridle';
import { turnLimit } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { SubagentSession } from '../../agent/turn/subagents.ts';

const start = (hooks: Parameters<typeof createGuard>[0]['hooks'], state = {}) =>
  createGuard({ tools: [], policy: [], hooks }).start({ state });

describe('turnLimit', () => {
  it(proves('E02')('refuses turn N+1 and every later one with the same reason'), async () => {
    const session = await start([turnLimit({ max: 2 })]);
    const entered = [];
    for (const prompt of ['one', 'two', 'three', 'four']) entered.push(await session.turn().enter(prompt));
    const refusal = { type: 'rejected', reason: 'Rate limit exceeded: 2 of 2 turns used', hook: 'turn-limit' };
    expect(entered).toMatchObject([{ type: 'entered' }, { type: 'entered' }, refusal, refusal]);
  });

  it(proves('E02', 'S04')('counts every turn when many start together, including subagents'), async () => {
    const session = await start([turnLimit({ max: 10 })]);
    const child = SubagentSession.of(session, { name: 'x', loopName: 'own', layer: undefined, hides: () => false });
    const entering = Array.from({ length: 50 }, (_, index) => child.turn('subagent').enter(`prompt ${index}`));
    const entered = await Promise.all([session.turn().enter('root'), ...entering]);
    expect(entered.filter(({ type }) => type === 'entered')).toHaveLength(10);
  });

  it(proves('E02')('counts a turn once, even if its prompt is retried'), async () => {
    let isOpen = false;
    const late = preTurn(() => (isOpen ? undefined : reject('not yet')), { name: 'late', priority: 200 });
    const session = await start([turnLimit({ max: 1 }), late]);
    const turn = session.turn();
    await Promise.all([turn.enter('a'), turn.enter('b'), turn.enter('c')]);
    isOpen = true;
    expect(await turn.enter('d')).toMatchObject({ type: 'entered' });
    expect(await session.turn().enter('e')).toMatchObject({ type: 'rejected', hook: 'turn-limit' });
  });

  it(proves('E02')('does not count turns that an earlier hook refused'), async () => {
    const early = preTurn(({ prompt }) => (prompt.text === 'bad' ? reject('bad') : undefined), {
      name: 'early',
      priority: 10,
    });
    const session = await start([turnLimit({ max: 1 }), early]);
    await session.turn().enter('bad');
    expect(await session.turn().enter('good')).toMatchObject({ type: 'entered' });
  });

  it(proves('E02', 'H04')('cannot be bypassed with a replaced prompt'), async () => {
    const other = preTurn(() => replace({ text: 'other', media: [] }), { name: 'other', priority: 1 });
    const session = await start([turnLimit({ max: 1 }), other]);
    expect(await session.turn().enter('a')).toMatchObject({ type: 'entered', prompt: { text: 'other' } });
    expect(await session.turn().enter('b')).toMatchObject({ type: 'rejected' });
  });

  it(proves('E02', 'S06')('counts each session and each named limit separately'), async () => {
    const guard = createGuard({
      tools: [],
      policy: [],
      hooks: [turnLimit({ max: 2 }), turnLimit({ max: 1, name: 'one' })],
    });
    const [first, second] = [await guard.start(), await guard.start()];
    expect(await first.turn().enter('a')).toMatchObject({ type: 'entered' });
    expect(await first.turn().enter('b')).toMatchObject({ type: 'rejected', hook: 'one' });
    expect(await second.turn().enter('a')).toMatchObject({ type: 'entered' });
  });

  it(proves('E02')('refuses if the count is not a number'), async () => {
    const session = await start([turnLimit({ max: 5 })], { 'bridle:turn-limit:turns': 'many' });
    expect(await session.turn().enter('a')).toMatchObject({ type: 'rejected' });
  });

  it.each([
    [{}],
    [{ max: 0 }],
    [{ max: 1.5 }],
    [{ max: '3' }],
    [{ max: 3, mxa: 4 }],
    [undefined],
    [{ max: 1, name: '' }],
  ])(proves('E02')('refuses invalid options: %j'), (options) => {
    expect(() => turnLimit(options as never)).toThrow('turnLimit');
  });
});
