import { describe, expect, it } from 'vitest';
import type { BridleEvent } from 'bridle';
import { eventLine } from './event-line.ts';

const rule = { name: 'safe_confirm', effect: 'ask', target: '*', bucket: 7 } as const;
const facts = { callId: 'c', tool: 'run_command', server: undefined };

function lineOf(body: object): string | undefined {
  const head = { seq: 0, at: 0, session: 's', turn: 1, step: 1, agent: ['main'] };
  return eventLine({ ...head, ...body } as unknown as BridleEvent)?.text;
}

describe('the line of an event', () => {
  it('shows a call with its args', () => {
    const args = { command_line: 'echo "hi"\u001B', n: 1 };
    expect(lineOf({ type: 'tool_requested', ...facts, args })).toBe(
      String.raw`● run_command command_line="echo \"hi\"\u001b" n=1`,
    );
    expect(lineOf({ type: 'tool_requested', ...facts, server: 'files', args: {} })).toBe('● files/run_command');
    expect(lineOf({ type: 'tool_requested', ...facts, args: { a: 'x'.repeat(400) } })).toMatch(
      /… \[104 more characters\]$/,
    );
  });

  it('shows the decision and what made it', () => {
    expect(lineOf({ type: 'tool_started', ...facts, rule })).toBe(
      '  ✓ run_command: asked by rule safe_confirm (ask), and approved',
    );
    expect(lineOf({ type: 'tool_started', ...facts, rule: undefined })).toBe('  ✓ run_command: allowed');
    expect(lineOf({ type: 'tool_denied', ...facts, rule, hook: undefined, reason: 'no\nmore' })).toBe(
      '  ✗ run_command: denied by rule safe_confirm (ask): no\n    │ more',
    );
    expect(lineOf({ type: 'tool_denied', ...facts, rule: undefined, hook: 'gate', reason: 'no' })).toBe(
      '  ✗ run_command: denied by hook gate: no',
    );
    expect(lineOf({ type: 'tool_approved', ...facts, by: 'ann', remembered: true })).toBe(
      '  ✓ run_command: approved by ann, remembered',
    );
  });

  it('shows how a call ended', () => {
    const settled = { type: 'tool_settled', ...facts, error: undefined };
    expect(lineOf({ ...settled, outcome: 'ok', elapsedMs: 12.4 })).toBe('  run_command: ok, 12 ms');
    expect(lineOf({ ...settled, outcome: 'error', elapsedMs: 2500, error: 'gone' })).toBe(
      '  ✗ run_command: error, 2.5 s: gone',
    );
  });

  it('shows failures outside of calls', () => {
    const failed = { type: 'llm_failed', model: 'a/b', attempt: 1, error: 'busy' };
    expect(lineOf({ ...failed, next: 'retry', afterMs: 1500 })).toBe('! a/b failed: busy; retrying in 1.5 s');
    expect(lineOf({ ...failed, next: 'fallback', afterMs: 0 })).toBe('! a/b failed: busy; switching to another model');
    expect(lineOf({ ...failed, next: 'fail', afterMs: 0 })).toBe('! a/b failed: busy');
    expect(lineOf({ type: 'budget_exceeded', limit: 'perSession.cost', used: 2, of: 1 })).toBe(
      '! budget perSession.cost used up: 2 of 1',
    );
    expect(lineOf({ type: 'interaction_settled', outcome: 'unanswered' })).toContain('unanswered');
    const shadow = { type: 'rule_shadowed', ...facts, rule, problem: undefined };
    expect(lineOf({ ...shadow, matched: true, would: 'ask' })).toContain('shadow rule safe_confirm (ask) would ask');
    const unknown = { ...shadow, matched: false, would: 'deny', problem: 'nobody knows' };
    expect(lineOf(unknown)).toContain('shadow rule safe_confirm (ask) would deny: nobody knows');
    expect(lineOf({ ...shadow, matched: false, would: undefined })).toBeUndefined();
  });

  it('is missing for events that are shown elsewhere or not at all', () => {
    for (const type of ['text_delta', 'thinking_delta', 'turn_started', 'turn_ended', 'llm_started', 'custom']) {
      expect(lineOf({ type, text: 'x', name: 'x', data: null })).toBeUndefined();
    }
  });
});
