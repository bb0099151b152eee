/** Registers the policy commands (`check`, `explain`, `lint`, …) with their arguments and options. */

import type { Command } from 'commander';
import { policyHelp } from './policy-help.ts';
import { storeFlags } from '../options/store-flags.ts';
import type { PolicyCommandName, PolicyInvocation, PolicyCommandContext } from './run-policy-command.ts';

type Flag = readonly [flags: string, summary: string];

const cwd: Flag = ['--cwd <folder>', 'the folder the calls run in (default: the current folder)'];
const json: Flag = ['--json', 'print JSON'];
const policy: Flag = ['--policy <file>', 'the policy (default: bridle.yaml, .yml or .json in the folder)'];
const call: readonly Flag[] = [
  ['--tool <name>', 'decide one call of this tool (or server/tool)'],
  ['--server <name>', 'the MCP server of that tool'],
  ['--args <json>', 'the args of that call'],
];

const commands: Readonly<Record<PolicyCommandName, { readonly usage: string; readonly flags: readonly Flag[] }>> = {
  init: {
    usage: '',
    flags: [
      ['--preset <name>', 'strict, balanced or trusting (default: balanced)'],
      ['--force', 'overwrite an existing policy'],
      ['--stdout', 'print the policy instead of writing it'],
      ['--cwd <folder>', 'the folder to write the policy for (default: the current folder)'],
      json,
    ],
  },
  trust: {
    usage: '[file]',
    flags: [
      ['--yes', 'trust the file without asking'],
      ['--list', 'list the trusted files'],
      ['--remove', 'stop trusting the file'],
      ['--cwd <folder>', 'where to look for the policy if no file is given (default: the current folder)'],
      json,
    ],
  },
  check: { usage: '[calls]', flags: [policy, cwd, ...call, json] },
  explain: { usage: '[call...]', flags: [policy, cwd, ...call, json] },
  lint: { usage: '', flags: [policy, cwd, ['--strict', 'show notes and count them as findings'], json] },
  test: { usage: '', flags: [policy, cwd, json] },
  diff: { usage: '<old> <new>', flags: [cwd, json] },
  replay: {
    usage: '[journal]',
    flags: [policy, cwd, ...storeFlags, ['--strict', "count calls that can't be compared as changes"], json],
  },
};

/** Adds the commands to the program; `done` receives the exit code. */
export function addPolicyCommands(program: Command, context: PolicyCommandContext, done: (code: number) => void): void {
  for (const [name, { usage, flags }] of Object.entries(commands)) {
    const { summary, details } = policyHelp[name as PolicyCommandName];
    const command = program.command(`${name} ${usage}`.trim()).description(summary);
    for (const [flag, text] of flags) command.option(flag, text);
    if (name === 'explain')
      command.showHelpAfterError("(see --help; put a command line after --: bridle explain -- 'ls -la')");
    command.addHelpText('after', `\n${details}`).action(async (...given: readonly unknown[]) => {
      const { runPolicyCommand } = await import('./run-policy-command.ts');
      const invocation = {
        positionals: command.args,
        options: given.at(-2) as PolicyInvocation['options'],
        context,
      };
      done(await runPolicyCommand(name as PolicyCommandName, invocation));
    });
  }
}
