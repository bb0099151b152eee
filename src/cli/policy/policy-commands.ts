/** The commands about policies, as the command line knows them: what each takes, and what `--help` says of it. */

import type { Command } from 'commander';
import { policyHelp } from './policy-help.ts';
import { storeFlags } from '../options/store-flags.ts';
import type { PolicyCommandName, PolicyInvocation, PolicyCommandContext } from './run-policy-command.ts';

type Flag = readonly [flags: string, does: string];

const cwd: Flag = ['--cwd <dir>', 'the folder calls are made in (default: the current one)'];
const json: Flag = ['--json', 'answer in JSON'];
const policy: Flag = ['--policy <file>', 'the policy (default: bridle.yaml, .yml or .json in the folder)'];
const call: readonly Flag[] = [
  ['--tool <name>', 'ask about one call of this tool, or server/tool'],
  ['--server <name>', 'the MCP server of that tool'],
  ['--args <json>', 'the args of that call'],
];

const commands: Readonly<Record<PolicyCommandName, { readonly takes: string; readonly flags: readonly Flag[] }>> = {
  init: {
    takes: '',
    flags: [
      ['--preset <name>', 'strict, balanced or trusting (default: balanced)'],
      ['--force', 'write over a policy that is there'],
      ['--stdout', 'print the policy, write nothing'],
      ['--cwd <dir>', 'the folder to write it for (default: the current one)'],
      json,
    ],
  },
  trust: {
    takes: '[file]',
    flags: [
      ['--yes', 'trust it without a question'],
      ['--list', 'the files that are trusted'],
      ['--remove', 'trust this file no longer'],
      ['--cwd <dir>', 'the folder the file is looked for in, if it is not named (default: the current one)'],
      json,
    ],
  },
  check: { takes: '[calls]', flags: [policy, cwd, ...call, json] },
  explain: { takes: '[call...]', flags: [policy, cwd, ...call, json] },
  lint: { takes: '', flags: [policy, cwd, ['--strict', 'show notes, too, and count them as findings'], json] },
  test: { takes: '', flags: [policy, cwd, json] },
  diff: { takes: '<old> <new>', flags: [cwd, json] },
  replay: {
    takes: '[journal]',
    flags: [policy, cwd, ...storeFlags, ['--strict', 'calls that cannot be compared count as changes'], json],
  },
};

/** Adds them to the program; `done` takes the exit code of the one that ran. */
export function addPolicyCommands(program: Command, scene: PolicyCommandContext, done: (code: number) => void): void {
  for (const [name, { takes, flags }] of Object.entries(commands)) {
    const { does, more } = policyHelp[name as PolicyCommandName];
    const command = program.command(`${name} ${takes}`.trim()).description(does);
    for (const [named, text] of flags) command.option(named, text);
    if (name === 'explain')
      command.showHelpAfterError("(see --help; a command line goes after --: bridle explain -- 'ls -la')");
    command.addHelpText('after', `\n${more}`).action(async (...given: readonly unknown[]) => {
      const { runPolicyCommand } = await import('./run-policy-command.ts');
      const run = { words: command.args, options: given.at(-2) as PolicyInvocation['options'], scene };
      done(await runPolicyCommand(name as PolicyCommandName, run));
    });
  }
}
