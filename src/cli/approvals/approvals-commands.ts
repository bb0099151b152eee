/** The `bridle approvals` commands: rows of the table of commands. */

import { type CommandGroup, type CommandRow, type Flag, jsonFlag, storeFlags } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';

const common: readonly Flag[] = [...storeFlags, jsonFlag];

const answerFlags: readonly Flag[] = [
  ['--as <name>', 'the approver whose key signs the answer (default: the only key on this machine)'],
  ['--remember <span>', 'remember the answer for: turn, session, or a duration such as 30m, 2h, 7d'],
  ['--digest <start>', 'answer only if the digest in "bridle approvals show" starts with this (at least 8 hex digits)'],
  ['--yes', 'send the answer without asking for confirmation'],
];

const answerRow = {
  usage: '<id>',
  exitCodes: {
    0: 'answer accepted',
    1: 'not accepted: already answered, expired, or you did not confirm',
    2: 'wrong usage, no such approval or key',
    3: 'not allowed: you may not answer this approval, or this process may not answer at all',
  },
  forPeople: true,
  refusedCode: exitCodes.refused,
} satisfies Partial<CommandRow>;

export const approvalsCommands: CommandGroup = {
  summary: 'list, show and answer approvals that agents wait for; make a key to sign answers',
  commands: {
    list: {
      summary: 'list pending approvals, newest first',
      options: [
        ['--all', 'include settled approvals'],
        ['--state <state>', 'only pending, approved, denied, expired, cancelled, void or used'],
        ['--session <id>', 'only approvals of this session'],
        ['--run <id>', 'only approvals of this run'],
        ['--limit <n>', 'show at most this many (default: 100)'],
        ...common,
      ],
      examples: ['bridle approvals list', 'bridle approvals list --all --run orders-17 --json'],
      exitCodes: { 0: 'listed', 2: 'wrong usage, or no such store' },
      load: async () => (await import('./show-commands.ts')).listApprovals,
    },
    show: {
      usage: '<id>',
      summary: 'show one approval in full: the call, who asks, who may answer, what happened to it',
      options: common,
      details: 'ID is the whole id or an unambiguous prefix. Invisible characters are escaped.',
      examples: ['bridle approvals show 1f3c'],
      exitCodes: { 0: 'shown', 2: 'no such approval' },
      load: async () => (await import('./show-commands.ts')).showApproval,
    },
    approve: {
      ...answerRow,
      summary: 'allow the call to run once, exactly as shown',
      options: [
        ['--args <json>', 'run it with these args instead; they are validated and decided like any call'],
        ['--rule', 'with --remember: remember the proposed rule, not only this call'],
        ...answerFlags,
        ...common,
      ],
      details: `Shows the call, asks for confirmation, and signs the answer with your key (make one: npx bridle approvals key NAME).
Processes started by an agent can't answer. Without a terminal, look at the call with npx bridle approvals show, then
add --yes.`,
      examples: [
        'bridle approvals approve 1f3c',
        'bridle approvals approve 1f3c --remember 2h --rule',
        `bridle approvals approve 1f3c --args '{"command_line": "npm test -- --bail"}'`,
      ],
      load: async () => (await import('./answer-command.ts')).approveCommand,
    },
    deny: {
      ...answerRow,
      summary: 'refuse the call',
      options: [['--reason <text>', 'why; the model sees this text'], ...answerFlags, ...common],
      examples: [
        'bridle approvals deny 1f3c --reason "Not on a Friday"',
        'bridle approvals deny 1f3c --remember session --yes',
      ],
      load: async () => (await import('./answer-command.ts')).denyCommand,
    },
    watch: {
      summary: 'answer pending approvals as they arrive, from a list (Ctrl-C to stop)',
      options: [
        ['--as <name>', 'the approver whose key signs the answers (default: the only key on this machine)'],
        [
          '--notify <how>',
          'announce new approvals: bell (rings the terminal) or desktop (a notification of the terminal)',
        ],
        ...common,
      ],
      details: `Choose an approval with the arrow keys, then press y (approve once), a (always, for the session), e (edit), n (deny)
or N (deny with a reason). The passphrase of your key is asked for once. Without a terminal, or with --json, it prints
a line for each change instead.`,
      examples: ['bridle approvals watch', 'bridle approvals watch --json | your-bot'],
      exitCodes: {
        0: 'closed with q or Ctrl-D',
        2: 'wrong usage, no such store or key',
        130: 'stopped with Ctrl-C',
        141: 'output closed by the reader',
      },
      load: async () => (await import('./watch-command.ts')).watchApprovals,
    },
    key: {
      usage: '[name]',
      summary: 'make a key to sign answers with, and trust it on this machine; without a name, list the keys',
      options: [
        ['--no-passphrase', 'make the key without a passphrase; any process of your user can then use it'],
        ...common,
      ],
      details: `The private key is stored in ~/.bridle/keys, readable only by you. If agents run on another machine, copy
~/.bridle/keys/approvers/NAME.pub into the same folder there.`,
      examples: ['bridle approvals key ann', 'bridle approvals key'],
      exitCodes: {
        0: 'made or listed',
        2: 'the name is taken, or there is no terminal to ask for a passphrase',
        3: 'not allowed from this process',
      },
      refusedCode: exitCodes.refused,
      load: async () => (await import('./key-command.ts')).makeOrListKeys,
    },
  },
};
