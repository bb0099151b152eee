/** The commands about coding agents: rows of the table of commands. */

import { type CommandRow, type Flag, jsonFlag } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';

const hostArgument = '<host>';
const usageHint = '(name a coding agent: claude, codex, gemini, copilot or opencode; see --help)';
const hostDetails = 'HOST is claude, codex, gemini, copilot or opencode.';
const dryRun: Flag = ['--dry-run', 'show the changes without making them'];
const yes: Flag = ['--yes', 'do not ask before changing files'];
const cwd: Flag = ['--cwd <folder>', 'the project folder (default: the current folder)'];

export const hostsCommands: Readonly<Record<string, CommandRow>> = {
  install: {
    usage: hostArgument,
    summary: 'install the hook of a coding agent, so that the policy decides its tool calls',
    options: [
      ['--level <level>', 'user, project or managed (default: user)'],
      ['--observe', 'record decisions, but never block a call'],
      ['--limit <seconds>', 'how long the coding agent waits for an answer (default: 60)'],
      dryRun,
      ['--verbose', 'show the complete change of the settings file'],
      yes,
      cwd,
      jsonFlag,
    ],
    details: `${hostDetails} The managed level applies to all users of the machine and needs root. It is the
only level that survives a repository that switches hooks off. The command shows the change of the settings file, asks,
and keeps a backup.`,
    examples: [
      'bridle install claude',
      'bridle install codex --observe',
      'bridle install gemini --level project --dry-run',
      'sudo bridle install copilot --level managed',
    ],
    exitCodes: {
      0: 'installed, already installed, or shown',
      1: 'you answered no, or Codex does not trust the hook yet',
      2: 'wrong usage, a settings file with a mistake, or an agent started this process',
    },
    usageHint,
    forPeople: true,
    refusedCode: exitCodes.usage,
    load: async () => (await import('./install-command.ts')).installCommand,
  },
  uninstall: {
    usage: hostArgument,
    summary: 'remove the hook of a coding agent',
    options: [['--level <level>', 'user, project or managed (default: all of them)'], dryRun, yes, cwd, jsonFlag],
    details: `${hostDetails} A settings file that nobody has changed since gets its old content back.`,
    examples: ['bridle uninstall claude', 'bridle uninstall codex --level user --dry-run'],
    exitCodes: {
      0: 'removed, or shown',
      1: 'you answered no, or no hook was installed',
      2: 'wrong usage, a settings file with a mistake, or an agent started this process',
    },
    usageHint,
    forPeople: true,
    refusedCode: exitCodes.usage,
    load: async () => (await import('./uninstall-command.ts')).uninstallCommand,
  },
  doctor: {
    summary: 'check the hooks of the coding agents on this machine, and list what they cannot enforce',
    options: [
      ['--verbose', 'also show what each coding agent cannot enforce, and how to remove the hook'],
      cwd,
      jsonFlag,
    ],
    details: 'A hook without problems takes one line.',
    examples: ['bridle doctor', 'bridle doctor --verbose', 'bridle doctor --json'],
    exitCodes: { 0: 'nothing is wrong', 1: 'a hook does not work, or nothing is installed', 2: 'wrong usage' },
    load: async () => (await import('./doctor-command.ts')).doctorCommand,
  },
  hook: {
    usage: '[host]',
    summary: 'answer one event of a coding agent: its payload comes from stdin; installed hooks run this',
    options: [
      ['--limit <seconds>', 'the time limit of the coding agent (default: 60)'],
      ['--observe', 'record decisions, but never block a call'],
      ['--installed <version>', 'the version of the coding agent, if the payload does not contain it'],
      ['--home <folder>', "the folder with Bridle's keys, trust and cache (default: BRIDLE_HOME, else ~/.bridle)"],
    ],
    details: `The payload shows which coding agent sent it; HOST is only used in messages. The answer has the format of that
coding agent. If anything goes wrong, the answer blocks the call. Without the wrapper that bridle install writes, a call runs if
this process is killed or too slow.`,
    examples: ['bridle hook claude < payload.json'],
    exitCodes: { 0: 'answered on stdout', 2: 'blocked; the reason is on stderr' },
    load: async () => (await import('./hook-command.ts')).hookCommand,
  },
};
