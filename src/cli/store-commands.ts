/** Registers the store commands (`approvals`, `journal`, `runs`, `worker`). Each command's code is loaded when it runs. */

import type { Command } from 'commander';
import { BridleError } from '../kernel/errors.ts';
import { refuseAgents } from './approvals/refuse-agents.ts';
import { approvalsCommands } from './approvals/approvals-commands.ts';
import { exitCodes } from './exit/exit-codes.ts';
import { journalCommands } from './journal/journal-commands.ts';
import { problemJson, problemText } from './output/problem-text.ts';
import { runsCommands } from './runs/runs-commands.ts';
import type { Flag, StoreCommand, StoreGroup, StoreInvocation, CliContext } from './options/store-command.ts';
import { storeFlags } from './options/store-flags.ts';
import { writeTo } from '../files/blocking-io.ts';
import { workerCommand } from './runs/worker-help.ts';

/** One row per word after `bridle`: a command, or a group of commands. */
const table: Readonly<Record<string, StoreCommand | StoreGroup>> = {
  approvals: approvalsCommands,
  journal: journalCommands,
  runs: runsCommands,
  worker: workerCommand,
};

const commonFlags: readonly Flag[] = [...storeFlags, ['--json', 'print JSON']];

const [stdout, stderr] = [1, 2];

/** Adds the commands to the program; `done` receives the exit code. */
export function addStoreCommands(program: Command, context: CliContext, done: (code: number) => void): void {
  const add = (parent: Command, name: string, row: StoreCommand): void => {
    const command = parent.command(`${name} ${row.usage ?? ''}`.trim()).description(row.summary);
    for (const [flags, summary] of [...row.flags, ...commonFlags]) command.option(flags, summary);
    command.addHelpText('after', `\n${row.details}`).action(async (...given: readonly unknown[]) => {
      const options = given.at(-2) as StoreInvocation['options'];
      done(await runStoreCommand(row, { positionals: command.args, options, context }));
    });
  };
  for (const [name, row] of Object.entries(table)) {
    if ('load' in row) add(program, name, row);
    else {
      const group = program.command(name).description(row.summary);
      for (const [word, command] of Object.entries(row.commands)) add(group, word, command);
    }
  }
}

/** Returns the exit code. Usage and store errors are printed, not thrown. */
async function runStoreCommand(row: StoreCommand, invocation: StoreInvocation): Promise<number> {
  try {
    if (row.forPeople === true) refuseAgents(invocation.context.env);
    const command = await row.load();
    return await command(invocation as StoreInvocation<never>);
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    writeTo(stderr, problemText(error));
    if (invocation.options.json === true) writeTo(stdout, problemJson(error));
    return exitCodes.usage;
  }
}
