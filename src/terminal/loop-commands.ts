/** The slash commands of an interactive loop: what one is, and those that every loop has. */

import type { Agent } from '../agent/agent.ts';
import type { AgentSession } from '../agent/session/agent-session.ts';
import type { OpenTerminal } from './open-terminal.ts';

/** A command that a person types: `/name rest`. */
export interface SlashCommand {
  /** As the help shows it: `/export [file]`. */
  readonly usage: string;
  readonly summary: string;
  /** Returns the text to show. `rest` is the text after the name, trimmed. */
  readonly run: (loop: LoopControl, rest: string) => string | Promise<string>;
}

/** What slash commands can read and change. */
export interface LoopControl {
  readonly agent: Agent;
  readonly terminal: OpenTerminal;
  /** The session of the next turn. A command can replace it by another session of the agent. */
  session: AgentSession;
  /** Does what Ctrl-C does, for a signal that arrives outside of the keyboard. */
  interrupt(): void;
  /** Ends the loop after the running command. */
  end(): void;
}

/** The commands of a program, and those that every loop has. */
export function allCommands(own: Readonly<Record<string, SlashCommand>>): ReadonlyMap<string, SlashCommand> {
  const commands = new Map<string, SlashCommand>();
  const help: SlashCommand = {
    usage: '/help',
    summary: 'shows this list',
    run: () => helpText([...commands.values()]),
  };
  for (const [name, command] of Object.entries({ help, ...own, ...loopCommands })) commands.set(name, command);
  return commands;
}

function helpText(commands: readonly SlashCommand[]): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length));
  return [
    'Type what the agent should do, or:',
    ...commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    'Keys: Tab completes, @ names a file, Ctrl-R searches earlier prompts, Ctrl-O opens folded lines, Alt-Enter starts a new line.',
    'Ctrl-C cancels the running turn; a second Ctrl-C, or Ctrl-D, ends the session.',
  ].join('\n');
}

const loopCommands: Readonly<Record<string, SlashCommand>> = {
  details: {
    usage: '/details',
    summary: 'shows rules, args and times of calls, or hides them again',
    run: ({ terminal: { renderer } }) => {
      if (renderer.details === undefined) return 'This output always has all details.';
      renderer.details = !renderer.details;
      return renderer.details ? 'Calls are shown with all details.' : 'Calls are shown on one line each.';
    },
  },
  cancel: {
    usage: '/cancel',
    summary: 'cancels the running turn, like Ctrl-C',
    run: () => 'No turn is running.',
  },
  quit: {
    usage: '/quit',
    summary: 'ends the session, like Ctrl-D',
    run: (loop) => {
      loop.end();
      return '';
    },
  },
};
