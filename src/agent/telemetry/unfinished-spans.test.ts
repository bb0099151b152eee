import * as api from '@opentelemetry/api';
import type { BridleEvent } from 'bridle';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spanRig, timesOf, type SpanRig } from '../../../test/rigs/span-rig.ts';
import { SessionSpans } from './session-spans.ts';
import { SpanMaker } from './span-maker.ts';

const call = { callId: 'a', tool: 'look', server: undefined };
let rig: SpanRig;

beforeEach(() => {
  rig = spanRig();
});
afterEach(() => rig.stop());

/** Passes these events to the spans of a session, one millisecond apart. */
function play(...bodies: readonly (Partial<BridleEvent> & { readonly type: BridleEvent['type'] })[]): void {
  const spans = new SessionSpans(new SpanMaker(api, api.trace.getTracer('test')), { at: 999, id: 's', agent: 'main' });
  for (const [seq, body] of bodies.entries()) {
    const head = { seq, at: 1000 + seq, session: 's', turn: 1, step: 1, agent: ['main'] };
    spans.handle({ ...head, ...body } as BridleEvent);
  }
}

describe('a span that no event has ended', () => {
  it('ends with the session', () => {
    play(
      { type: 'turn_started', origin: 'user' },
      { type: 'llm_started', model: 'a/m', attempt: 1, purpose: 'turn' },
      { type: 'tool_requested', ...call, args: null },
      { type: 'tool_asked', ...call, approvalId: 'x', questions: [] },
      { type: 'turn_started', turn: 2, origin: 'subagent', agent: ['main', 'sub'] },
      { type: 'session_ended', reason: 'crashed' },
      { type: 'turn_started', turn: 3, origin: 'user' },
    );
    expect(rig.tree()).toEqual([
      'session main',
      '  invoke_agent main',
      '    chat m',
      '    execute_tool look',
      '      approval look',
      '  invoke_agent sub',
    ]);
    expect(new Set(rig.spans().map((span) => timesOf(span).to))).toEqual(new Set([1005]));
    for (const name of ['chat m', 'execute_tool look', 'approval look']) {
      expect(rig.span(name).attributes).toMatchObject({ 'bridle.outcome': 'interrupted' });
    }
  });

  it('ends with its turn, and late events change nothing', () => {
    play(
      { type: 'turn_started', origin: 'user' },
      { type: 'tool_requested', ...call, args: null },
      { type: 'turn_ended' },
      { type: 'tool_settled', ...call, outcome: 'ok', error: undefined, elapsedMs: 1 },
      { type: 'llm_settled', model: 'a/m', attempt: 1 },
      { type: 'tool_late', ...call, text: 'came late' },
      { type: 'session_ended', reason: 'stopped' },
    );
    expect(timesOf(rig.span('execute_tool look')).to).toBe(1002);
    expect(rig.span('execute_tool look').attributes).toMatchObject({ 'bridle.outcome': 'interrupted' });
    expect(rig.span('session main').events).toMatchObject([
      { name: 'bridle.tool_late', attributes: { 'bridle.call_id': 'a', 'bridle.tool': 'look' } },
    ]);
  });

  it('ends when another call or approval with the same id starts', () => {
    play(
      { type: 'turn_started', origin: 'user' },
      { type: 'tool_requested', ...call, args: null },
      { type: 'tool_requested', ...call, args: null },
      { type: 'tool_asked', ...call, approvalId: 'x', questions: [] },
      { type: 'tool_asked', ...call, approvalId: 'y', questions: [] },
      { type: 'tool_approved', ...call, by: 'ann', remembered: false },
      { type: 'tool_started', ...call, rule: undefined },
      { type: 'tool_settled', ...call, outcome: 'timeout', error: undefined, elapsedMs: 1 },
      { type: 'session_ended', reason: 'stopped' },
    );
    const [first, second] = rig.named('execute_tool look');
    expect([first?.attributes['bridle.outcome'], second?.attributes['bridle.outcome']]).toEqual([
      'interrupted',
      'timeout',
    ]);
    expect(second?.status).toEqual({ code: api.SpanStatusCode.ERROR, message: 'timeout' });
    const answers = rig.named('approval look').map(({ attributes }) => attributes['bridle.outcome']);
    expect(answers).toEqual(['interrupted', 'approved']);
  });
});
