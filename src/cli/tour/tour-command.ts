/** `bridle tour`: plays a script of tool calls against the real guard. At a terminal, the person chooses the steps. */

import type { LoopHandles } from '../../agent/turn/agent-loop.ts';
import type { Approver } from '../../kernel/approval.ts';
import type { CallResult } from '../../kernel/guard/calls/call-result.ts';
import { type OpenTerminal, openTerminal } from '../../terminal/open-terminal.ts';
import { callLines, cardRows, questionText } from '../../terminal/output/call-card.ts';
import { fileChangeOf } from '../../terminal/output/file-change.ts';
import { type Paint, paintWith } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { Screen } from '../../terminal/output/screen.ts';
import { terminalOf } from '../../terminal/output/streams.ts';
import { TextRenderer } from '../../terminal/renderer/text-renderer.ts';
import type { Invocation } from '../command/command-row.ts';
import { type ExitCode, exitCodes } from '../command/exit-codes.ts';
import { Lifetime } from '../command/lifetime.ts';
import { TourProject } from './tour-project.ts';
import { tourSteps } from './tour-steps.ts';

export async function tourCommand(invocation: Invocation): Promise<ExitCode> {
  const lifetime = new Lifetime(invocation.streams);
  lifetime.onInterrupt(() => lifetime.end(exitCodes.cancelled));
  const project = new TourProject();
  try {
    await project.open();
    await new Tour(project, lifetime, invocation).run();
    return lifetime.codeAfter(exitCodes.ok);
  } finally {
    // Before it stops listening for Ctrl-C, which would leave the folder behind.
    await project.remove();
    lifetime.close();
  }
}

class Tour {
  private readonly terminal: OpenTerminal;
  private readonly paint: Paint;
  private readonly approver: Approver;
  private next = 0;

  constructor(
    private readonly project: TourProject,
    private readonly lifetime: Lifetime,
    private readonly invocation: Invocation,
  ) {
    const { streams, env } = invocation;
    const { stdin: input, stdout: output } = streams;
    const [isInteractive, cwd] = [terminalOf(streams) !== undefined, project.folder];
    const colours = isInteractive && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
    const screen = new Screen(output, paintWith(false));
    const hiddenEvents = new Set(['tool_asked'] as const);
    // In a pipe, calls go to standard output, too: they are what the tour shows.
    const piped = new TextRenderer({ answer: screen, notes: screen, hiddenEvents, layout: 'wrapped', cwd });
    this.paint = paintWith(colours);
    this.terminal = openTerminal({ input, output, cwd, colours, renderer: isInteractive ? undefined : piped });
    this.approver = isInteractive ? this.terminal.approver : scriptApprover(screen);
  }

  async run(): Promise<void> {
    const { project, terminal, lifetime, approver } = this;
    const loop = { name: 'tour', run: (handles: LoopHandles): Promise<string> => this.play(handles) };
    const agent = project.agent({ loop, hook: terminal.hook, approver });
    terminal.connect({
      onInterrupt: () => (lifetime.end(exitCodes.ok), 'leave'),
      onLine: () => false,
      onEvent: (event) => terminal.renderer.showEvent(event),
      problemOf: async (call) => (await agent.guard.policy.decide(call)).problem,
    });
    const play = async (index: number): Promise<void> => {
      project.prepare();
      this.next = index;
      const result = await agent.chat(String(index + 1), { signal: lifetime.signal });
      if (terminal.isInteractive && !lifetime.isOver) terminal.renderer.showOutcome({ type: 'result', result });
      this.next++;
    };
    await agent.start();
    try {
      this.greet();
      if (terminal.isInteractive) await this.playChosen(play);
      else for (const index of tourSteps.keys()) if (!lifetime.isOver) await play(index);
    } finally {
      terminal.close();
      await agent.stop();
      terminal.renderer.finish();
    }
  }

  private greet(): void {
    const { project, terminal, invocation } = this;
    this.say(this.paint('strong', `Bridle ${invocation.version}, a tour`));
    this.say('A script makes the calls, not a model. Everything that decides them is real.');
    terminal.renderer.showNote(`Project: ${project.folder}, removed at the end. Its bridle.yaml:`);
    this.say(project.read('bridle.yaml').replaceAll(/^/gm, '  '));
    if (project.store === undefined) this.say(`The journal is in memory: ${safeText(project.problem)}`);
    if (terminal.isInteractive) this.say(`\n${stepList()}`);
    else this.say('\nThere is no terminal, so the script plays all steps and answers each question.');
  }

  private async playChosen(play: (index: number) => Promise<void>): Promise<void> {
    const { terminal, lifetime } = this;
    const count = tourSteps.length;
    while (!lifetime.isOver) {
      const enter = this.next < count ? `Enter for ${this.next + 1}` : 'Enter to leave';
      const line = await terminal.readLine(`${enter}, 1-${count}, help, quit > `, lifetime.signal);
      const word = line?.trim().toLowerCase();
      const isNext = word === '' || word === 'next';
      if (word === undefined || word === 'quit' || word === 'q' || (isNext && this.next === count)) return;
      const index = isNext ? this.next : Number(word) - 1;
      if (word === 'help') this.say(stepList());
      else if (tourSteps[index] !== undefined) await terminal.whileRunning(() => play(index));
      else this.say(`The tour only understands 1 to ${count}, Enter, help and quit.`);
    }
  }

  private async play({ call, signal }: LoopHandles): Promise<string> {
    const { title = '', moves = [] } = tourSteps[this.next] ?? {};
    this.say(this.paint('accent', `${this.next + 1}. ${title}`));
    let last: CallResult | undefined;
    for (const [index, move] of moves.entries()) {
      if (signal.aborted) break;
      if (typeof move === 'string') this.say(move);
      else if (typeof move === 'function') this.say((await move(this.project, last)) ?? '');
      else [last] = await call([{ id: `tour-${index}`, ...move }]);
    }
    return '';
  }

  private say(text: string): void {
    if (text !== '') this.terminal.renderer.showReply(text);
  }
}

function stepList(): string {
  return tourSteps.map(({ title }, index) => `  ${index + 1}  ${title}`).join('\n');
}

/** Shows each question as the terminal would, and says yes. */
function scriptApprover(screen: Screen): Approver {
  const { paint, columns } = screen;
  return ({ call, shown, questions, paths }) => {
    const change = fileChangeOf({ ...call, paths });
    const asked = questions.map(({ text, rule, hook }) => `  ${questionText({ text, hook, rule: rule?.name })}`);
    const answered = [...asked, '  Answer: yes, by the script'].flatMap((text) => cardRows(text, paint, { columns }));
    for (const row of [...callLines(shown, paint, { change, columns }), ...answered]) screen.line(row);
    return { type: 'approve', by: 'the script' };
  };
}
