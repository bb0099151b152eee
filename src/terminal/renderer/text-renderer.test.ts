import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BridleError, type BridleEvent } from 'bridle';
import type { TurnResult } from 'bridle/agent';
import { JsonRenderer } from './json-renderer.ts';
import { paintWith } from '../output/paint.ts';
import { Screen } from '../output/screen.ts';
import { statusLine } from '../../cli/chat/status-line.ts';
import { TextRenderer } from './text-renderer.ts';

const usage = { inputTokens: 1200, outputTokens: 34, cachedInputTokens: 0, cacheCreationTokens: 0 };

function event(body: object, agent = ['main']): BridleEvent {
  return { seq: 0, at: 0, session: 's', turn: 1, step: 1, agent, ...body } as unknown as BridleEvent;
}

function delta(text: string, agent?: string[]): BridleEvent {
  return event({ type: 'text_delta', text, attempt: 1 }, agent);
}

function resultOf(text: string, stopReason = 'end'): TurnResult {
  const said = { text, stopReason, thinking: '', steps: 1, usage, toolCalls: [], turn: 3 };
  return { ...said, data: undefined, problem: undefined, cost: 0.5 };
}

function both({ columns, ...options }: { layout?: 'wrapped'; columns?: number } = {}): {
  renderer: TextRenderer;
  shown: () => string;
} {
  const output = Object.assign(new PassThrough({ encoding: 'utf8' }), columns === undefined ? {} : { columns });
  const screen = new Screen(output, paintWith(false));
  return {
    renderer: new TextRenderer({ answer: screen, notes: screen, ...options }),
    shown: () => (output.read() as string | null) ?? '',
  };
}

describe('a chat as text', () => {
  it('streams the answer, and shows everything else on its own lines', () => {
    const { renderer, shown } = both();
    renderer.showEvent(delta('Hel'));
    renderer.showEvent(delta('lo'));
    renderer.showEvent(event({ type: 'tool_requested', callId: 'c', tool: 'finish', args: {} }));
    renderer.showEvent(event({ type: 'tool_settled', callId: 'c', tool: 'finish', outcome: 'ok', elapsedMs: 3 }));
    renderer.showEvent(delta('there\n'));
    renderer.showOutcome({ type: 'result', result: resultOf('there') });
    renderer.showNote('done');
    expect(shown()).toBe('Hello\n✓ finish  3 ms\nthere\ndone\n');
  });

  it('shows an answer that was not streamed, and why a turn stopped', () => {
    const { renderer, shown } = both();
    renderer.showEvent(delta('secret'));
    renderer.showOutcome({ type: 'result', result: resultOf('[redacted]\u001B') });
    renderer.showOutcome({ type: 'result', result: resultOf('Not here.', 'rejected') });
    renderer.showOutcome({ type: 'failed', error: new BridleError('LLM_FAILED', 'the model is gone') });
    expect(shown()).toBe(
      'secret\n[redacted]⟨U+001B⟩\n! the turn stopped: rejected\n  Not here.\n✗ the turn failed: the model is gone\n',
    );
  });

  it('says what a cancellation stopped', () => {
    const cancelled = { type: 'result', result: resultOf('', 'cancelled') } as const;
    const { renderer, shown } = both();
    const turn = (...events: BridleEvent[]): void => {
      renderer.showEvent(event({ type: 'turn_started' }));
      for (const each of events) renderer.showEvent(each);
      renderer.showEvent(event({ type: 'turn_ended', stopReason: 'cancelled' }));
      renderer.showOutcome(cancelled);
    };
    const call = { callId: 'c', tool: 'push', args: {} };
    turn();
    turn(delta('half'));
    turn(event({ type: 'tool_requested', ...call }), event({ type: 'tool_started', ...call }));
    turn(event({ type: 'tool_settled', ...call, outcome: 'cancelled', elapsedMs: 5 }));
    turn(event({ type: 'tool_requested', ...call }));
    expect(shown().split('\n')).toEqual([
      '! Cancelled before an answer.',
      'half',
      '! Cancelled: the answer is not complete.',
      '! Cancelled: push was stopped.',
      '✗ push  5 ms',
      '  cancelled',
      '! Cancelled: push was stopped.',
      '! Cancelled before an answer.',
      '',
    ]);
  });

  it('wraps replies between words, below their second column', () => {
    const { renderer, shown } = both({ layout: 'wrapped', columns: 30 });
    renderer.showReply('/cost  shows tokens and costs of all sessions\nplain words that are longer than a line');
    expect(shown().split('\n')).toEqual([
      '/cost  shows tokens and costs',
      '       of all sessions',
      'plain words that are longer',
      'than a line',
      '',
    ]);
  });

  it('hides the text of subagents and indents their calls', () => {
    const { renderer, shown } = both();
    renderer.showEvent(delta('inner', ['main', 'helper']));
    renderer.showEvent(event({ type: 'tool_requested', callId: 'c', tool: 'finish', args: {} }, ['main', 'helper']));
    renderer.showEvent(
      event({ type: 'tool_denied', callId: 'c', tool: 'finish', reason: 'No.', hook: 'gate' }, ['main', 'helper']),
    );
    expect(shown()).toBe('  ✗ finish\n    Denied finish by hook "gate": No.\n');
  });

  it('shows the args of a call if they were changed', () => {
    const { renderer, shown } = both();
    renderer.details = true;
    const facts = { callId: 'c', tool: 'run_command', server: undefined };
    const start = (callId: string, args: object): void =>
      renderer.showEvent(event({ type: 'tool_started', ...facts, callId, args, rule: undefined }));
    renderer.showEvent(event({ type: 'tool_requested', ...facts, args: { a: 1, b: 'x' } }));
    renderer.showEvent(event({ type: 'tool_requested', ...facts, callId: 'd', args: { a: 1 } }));
    start('c', { b: 'x', a: 1 });
    start('d', { a: '\u001B[2J\n\u202E' });
    start('unheard of', {});
    renderer.showEvent(event({ type: 'tool_requested', ...facts, args: { a: 1 } }));
    start('c', {});
    expect(shown().split('\n')).toEqual([
      '● run_command a=1 b="x"',
      '● run_command a=1',
      '  ✓ run_command: allowed',
      '  ✓ run_command: allowed',
      String.raw`  ! run_command: runs with a="\u001b[2J\n\u202e"`,
      '  ✓ run_command: allowed',
      '● run_command a=1',
      '  ✓ run_command: allowed',
      '  ! run_command: runs with no args',
      '',
    ]);
  });

  it('shows late events at the end of a turn, but not after a cancelled one', () => {
    const { renderer, shown } = both();
    const late = (turn: number): void => {
      const facts = { callId: 'c', tool: 'look', server: undefined, turn };
      renderer.showEvent(event({ type: 'tool_late', ...facts, text: 'late' }));
      renderer.showEvent(
        event({ type: 'hook_failed', hook: 'h', point: 'preTurn', kind: 'late', message: 'late', turn }),
      );
    };
    const end = (turn: number, stopReason: string): void =>
      renderer.showEvent(event({ type: 'turn_ended', stopReason, turn }));
    late(1);
    end(1, 'cancelled');
    late(1);
    end(2, 'end');
    expect(shown()).toBe('');
    late(2);
    expect(shown()).toBe('');
    end(3, 'end');
    const lines = '  look finished after its timeout or cancellation\n! hook h failed at preTurn: late\n';
    expect(shown()).toBe(lines);
    late(3);
    renderer.finish();
    expect(shown()).toBe(lines);
    const failed = { type: 'hook_failed', hook: 'h', point: 'preTurn', kind: 'threw', message: 'oops' };
    renderer.showEvent(event(failed));
    expect(shown()).toBe('! hook h failed at preTurn: oops\n');
  });

  it('holds output back while a dialog is open', () => {
    const output = new PassThrough({ encoding: 'utf8' });
    const screen = new Screen(output, paintWith(true));
    screen.write('begun');
    screen.holdBack();
    screen.line('later', 'bad');
    screen.writeNow('the dialog');
    expect(output.read()).toBe('begun\nthe dialog\n');
    screen.release();
    expect(output.read()).toBe('\u001B[31mlater\u001B[39m\n');
  });
});

describe('a chat as JSON', () => {
  it('has a line for each event, and the result as the last line of a single turn', () => {
    const lines = new PassThrough({ encoding: 'utf8' });
    const notes = new PassThrough();
    const types = (): unknown[] =>
      ((lines.read() as string | null) ?? '')
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: unknown }).type);
    for (const [resultLast, expected] of [
      [true, ['text_delta', 'session_ended', 'result']],
      [false, ['text_delta', 'result', 'session_ended']],
    ] as const) {
      const renderer = new JsonRenderer({ lines, notes, resultLast });
      renderer.showEvent(delta('x'));
      renderer.showOutcome({ type: 'result', result: resultOf('x') });
      renderer.showEvent(event({ type: 'session_ended', reason: 'stopped' }));
      renderer.finish();
      expect(types()).toEqual(expected);
    }
  });

  it('includes the error code', () => {
    const lines = new PassThrough({ encoding: 'utf8' });
    const renderer = new JsonRenderer({ lines, notes: new PassThrough(), resultLast: false });
    renderer.showOutcome({ type: 'failed', error: new BridleError('LLM_FAILED', 'gone') });
    renderer.showReply('hi');
    expect(lines.read()).toBe(
      '{"type":"result","stopReason":"error","error":"gone","code":"LLM_FAILED"}\n{"type":"said","text":"hi"}\n',
    );
  });
});

describe('the status line', () => {
  it('shows turn, tokens, cost and budget', () => {
    const agent = { usage: { total: { ...usage, inputTokens: 5000 }, cost: 1.25, agents: {} } };
    expect(statusLine(resultOf('x'), agent, { maxCost: 3, maxSteps: 9 })).toBe(
      'turn 3 · 1,234 tokens · session cost $1.25 · budget $3.00, 9 steps per turn',
    );
    const unpriced = { usage: { ...agent.usage, cost: undefined } };
    expect(statusLine(resultOf('x'), unpriced, { maxCost: undefined, maxSteps: undefined })).toContain(
      'session cost unknown',
    );
  });
});
