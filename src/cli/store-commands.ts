/** The commands about stores, as the command line knows them. What they do is loaded when one is run. */

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

/** One row per word: a command, or a group of them. */
const table: Readonly<Record<string, StoreCommand | StoreGroup>> = {
  approvals: approvalsCommands,
  journal: journalCommands,
  runs: runsCommands,
  worker: workerCommand,
};

const commonFlags: readonly Flag[] = [...storeFlags, ['--json', 'answer in JSON']];

const [stdout, stderr] = [1, 2];

/** Adds them to the program; `done` takes the exit code of the one that ran. */
export function addStoreCommands(program: Command, scene: CliContext, done: (code: number) => void): void {
  const add = (parent: Command, name: string, row: StoreCommand): void => {
    const command = parent.command(`${name} ${row.takes ?? ''}`.trim()).description(row.does);
    for (const [flags, does] of [...row.flags, ...commonFlags]) command.option(flags, does);
    command.addHelpText('after', `\n${row.more}`).action(async (...given: readonly unknown[]) => {
      done(
        await runStoreCommand(row, { words: command.args, options: given.at(-2) as StoreInvocation['options'], scene }),
      );
    });
  };
  for (const [name, row] of Object.entries(table)) {
    if ('load' in row) add(program, name, row);
    else {
      const group = program.command(name).description(row.does);
      for (const [word, command] of Object.entries(row.commands)) add(group, word, command);
    }
  }
}

/** The exit code. What is wrong with a store or an option is told, not thrown. */
async function runStoreCommand(row: StoreCommand, run: StoreInvocation): Promise<number> {
  try {
    if (row.forPeople === true) refuseAgents(run.scene.env);
    const command = await row.load();
    return await command(run as StoreInvocation<never>);
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    writeTo(stderr, problemText(error));
    if (run.options.json === true) writeTo(stdout, problemJson(error));
    return exitCodes.usage;
  }
}
