/** The commands about policies: rows of the table of commands. */

import { type CommandRow, type Flag, jsonFlag, storeFlags } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';

const cwd: Flag = ['--cwd <folder>', 'the folder the calls run in (default: the current folder)'];
const policy: Flag = ['--policy <file>', 'the policy (default: bridle.yaml, .yml or .json in the folder)'];
const call: readonly Flag[] = [
  ['--tool <name>', 'decide one call of this tool (or server/tool)'],
  ['--server <name>', 'the MCP server of that tool'],
  ['--args <json>', 'the args of that call'],
];

export const policyCommands: Readonly<Record<string, CommandRow>> = {
  init: {
    summary: 'write a starter policy for the folder, or a small project from a template',
    options: [
      ['--preset <name>', 'strict, balanced or trusting (default: balanced)'],
      ['--template <name>', 'write a project instead: agent, loop, hono, ci-bot or nextjs'],
      ['--force', 'overwrite existing files'],
      ['--stdout', 'print the policy instead of writing it'],
      [
        '--try-history',
        'show what the policy decides about your last commands (without it, a terminal asks you first)',
      ],
      ['--from-journal', 'also use the recorded calls of the store, and show what the policy would have decided'],
      ...storeFlags,
      ['--cwd <folder>', 'the folder to write the policy for (default: the current folder)'],
      jsonFlag,
    ],
    examples: [
      'bridle init',
      'bridle init --preset strict --stdout',
      'bridle init --from-journal --stdout',
      'bridle init --template agent',
    ],
    exitCodes: {
      0: 'written',
      2: "a file already exists or can't be written, or there are no recorded calls",
    },
    load: async () => (await import('./init-command.ts')).initCommand,
  },
  trust: {
    usage: '[file]',
    summary: 'trust a policy file; until then, a policy found in a folder can only make decisions stricter',
    options: [
      ['--yes', 'trust the file without asking'],
      ['--list', 'list the trusted files'],
      ['--remove', 'stop trusting the file'],
      ['--cwd <folder>', 'where to look for the policy if no file is given (default: the current folder)'],
      jsonFlag,
    ],
    details: 'FILE defaults to bridle.yaml, .yml or .json in the folder. Trust ends when the content changes.',
    examples: [
      'bridle trust',
      'bridle trust --yes ci/bridle.yaml',
      'bridle trust --list',
      'bridle trust --remove bridle.yaml',
    ],
    exitCodes: {
      0: 'trusted, listed or removed',
      1: 'you answered no, or there was no trust to remove',
      2: 'invalid policy, or an agent started this process',
    },
    refusedCode: exitCodes.usage,
    load: async () => (await import('./trust-command.ts')).trustCommand,
  },
  check: {
    usage: '[calls]',
    summary: 'decide calls from a file or stdin: one JSON object per line in, one decision per line out',
    options: [policy, cwd, ...call, jsonFlag],
    details: `CALLS is a file, or - for stdin (the default). Each line is a call:
  {"tool": "run_command", "args": {"command_line": "ls"}}   optional: "server", "cwd", "state"
Each answer is a decision:
  {"decision": "allow", "rule": "commands", "reason": "", "at": "bridle.yaml:12"}
Blank lines are skipped. An invalid line is denied; its answer has the line number and the error.`,
    examples: [
      'bridle check calls.jsonl',
      `bridle check --tool run_command --args '{"command_line": "git push --force"}'`,
      'agent-host | bridle check --policy team.yaml -',
    ],
    exitCodes: {
      0: 'all calls allowed',
      1: 'a call denied',
      2: 'no decision: invalid policy or input, or no calls',
      3: 'a call needs approval, none denied',
    },
    load: async () => (await import('./check/check-command.ts')).checkCommand,
  },
  explain: {
    usage: '[call...]',
    summary: 'show which rule decides a call, and the outcome of every other rule',
    options: [policy, cwd, ...call, jsonFlag],
    details: 'CALL is a tool and its args as JSON, a whole call as JSON, or a command line for run_command.',
    examples: [
      `bridle explain view_file '{"file_path": ".env"}'`,
      "bridle explain -- 'rm -rf /'",
      `bridle explain '{"tool": "view_file", "args": {"file_path": ".env"}}'`,
      `bridle explain --tool view_file --args '{"file_path": ".env"}' --json`,
    ],
    exitCodes: {
      0: 'allowed',
      1: 'denied',
      2: 'no decision: invalid policy or input, or no call',
      3: 'needs approval',
    },
    usageHint: "(see --help; put a command line after --: npx bridle explain -- 'ls -la')",
    load: async () => (await import('./explain/explain-command.ts')).explainCommand,
  },
  lint: {
    summary: 'find problems in a policy, each with an example call',
    options: [policy, cwd, ['--strict', 'show notes and count them as findings'], jsonFlag],
    examples: ['bridle lint', 'bridle lint --policy team.yaml --strict --json'],
    exitCodes: {
      0: "no findings (notes don't count)",
      1: 'errors or warnings; with --strict also notes',
      2: 'invalid policy',
    },
    load: async () => (await import('./lint-command.ts')).lintCommand,
  },
  test: {
    summary: 'run the tests in a policy file, and list the rules that no test reaches',
    options: [policy, cwd, ['--verbose', 'also list the tests that pass'], jsonFlag],
    examples: ['bridle test', 'bridle test --verbose', 'bridle test --policy team.yaml --json'],
    exitCodes: { 0: 'all tests pass', 1: 'a test fails', 2: 'invalid policy, or no tests in it' },
    load: async () => (await import('./test-command.ts')).testCommand,
  },
  diff: {
    usage: '<old> <new>',
    summary: 'list calls that two policies decide differently',
    options: [cwd, jsonFlag],
    examples: [
      'bridle diff old.yaml bridle.yaml',
      'git show main:bridle.yaml > old.yaml && bridle diff old.yaml bridle.yaml',
    ],
    exitCodes: { 0: 'no differences', 1: 'differences', 2: 'an invalid policy, or the same file twice' },
    load: async () => (await import('./diff-command.ts')).diffCommand,
  },
  replay: {
    usage: '[journal]',
    summary: 'decide recorded calls again: what would change, and which rules are used',
    options: [policy, cwd, ...storeFlags, ['--strict', "count calls that can't be compared as changes"], jsonFlag],
    details: 'JOURNAL is an exported journal (JSON lines), or - for stdin. Default: the journal of the store.',
    examples: [
      'bridle replay journal.jsonl',
      'bridle replay --store .bridle/store.db',
      'bridle replay journal.jsonl --policy next.yaml --json',
    ],
    exitCodes: {
      0: 'no decision changes',
      1: "a decision changes; with --strict also if a call can't be compared",
      2: 'invalid policy or journal, or no calls to compare',
    },
    load: async () => (await import('./replay-command.ts')).replayCommand,
  },
};
