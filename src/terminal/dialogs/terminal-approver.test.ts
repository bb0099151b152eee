import { EventEmitter } from 'node:events';
import type { ReadStream, WriteStream } from 'node:tty';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { AnsweredElsewhere } from '../../approvals/signing/approval-record.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../kernel/approval.ts';
import { paintWith } from '../output/paint.ts';
import { Screen } from '../output/screen.ts';
import { Keyboard } from './keyboard.ts';
import { Terminal } from './terminal.ts';
import { terminalApprover } from './terminal-approver.ts';

const down = '\u001B[B';
const home = '\u001B[H';
const ctrlD = '\u0004';
const isOpen = 'Esc means no.';

/** The keyboard and screen of a person, without a process behind them. */
class FakeTerminal {
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
  readonly keyboard = new Keyboard(this.input as unknown as ReadStream, this.output as unknown as WriteStream, {
    onInterrupt: () => 'stay',
    onLine: () => false,
  });
  private readonly screen = new Screen(this.output as unknown as WriteStream, paintWith(false));
  private readonly terminal = new Terminal({ keyboard: this.keyboard, screen: this.screen });
  private readonly approver = terminalApprover(this.terminal, {
    paint: paintWith(false),
    problemOf: () => Promise.resolve(undefined),
  });

  ask(command: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    const args = { command_line: command };
    const request = {
      call: { tool: 'run_command', args },
      shown: { title: 'run_command', args: [], text: `run_command\n  command_line: ${command}` },
      questions: [{ text: 'Run it?', rule: undefined, hook: 'careful' }],
      proposal: { text: 'lines that run only `echo`', data: null },
    } as unknown as ApprovalRequest;
    return this.approver(request, { signal }) as Promise<ApprovalAnswer>;
  }

  async press(keys: string, thenMs = 0): Promise<void> {
    this.input.emit('data', Buffer.from(keys));
    await vi.advanceTimersByTimeAsync(thenMs);
  }
}

const never = new AbortController().signal;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));

afterEach(() => void vi.useRealTimers());

async function openQuestion(terminal: FakeTerminal, signal = never): Promise<Promise<ApprovalAnswer>[]> {
  const answer = terminal.ask('echo hi', signal);
  await vi.advanceTimersByTimeAsync(300);
  expect(terminal.text).toContain(isOpen);
  // In a list, because awaiting a promise of a promise would await the answer.
  return [answer];
}

describe('the keys of an approval', () => {
  it.each([
    ['y', { type: 'approve', by: 'terminal' }],
    [`${home}\r`, { type: 'approve', by: 'terminal' }],
    ['n', { type: 'deny', by: 'terminal' }],
    ['\r', { type: 'deny', by: 'terminal' }],
    [ctrlD, { type: 'deny', by: 'terminal', reason: 'The person dismissed the question.' }],
  ])('%j answers', async (keys, expected) => {
    const terminal = new FakeTerminal();
    const [answer] = await openQuestion(terminal);
    await terminal.press(keys, 200);
    expect(await answer).toEqual(expected);
  });

  it.each([
    [['a', 'y'], { type: 'approve', by: 'terminal', remember: 'session', rule: true }],
    [['a', 'x'], { type: 'approve', by: 'terminal', remember: 'session' }],
    [['a', 'n', 'n'], { type: 'deny', by: 'terminal' }],
    [['N', 'too risky', '\r'], { type: 'deny', by: 'terminal', reason: 'too risky' }],
    [['e', '\r'], { type: 'approve', by: 'terminal', args: { command_line: 'echo hi' } }],
  ])('%j answer one after the other', async (keys, expected) => {
    const terminal = new FakeTerminal();
    const [answer] = await openQuestion(terminal);
    for (const key of keys) await terminal.press(key, 500);
    expect(await answer).toEqual(expected);
  });

  it(proves('Q02')('shows what "always" covers before it wants one more key'), async () => {
    const terminal = new FakeTerminal();
    const [answer] = await openQuestion(terminal);
    // The second key arrives before the rule was visible.
    await terminal.press('a', 200);
    await terminal.press('y', 500);
    expect(terminal.text).toContain('lines that run only `echo`');
    await terminal.press(ctrlD, 500);
    await terminal.press('n', 200);
    expect(await answer).toEqual({ type: 'deny', by: 'terminal' });
  });

  it(proves('A23')('does not approve by pasted text, quick typing or a key that is held'), async () => {
    const held = Array.from({ length: 20 }, (): readonly [string, number] => ['y', 33]);
    const cases: readonly (readonly (readonly [keys: string, thenMs: number])[])[] = [
      [['\u001B[200~y\u001B[201~', 500]],
      [['\u001B[200~y\n\u001B[201~', 500]],
      [['yes please', 500]],
      [
        ['y', 60],
        ['e', 60],
        ['s', 500],
      ],
      held,
      [
        [home, 0],
        ['xy', 500],
      ],
    ];
    for (const steps of cases) {
      const terminal = new FakeTerminal();
      const [answer] = await openQuestion(terminal);
      for (const [keys, thenMs] of steps) await terminal.press(keys, thenMs);
      await terminal.press('n', 300);
      expect(await answer).toEqual({ type: 'deny', by: 'terminal' });
    }
  });

  it(proves('A23')('ignores keys from before the question was visible, and keeps them for the prompt'), async () => {
    const terminal = new FakeTerminal();
    terminal.keyboard.open();
    const answer = terminal.ask('echo hi', never);
    for (const key of 'y y') await terminal.press(key, 100);
    await vi.advanceTimersByTimeAsync(100);
    await terminal.press('n', 200);
    expect(await answer).toEqual({ type: 'deny', by: 'terminal' });
    void terminal.keyboard.readLine('> ', never);
    await vi.advanceTimersByTimeAsync(0);
    expect(terminal.text).toMatch(/> y y$/);
  });

  it('approves only if a key that says so was pressed on its own after the question was visible', async () => {
    const keys = fc.constantFrom(
      'y',
      'y',
      'n',
      'a',
      'e',
      'x',
      'N',
      'q',
      '\r',
      down,
      home,
      ' ',
      'yes',
      'y\r',
      ctrlD,
      '\u001B[200~y\u001B[201~',
    );
    const steps = fc.array(fc.tuple(keys, fc.constantFrom(0, 20, 90, 140, 400, 700)), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(fc.nat(400), steps, async (firstMs, pressed) => {
        const terminal = new FakeTerminal();
        const end = new AbortController();
        let given: { readonly answer: ApprovalAnswer; readonly at: number } | undefined;
        void terminal.ask('echo hi', end.signal).then((answer) => (given ??= { answer, at: performance.now() }));
        await vi.advanceTimersByTimeAsync(firstMs);
        let last: { readonly key: string; readonly at: number; readonly wasVisible: boolean } | undefined;
        for (const [key, thenMs] of pressed) {
          if (given !== undefined) break;
          last = { key, at: performance.now(), wasVisible: terminal.text.includes(isOpen) };
          await terminal.press(key, thenMs);
        }
        await vi.advanceTimersByTimeAsync(300);
        end.abort();
        await vi.advanceTimersByTimeAsync(300);
        if (given === undefined) throw new Error('no answer after the end');
        if (given.answer.type !== 'approve') return;
        expect(last?.wasVisible).toBe(true);
        expect(['y', 'x', '\r']).toContain(last?.key);
        // Only Enter in the text field of edited args takes effect immediately.
        if (given.answer.args === undefined) expect(given.at - (last?.at ?? 0)).toBeGreaterThanOrEqual(120);
        else expect(last?.key).toBe('\r');
      }),
    );
  });
});

describe('a key that is held', () => {
  it.each([
    ['y', 500, 200],
    ['y', 660, 40],
    ['y', 330, 330],
  ])(proves('A23')('approves one call: %s, then after %i ms every %i ms'), async (key, firstMs, everyMs) => {
    const terminal = new FakeTerminal();
    const given: string[] = [];
    for (const each of ['echo 1', 'echo 2', 'echo 3']) {
      void terminal.ask(each, never).then(({ type }) => given.push(type));
    }
    await vi.advanceTimersByTimeAsync(300);
    await terminal.press(key, firstMs);
    for (let at = 0; at < 10; at++) await terminal.press(key, everyMs);
    expect(given).toEqual(['approve']);
    expect(terminal.text).toContain('Release it for a second');
    await vi.advanceTimersByTimeAsync(1000);
    await terminal.press(key, 500);
    expect(given).toEqual(['approve', 'approve']);
    await terminal.press(down, 100);
    await terminal.press(key, 500);
    expect(given).toEqual(['approve', 'approve', 'approve']);
  });
});

describe('a call that does not fit on the screen', () => {
  const command = Array.from({ length: 60 }, (_, at) => `echo line-${at};`).join(' ');

  it.each([
    [80, 24, 'echo hi'],
    [14, 24, 'echo hi'],
    [20, 24, command],
    [80, 8, command],
    [40, 12, command],
  ])(
    proves('Q04')('is above the question with its start next to it: %i columns, %i rows'),
    async (columns, rows, line) => {
      const terminal = new FakeTerminal();
      Object.assign(terminal.output, { columns, rows });
      void terminal.ask(line, never);
      await vi.advanceTimersByTimeAsync(300);
      const drawn = terminal.text.split('\n');
      const last = drawn.slice(-(rows - 1)).join('\n');
      expect(last).toContain('run_command\n');
      expect(last).toContain('\n  command_line');
      expect(unwrapped(terminal.text)).toContain(line);
      if (line === command) expect(last).toMatch(/… \d+\s+more rows\s+above/);
    },
  );

  it(proves('Q04')('is printed again when the screen becomes smaller, and drawn again when it grows'), async () => {
    const terminal = new FakeTerminal();
    void terminal.ask(command.slice(0, 200), never);
    await vi.advanceTimersByTimeAsync(300);
    expect(terminal.text).not.toContain('more rows above');
    const resize = (columns: number, rows: number): string => {
      terminal.text = '';
      Object.assign(terminal.output, { columns, rows });
      terminal.output.emit('resize');
      return terminal.text;
    };
    expect(resize(80, 8)).toMatch(/line-13[^]*… \d more rows above\nApprove this call\?/);
    expect(resize(80, 9)).not.toContain('line-13');
    expect(unwrapped(resize(30, 8))).toContain('line-13');
    const grown = resize(80, 24);
    expect(unwrapped(grown)).toContain('line-13');
    expect(grown).not.toContain('more rows above');
  });
});

/** The text without the marks of its further rows. */
function unwrapped(text: string): string {
  return text.replaceAll('\n    │ ', '');
}

describe('questions that wait', () => {
  it('are counted', async () => {
    const terminal = new FakeTerminal();
    const answers = [terminal.ask('echo 1', never)];
    await vi.advanceTimersByTimeAsync(300);
    expect(terminal.text).not.toContain('of 1');
    answers.push(terminal.ask('echo 2', never), terminal.ask('echo 3', never));
    for (const place of ['1 of 3', '2 of 3', '3 of 3']) {
      expect(terminal.text).toContain(`Approve this call? (${place})`);
      await terminal.press('n', 500);
    }
    await Promise.all(answers);
    void terminal.ask('echo 4', never);
    await vi.advanceTimersByTimeAsync(300);
    expect(terminal.text).not.toContain('of 4');
  });

  it('close when somebody else answers, and say who did', async () => {
    const terminal = new FakeTerminal();
    const elsewhere = new AbortController();
    const [answer] = await openQuestion(terminal, elsewhere.signal);
    elsewhere.abort(new AnsweredElsewhere('ann', true));
    await answer;
    expect(terminal.text).toContain('Approved by ann (answered elsewhere).');
  });
});
