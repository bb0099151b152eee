import { EventEmitter } from 'node:events';
import type { ReadStream, WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { elsewhere, sampleCall } from '../../../test/rigs/approval-rig.ts';
import type { ApprovalRecord, ApproverAnswer } from '../../approvals/signing/approval-record.ts';
import { showCall } from '../../kernel/guard/calls/show-call.ts';
import { paintWith } from '../../terminal/output/paint.ts';
import type { Answerer } from './answerer.ts';
import { WatchScreen } from './watch-screen.ts';

const never = new AbortController().signal;

/** A list at a terminal without a process behind it. Answers are accepted and listed. */
class FakeWatch {
  readonly input = Object.assign(new EventEmitter(), {
    isTTY: true,
    setRawMode: () => undefined,
    resume: () => undefined,
    pause: () => undefined,
  });
  text = '';
  readonly output = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns: 80,
    rows: 24,
    write: (text: string) => {
      this.text += stripVTControlCharacters(text);
      return true;
    },
  });
  readonly answers: string[] = [];
  private readonly screen = new WatchScreen(
    { input: this.input as unknown as ReadStream, output: this.output as unknown as WriteStream },
    {
      paint: paintWith(false),
      answererOf: () => this.answerer(),
      notification: undefined,
      onLeave: () => undefined,
    },
  );

  constructor(...commands: readonly string[]) {
    void this.screen.run(never);
    for (const [at, command] of commands.entries()) this.screen.update(recordOf(`id-${at}`, command));
  }

  async press(keys: string, thenMs: number): Promise<void> {
    this.input.emit('data', Buffer.from(keys));
    await vi.advanceTimersByTimeAsync(thenMs);
  }

  private answerer(): Answerer {
    const answer = (record: ApprovalRecord, { type }: ApproverAnswer): Promise<unknown> => {
      this.answers.push(`${type} ${record.id}`);
      const after = { ...record, state: 'approved' as const };
      this.screen.update(after);
      return Promise.resolve({ won: true, record: after });
    };
    return { isLocked: false, check: () => Promise.resolve(), answer } as unknown as Answerer;
  }
}

function recordOf(id: string, command: string): ApprovalRecord {
  const call = sampleCall({ args: { command_line: command } });
  return {
    id,
    state: 'pending',
    tool: call.tool,
    server: undefined,
    args: call.args,
    asker: elsewhere(),
    shown: showCall(call, ['command_line']),
    questions: [],
    agent: ['main'],
    session: 's1',
    expiresAt: Date.now() + 600_000,
    changes: [],
  } as unknown as ApprovalRecord;
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));

afterEach(() => void vi.useRealTimers());

describe('the list of watch', () => {
  const long = Array.from({ length: 300 }, (_, at) => `echo line-${at};`).join(' ');

  it(proves('Q04')('shows a call that is higher than the screen at Enter'), async () => {
    const watch = new FakeWatch(long);
    await vi.advanceTimersByTimeAsync(300);
    expect(watch.text).toMatch(/run_command\n {2}\$ echo line-0;[^\n]*\n {2}… \d+ more rows \(Enter shows/);
    expect(watch.text).not.toContain('line-299');
    await watch.press('\r', 300);
    expect(watch.text).toContain('line-299');
    expect(watch.text).toMatch(/… \d+ more rows above\n/);
    await watch.press('y', 500);
    expect(watch.answers).toEqual(['approve id-0']);
  });

  it(proves('Q04')('shows it again before a key counts if the screen became narrower'), async () => {
    const watch = new FakeWatch(long);
    await vi.advanceTimersByTimeAsync(300);
    await watch.press('\r', 300);
    watch.output.columns = 60;
    watch.output.emit('resize');
    watch.text = '';
    await watch.press('y', 500);
    expect(watch.answers).toEqual([]);
    expect(watch.text).toContain('line-299');
  });

  it(proves('Q04')('has one row for each call'), async () => {
    const watch = new FakeWatch(`touch a; :${' '.repeat(1920)}run_command${' '.repeat(70)}npm test`, long);
    watch.text = '';
    watch.output.columns = 70;
    watch.output.emit('resize');
    expect(watch.text.split('\n').filter((row) => row.length > 70)).toEqual([]);
    expect(watch.text).toContain('⟨1920 spaces⟩run_command⟨70 spaces⟩');
  });

  it.each([
    [500, 200],
    [660, 40],
  ])(proves('A23')('approves one call with a key that is held: after %i ms every %i ms'), async (firstMs, everyMs) => {
    const watch = new FakeWatch('echo 1', 'echo 2', long);
    await vi.advanceTimersByTimeAsync(300);
    await watch.press('y', firstMs);
    for (let at = 0; at < 10; at++) await watch.press('y', everyMs);
    expect(watch.answers).toEqual(['approve id-0']);
    await vi.advanceTimersByTimeAsync(1000);
    await watch.press('y', 500);
    expect(watch.answers).toEqual(['approve id-0', 'approve id-1']);
    // The first key shows the long call, and it is still held.
    await vi.advanceTimersByTimeAsync(1000);
    for (let at = 0; at < 10; at++) await watch.press('y', 300);
    expect(watch.answers).toEqual(['approve id-0', 'approve id-1']);
  });
});
