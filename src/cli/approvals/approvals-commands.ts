/** `bridle approvals`: what each of its commands takes, and what `--help` says of it. */

import type { Flag, StoreGroup } from '../options/store-command.ts';

const answerFlags: readonly Flag[] = [
  ['--as <name>', 'whose key signs the answer (default: the only one there is)'],
  ['--remember <span>', 'let the answer count again: turn, session, or a time such as 30m, 2h, 7d'],
  ['--digest <start>', 'refuse if the approval has another digest than the one you have seen'],
  ['--yes', 'do not ask again before it is sent'],
];

const answerExitCodes =
  'Exit codes: 0 taken · 1 not taken: another was faster, it has expired, you said no · 2 wrong usage, no such approval or key · 3 you may not answer, or not from here';

export const approvalsCommands: StoreGroup = {
  does: 'questions of agents that wait for a person: see them, answer them, make a key to answer with',
  commands: {
    list: {
      does: 'approvals, the newest first: those that wait for an answer',
      flags: [
        ['--all', 'those that are settled, too'],
        ['--state <state>', 'only pending, approved, denied, expired, cancelled, void or used'],
        ['--session <id>', 'only those of this session'],
        ['--run <id>', 'only those of this run'],
        ['--limit <n>', 'at most so many (default: 100)'],
      ],
      more: `Examples:
  bridle approvals list
  bridle approvals list --all --run orders-17 --json

Exit codes: 0 fine · 2 wrong usage, or no such store`,
      load: async () => (await import('./list-command.ts')).listApprovals,
    },
    show: {
      takes: '<id>',
      does: 'one approval whole: the call, who asks, who may answer, what became of it',
      flags: [],
      more: `ID is the id, or as much of its beginning as no other has. Characters that cannot be seen are spelled out.

Examples:
  bridle approvals show 1f3c

Exit codes: 0 shown · 2 there is none`,
      load: async () => (await import('./show-command.ts')).showApproval,
    },
    approve: {
      takes: '<id>',
      does: 'let the call run, once and as it is shown; it is shown before you are asked',
      flags: [
        ['--args <json>', 'let it run with these args instead; they are checked and decided like any others'],
        ['--rule', 'with --remember: accept the rule that is proposed, not this call alone'],
        ...answerFlags,
      ],
      more: `An answer is signed with your key (bridle approvals key NAME makes one). It is refused in whatever an agent has
started. Without a terminal it needs --yes; look at the call with bridle approvals show first.

Examples:
  bridle approvals approve 1f3c
  bridle approvals approve 1f3c --remember 2h --rule
  bridle approvals approve 1f3c --args '{"command_line": "npm test -- --bail"}'

${answerExitCodes}`,
      load: async () => (await import('./answer-command.ts')).approveCommand,
    },
    deny: {
      takes: '<id>',
      does: 'let the call not run',
      flags: [['--reason <text>', 'why not; the model is told'], ...answerFlags],
      more: `Examples:
  bridle approvals deny 1f3c --reason "Not on a Friday"
  bridle approvals deny 1f3c --remember session --yes

${answerExitCodes}`,
      load: async () => (await import('./answer-command.ts')).denyCommand,
    },
    watch: {
      does: 'those that wait, and whatever changes, until Ctrl-C',
      flags: [],
      more: `Examples:
  bridle approvals watch
  bridle approvals watch --json | your-bot

Exit codes: 2 no such store · 130 ended with Ctrl-C · 141 nobody reads the output any more`,
      load: async () => (await import('./watch-command.ts')).watchApprovals,
    },
    key: {
      takes: '[name]',
      does: 'make a key to answer with, which is trusted on this machine; without a name, list those there are',
      flags: [['--no-passphrase', 'make it without one; whatever runs under your user can use it then']],
      more: `The private key is kept in ~/.bridle/keys, for you alone. Where agents ask on another machine, copy
~/.bridle/keys/approvers/NAME.pub there, into the same folder.

Examples:
  bridle approvals key ann
  bridle approvals key

Exit codes: 0 made, listed · 2 there is one of that name, or no terminal to be asked at · 3 not from here`,
      load: async () => (await import('./key-command.ts')).makeOrListKeys,
    },
  },
};
