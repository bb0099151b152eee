/** The session of a subagent shares the parent's state and can only be more restrictive. */

import {
  allow,
  ask,
  createGuard,
  deny,
  onEvent,
  type BridleEvent,
  type GuardOptions,
  type Rules,
  type Session,
} from 'bridle';
import { memoryJournal, scriptedHost } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { later } from '../../../test/rigs/guard-rig.ts';
import { compilePolicy } from '../../kernel/policy/compiler/compile-policy.ts';
import { SubagentSession } from './subagents.ts';
import type { Guard } from '../../kernel/guard/guard.ts';

const tools = [{ name: 'act' }, { name: 'look', tier: 'observe' as const }];
const host = scriptedHost({ act: 'done', look: 'seen' });

interface Grown {
  readonly guard: Guard;
  readonly session: Session;
  readonly events: BridleEvent[];
  readonly journal: ReturnType<typeof memoryJournal>;
  readonly grow: (name: string, policy?: Rules, hidden?: readonly string[]) => SubagentSession;
}

function optionsOf(
  policy: Rules | undefined,
  hidden: readonly string[],
  name: string,
): Parameters<SubagentSession['subagent']>[0] {
  const layer = policy === undefined ? undefined : compilePolicy(policy, { tools, approver: () => true });
  return { name, loopName: 'loop', layer, hides: (tool) => hidden.includes(tool.name) };
}

async function grown(options: Partial<GuardOptions> = {}): Promise<Grown> {
  const events: BridleEvent[] = [];
  const journal = memoryJournal();
  const { hooks = [] } = options;
  const watch = onEvent((event) => void events.push(event), { name: 'watch' });
  const guard = createGuard({ policy: [], default: 'allow', tools, journal, ...options, hooks: [...hooks, watch] });
  const session = await guard.start({ agent: ['main'] });
  const grow: Grown['grow'] = (name, policy, hidden = []) =>
    SubagentSession.of(session, optionsOf(policy, hidden, name));
  return { guard, session, events, journal, grow };
}

describe('a subagent session', () => {
  it(proves('A13')('has the path of its parent plus its own name, which nothing can change'), async () => {
    const { grow, journal, events } = await grown();
    const child = grow('child');
    const inner = child.subagent(optionsOf(undefined, [], 'inner'));
    const { call } = await inner.turn('subagent').guard({ tool: 'look', args: {} }, host);
    expect(call.agent).toEqual(['main', 'child', 'inner']);
    expect(Object.isFrozen(call.agent)).toBe(true);
    expect(journal.entries().every(({ agent }) => agent.join('/') === 'main/child/inner')).toBe(true);
    expect(events.at(-1)?.agent).toEqual(['main', 'child', 'inner']);
  });

  it(proves('A13')('shares scope, tool store, turn numbers and event numbers with its session'), async () => {
    const seen: unknown[] = [];
    const { session, grow, events } = await grown({
      hooks: [{ name: 'h', preToolCall: (_payload, ctx) => void seen.push(ctx.session.get('who'), ctx.turnNumber) }],
    });
    session.scope.set('who', 'u1');
    const turn = session.turn();
    const child = grow('child').turn('subagent');
    const other = grow('other').turn('subagent');
    expect([turn.number, child.number, other.number]).toEqual([1, 2, 3]);
    await child.guard({ tool: 'look', args: {} }, { run: (_call, { store }) => store.set('from', 'child') });
    await turn.guard({ tool: 'look', args: {} }, { run: (_call, { store }) => store.get('from') });
    expect(session.toolStore.get('from')).toBe('child');
    expect(seen).toEqual(['u1', 2, 'u1', 1]);
    child.scope.set('mine', 1);
    expect(turn.scope.get('mine')).toBeUndefined();
    expect(session.turnCount).toBe(3);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  });

  it(proves('A13')('gets more restrictive with every layer, never less'), async () => {
    const { grow, session } = await grown({ policy: [deny('act')] });
    const child = grow('child', [allow('act'), deny('look')]);
    const inner = child.subagent(optionsOf([allow('*')], [], 'inner'));
    const open = grow('open', [allow('*')]);
    const outcome = async (branch: SubagentSession, tool: string): Promise<string> =>
      (await branch.turn('subagent').guard({ tool, args: {} }, host)).type;
    expect(await outcome(child, 'act')).toBe('denied');
    expect(await outcome(child, 'look')).toBe('denied');
    expect(await outcome(inner, 'look')).toBe('denied');
    expect(await outcome(open, 'act')).toBe('denied');
    expect(await outcome(open, 'look')).toBe('ok');
    expect((await session.turn().guard({ tool: 'look', args: {} }, host)).type).toBe('ok');
  });

  it(proves('A13')('hides its tools without changing the session'), async () => {
    const { grow, session } = await grown();
    const blind = grow('blind', undefined, ['look']);
    expect((await blind.turn('subagent').guard({ tool: 'look', args: {} }, host)).type).toBe('invalid');
    expect((await blind.turn('subagent').guard({ tool: 'act', args: {} }, host)).type).toBe('ok');
    expect((await session.turn().guard({ tool: 'look', args: {} }, host)).type).toBe('ok');
  });

  it(proves('A13', 'G05')('asks for every layer that asks: each handler, and the approver once'), async () => {
    const askedHandlers: string[] = [];
    const says = (who: string, answer: boolean) => () => (askedHandlers.push(who), answer);
    const { grow } = await grown({
      policy: [ask('act', { handler: says('root', true) })],
      approver: ({ questions }) => {
        askedHandlers.push(`approver ${questions.map(({ text }) => text).join('+')}`);
        return true;
      },
    });
    const child = grow('child', [ask('act', { reason: 'child?' })]);
    const inner = child.subagent(optionsOf([ask('act', { reason: 'inner?' })], [], 'inner'));
    const strict = child.subagent(optionsOf([ask('act', { handler: says('strict', false) })], [], 'strict'));
    expect((await inner.turn('subagent').guard({ tool: 'act', args: {} }, host)).type).toBe('ok');
    expect(askedHandlers.splice(0)).toEqual(['root', 'approver child?+inner?']);
    expect((await strict.turn('subagent').guard({ tool: 'act', args: {} }, host)).type).toBe('denied');
    expect(askedHandlers).toEqual(['root', 'approver child?', 'strict']);
  });

  it(proves('A13')('is awaited by the end of its session'), async () => {
    const gate = later<string>();
    const order: string[] = [];
    const { session, grow } = await grown({
      hooks: [
        { name: 'end', postToolCall: () => void order.push('call'), onSessionEnd: () => void order.push('ended') },
      ],
    });
    const running = grow('child')
      .turn('subagent')
      .guard({ tool: 'act', args: {} }, { run: () => gate.promise });
    await Promise.resolve();
    const ending = session.end();
    gate.resolve('done');
    await Promise.all([running, ending]);
    expect(order).toEqual(['call', 'ended']);
  });
});
