import { describe, expect, it } from 'vitest';
import { allowAll } from 'bridle';
import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import { proves } from '../../test/contract/cite.ts';
import { interactiveLoop } from './interactive-loop.ts';
import type { OpenTerminal, TerminalListener } from './open-terminal.ts';

interface FakeTerminal extends OpenTerminal {
  readonly shown: string[];
  listener: TerminalListener | undefined;
  isClosed: boolean;
}

/** Each step gives the next line, or ends the input; it can press keys before. */
function fakeTerminal(steps: readonly (() => string | undefined)[]): FakeTerminal {
  const left = [...steps];
  const sessions = new Set<string>();
  const shown: string[] = [];
  const terminal: FakeTerminal = {
    shown,
    listener: undefined,
    isClosed: false,
    isInteractive: true,
    approver: () => false,
    hook: {
      name: 'terminal',
      onEvent: (event) => {
        sessions.add(event.session);
        terminal.listener?.onEvent(event);
      },
    },
    renderer: {
      showEvent: () => undefined,
      showOutcome: (outcome) => void shown.push(outcome.type === 'result' ? outcome.result.stopReason : 'failed'),
      showReply: (text) => void shown.push(text),
      showNote: (text) => void shown.push(text),
      finish: () => void shown.push('finished'),
    },
    connect: (listener) => void (terminal.listener = listener),
    sees: (session) => sessions.has(session),
    readLine: (prompt, { aborted }) => {
      shown.push(prompt);
      return Promise.resolve(aborted ? undefined : left.shift()?.());
    },
    whileRunning: (work) => work(),
    close: () => void (terminal.isClosed = true),
  };
  return terminal;
}

const cancelling = 'Ctrl-C: cancelling the turn (press it again to end the session)';

describe(proves('A26')('interactiveLoop'), () => {
  it('cancels the turn at the first Ctrl-C, ends at the second in a row, and says so each time', async () => {
    const answers: unknown[] = [];
    const press = (): void => void answers.push(terminal.listener?.onInterrupt());
    const wait = defineTool({
      name: 'wait',
      description: 'Waits.',
      schema: { type: 'object' },
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve('stopped'));
          press();
        }),
    });
    const terminal = fakeTerminal([
      () => 'go',
      () => {
        press();
        press();
        return 'never';
      },
    ]);
    const model = scriptedModel([{ toolCalls: [{ tool: 'wait', args: {} }] }]);
    await interactiveLoop(createAgent({ model, tools: [wait], policy: allowAll(), telemetry: false }), { terminal });
    expect(answers).toEqual(['stay', 'stay', 'leave']);
    expect(terminal.shown.slice(0, 4)).toEqual(['> ', cancelling, 'cancelled', '> ']);
    expect(terminal.shown[4]).toContain('Ctrl-C again');
    expect(terminal.shown.slice(5)).toEqual(['Ctrl-C: ending the session', 'finished']);
    expect(terminal.isClosed).toBe(true);
  });

  it('runs commands of the program, and continues if one fails', async () => {
    const terminal = fakeTerminal([() => '/greet  Ann ', () => '/broken', () => '/quit']);
    const commands = {
      greet: { usage: '/greet <name>', summary: 'greets', run: (_: unknown, rest: string) => `Hello, ${rest}!` },
      broken: {
        usage: '/broken',
        summary: 'fails',
        run: () => {
          throw new Error('out of \u001B paper');
        },
      },
    };
    await interactiveLoop(createAgent({ model: scriptedModel([]), policy: allowAll() }), { terminal, commands });
    expect(terminal.shown).toEqual([
      '> ',
      'Hello, Ann!',
      '> ',
      '/broken failed: out of ⟨U+001B⟩ paper',
      '> ',
      'finished',
    ]);
  });

  it('shows and hides details, and opens what is folded, if the renderer can', async () => {
    const press = (): string => {
      terminal.listener?.onShortcut?.('details');
      return '/details';
    };
    const terminal = fakeTerminal([press, press, press]);
    const { renderer } = terminal;
    const agent = createAgent({ model: scriptedModel([]), policy: allowAll(), telemetry: false });
    let folded = 1;
    Object.assign(renderer, { openFolded: () => folded-- > 0 });
    await interactiveLoop(agent, {
      terminal,
      onStart: () => (renderer.details = false),
      promptLine: () => `${String(renderer.details)} `,
    });
    expect(terminal.shown).toEqual([
      'false ',
      'Calls are shown with all details.',
      'true ',
      'Ctrl-O: nothing is folded.',
      'Calls are shown on one line each.',
      'false ',
      'Ctrl-O: nothing is folded.',
      'Calls are shown with all details.',
      'true ',
      'finished',
    ]);
  });

  it('leaves an agent running that was started before, and refuses one whose events it cannot see', async () => {
    const terminal = fakeTerminal([() => 'hello']);
    const options = { model: scriptedModel(['Hi.', 'Hi.']), policy: allowAll(), telemetry: false };
    const seen = await createAgent({ ...options, hooks: [terminal.hook] }).start();
    await interactiveLoop(seen, { terminal });
    expect(terminal.shown).toEqual(['> ', 'end', '> ', 'finished']);
    expect((await seen.chat('hello')).stopReason).toBe('end');
    await seen.stop();
    const unseen = await createAgent(options).start();
    await expect(interactiveLoop(unseen, { terminal })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('pass the agent before start()') as string,
    });
    await unseen.stop();
  });
});
