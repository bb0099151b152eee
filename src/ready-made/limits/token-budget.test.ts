import { createGuard, onEvent, postTurn, replace, type BridleEvent, type Session } from 'bridle';
import type { TurnOutput } from 'bridle/agent';
import { tokenBudget, tokensUsed } from 'bridle/ready-made';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import type { Hook } from 'bridle';

const usageOf = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cachedInputTokens: 0,
  cacheCreationTokens: 0,
});

const outputOf = (usage: TurnOutput['usage'], text = 'fine'): TurnOutput => ({
  text,
  thinking: '',
  steps: 1,
  usage,
  stopReason: 'end',
});

async function rigged(hooks: readonly Hook[], state = {}) {
  const events: BridleEvent[] = [];
  const watch = onEvent((event) => void events.push(event), { name: 'watch' });
  const guard = createGuard({ tools: [], policy: [], hooks: [...hooks, watch] });
  const session = await guard.start({ state });
  return { guard, session, warnings: () => events.flatMap((event) => (event.type === 'custom' ? [event.data] : [])) };
}

async function spend(session: Session, output: TurnOutput, input = 'go'): Promise<string> {
  const turn = session.turn();
  const entered = await turn.enter(input);
  if (entered.type === 'rejected') return entered.reason;
  await turn.dispatch('postTurn', { input: entered.prompt, output });
  turn.end({ stopReason: output.stopReason, usage: output.usage });
  return 'entered';
}

describe('tokenBudget', () => {
  it(
    proves('E05')('adds up the usage of all turns, warns when little is left, and refuses the next turn'),
    async () => {
      const { session, warnings } = await rigged([tokenBudget({ max: 200_000 })]);
      const said = [];
      for (const tokens of [150_000, 45_000, 6000, 1]) said.push(await spend(session, outputOf(usageOf(tokens, 0))));
      expect(said).toEqual(['entered', 'entered', 'entered', 'Token budget exhausted: 201,000/200,000']);
      expect(session.scope.get(tokensUsed)).toBe(201_000);
      expect(warnings()).toEqual([
        { remaining: 5000, used: 195_000, max: 200_000 },
        { remaining: 0, used: 201_000, max: 200_000 },
      ]);
    },
  );

  it(proves('E05')('counts four characters as a token if no usage is reported'), async () => {
    const { session } = await rigged([tokenBudget({ max: 100 })]);
    await spend(session, outputOf(usageOf(0, 0), 'x'.repeat(398)), 'ab');
    expect(session.scope.get(tokensUsed)).toBe(100);
    expect(await spend(session, outputOf(usageOf(1, 1)))).toBe('Token budget exhausted: 100/100');
  });

  it(proves('E05')('counts turns that fail before postTurn, each once'), async () => {
    const { session } = await rigged([tokenBudget({ max: 1000 })]);
    await spend(session, outputOf(usageOf(100, 10)));
    expect(session.scope.get(tokensUsed)).toBe(110);
    const turn = session.turn();
    await turn.enter('go');
    turn.end({ stopReason: 'error', error: 'broke', usage: usageOf(900, 0) });
    expect(session.scope.get(tokensUsed)).toBe(1010);
    expect(await spend(session, outputOf(usageOf(1, 1)))).toContain('exhausted');
  });

  it(proves('E05', 'H04')('counts even if another hook replaced the output'), async () => {
    const other = postTurn(({ output }) => replace({ ...output, text: 'other' }), { name: 'other', priority: 500 });
    const { session } = await rigged([tokenBudget({ max: 1000 }), other]);
    await spend(session, outputOf(usageOf(5, 5)));
    expect(session.scope.get(tokensUsed)).toBe(10);
  });

  it(proves('E05', 'S06')('counts each session separately, and continues in a resumed one'), async () => {
    const { guard, session } = await rigged([tokenBudget({ max: 10 })]);
    await spend(session, outputOf(usageOf(10, 0)));
    const other = await guard.start();
    expect(await spend(other, outputOf(usageOf(1, 0)))).toBe('entered');
    const resumed = await guard.start({ resumed: true, state: { [tokensUsed.name]: 10 } });
    expect(await spend(resumed, outputOf(usageOf(1, 0)))).toContain('10/10');
  });

  it(proves('E05')('refuses if the count is not a number'), async () => {
    const { session } = await rigged([tokenBudget({ max: 10 })], { [tokensUsed.name]: 'few' });
    expect(await spend(session, outputOf(usageOf(1, 0)))).toContain('this key expects a number');
  });

  it(proves('E05')('warns at the given threshold'), async () => {
    const { session, warnings } = await rigged([tokenBudget({ max: 100, warnBelow: 95 })]);
    await spend(session, outputOf(usageOf(6, 0)));
    expect(warnings()).toEqual([{ remaining: 94, used: 6, max: 100 }]);
  });

  it.each([[{}], [{ max: -1 }], [{ max: 10, warnBelow: -1 }], [{ max: 10, name: 'two' }]])(
    proves('E05')('refuses invalid options: %j'),
    (options) => {
      expect(() => tokenBudget(options as never)).toThrow('tokenBudget');
    },
  );
});
