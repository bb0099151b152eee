/**
 * The table of commands: one row per command, in the order of `bridle --help`. A new command is a row here or in the rows
 * of its family, and the file that its row loads.
 */

import { approvalsCommands } from './approvals/approvals-commands.ts';
import type { CommandGroup, CommandRow } from './command/command-row.ts';
import { hostsCommands } from './hosts/hosts-commands.ts';
import { journalCommands } from './journal/journal-commands.ts';
import { policyCommands } from './policy/policy-commands.ts';
import { runsCommands, workerCommand } from './runs/runs-commands.ts';

const chatCommand: CommandRow = {
  summary: 'chat with an agent in the current folder; a policy decides its tool calls, or asks you',
  options: [
    ['-p, --prompt <text>', 'run one turn with this prompt, then exit; - reads the prompt from stdin'],
    ['--model <name>', 'the model: anthropic/<id>, openai/<id>, google/<id>, … (needed, except with --agent)'],
    [
      '--policy <file>',
      'a policy file, or a .mjs module that exports rules (default: bridle.yaml in the folder, else the safe defaults)',
    ],
    ['--yes-to <tier>', 'do not ask about tools that have no side effects (the only value is "observe")'],
    ['--json', 'print every event as a line of JSON, and a result after each turn'],
    ['--cwd <folder>', 'the folder to work in (default: the current folder)'],
    ['--continue', 'continue the last session of this folder'],
    ['--session <id>', 'save the session under this name, or continue it if it exists (default: a new name)'],
    ['--sessions <folder>', 'save the session as a file in this folder (default: in the store)'],
    [
      '--store <path|url>',
      'the store for decisions, approvals and sessions, or "none" (default: BRIDLE_STORE, else .bridle/store.db in the folder)',
    ],
    ['--accept <what>', 'accept edits of files in the folder without asking (the only value is "edits")'],
    ['--agent <file>', 'a module (.mjs) whose default export is agent options, or a function that returns them'],
    ['--mcp <file...>', 'JSON files with "mcpServers"; their tools are added'],
    ['--hook <file...>', 'modules (.mjs) whose default export is a hook, or a list of hooks'],
    ['--verbose', 'show internals: rule names, token counts, full args'],
    ['--max-cost <usd>', 'stop the session at this cost, in US dollars'],
    ['--max-steps <n>', 'stop a turn after this many model calls (default: 100)'],
  ],
  details: `If stdin or stdout is not a terminal, each line of stdin is a prompt, output is plain text, and calls that need
approval are denied.`,
  exitCodes: {
    0: 'done',
    1: 'a turn failed or was stopped',
    2: 'wrong usage',
    3: 'a call was refused',
    130: 'cancelled',
  },
  jsonErrors: false,
  load: async () => (await import('./chat/chat-command.ts')).chatCommand,
};

const tourCommand: CommandRow = {
  summary: 'show what Bridle does, with a script of tool calls in a temporary folder; needs no model',
  options: [],
  details: `At a terminal, you choose the steps and answer the questions. Without one, the tour plays by itself.`,
  exitCodes: { 0: 'done', 2: 'wrong usage', 130: 'cancelled' },
  load: async () => (await import('./tour/tour-command.ts')).tourCommand,
};

/** By the word after `bridle`. */
export const commandTable: Readonly<Record<string, CommandRow | CommandGroup>> = {
  tour: tourCommand,
  chat: chatCommand,
  ...policyCommands,
  ...hostsCommands,
  approvals: approvalsCommands,
  journal: journalCommands,
  runs: runsCommands,
  worker: workerCommand,
};
