import { createGuard, type Turn } from 'bridle';
import { providerFallback } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';

const second = { modelId: 'second' };
const hook = providerFallback({ models: [second, 'openai/third'] });

async function failed(turn: Turn, error: unknown = new TypeError('overloaded')): Promise<unknown> {
  const result = await turn.dispatch('onLlmError', { error, attempt: 1, model: 'first' });
  return result.type === 'answered' ? result.action : result.type;
}

async function turnWith(...hooks: Parameters<typeof createGuard>[0]['hooks'] & object): Promise<Turn> {
  return (await createGuard({ tools: [], policy: [], hooks }).start()).turn();
}

function throwing(): never {
  throw new TypeError('no');
}

describe('providerFallback', () => {
  it(proves('E12')('goes through its list, and does not answer at its end'), async () => {
    const turn = await turnWith(hook);
    expect(await failed(turn)).toEqual({ type: 'fallback', model: second });
    expect(await failed(turn)).toEqual({ type: 'fallback', model: 'openai/third' });
    expect(await failed(turn)).toBe('passed');
    expect(await failed(turn)).toBe('passed');
  });

  it(proves('E12', 'S03')('starts over in each step, turn and session'), async () => {
    const session = await createGuard({ tools: [], policy: [], hooks: [hook] }).start();
    const turn = session.turn();
    await failed(turn);
    turn.nextStep();
    expect(await failed(turn)).toMatchObject({ model: second });
    expect(await failed(session.turn())).toMatchObject({ model: second });
    expect(await failed(await turnWith(hook))).toMatchObject({ model: second });
  });

  it(proves('E12')('ignores other errors and cancelled turns'), async () => {
    const busy = providerFallback({ models: ['b/b'], when: (error) => error instanceof RangeError });
    const turn = await turnWith(busy);
    expect(await failed(turn)).toBe('passed');
    expect(await failed(turn, new RangeError('busy'))).toMatchObject({ model: 'b/b' });
    const cancelled = await turnWith(hook);
    cancelled.cancel();
    expect(await failed(cancelled)).toBe('passed');
  });

  it(proves('E12', 'H07')('does not answer when its own test fails'), async () => {
    expect(await failed(await turnWith(providerFallback({ models: ['b/b'], when: throwing })))).toBe('passed');
    for (const options of [{}, { models: [] }, { models: [3] }, { models: [''] }, { models: 'b/b' }]) {
      expect(() => providerFallback(options as never)).toThrow('providerFallback');
    }
  });
});
