/** Parses the command line with the table of commands, runs the command, and prints its report or its error. */

import { type Command, CommanderError, Command as NewCommand } from 'commander';
import { BridleError } from '../kernel/errors.ts';
import { writeReport } from './command/command-report.ts';
import type { CommandRow, Invocation } from './command/command-row.ts';
import { exitCodes } from './command/exit-codes.ts';
import { writeProblem } from './command/problem-text.ts';
import { refuseAgents } from './command/refuse-agents.ts';
import { commandTable } from './command-table.ts';
import type { Streams } from '../terminal/output/streams.ts';

const maxHelpColumns = 120;

/** Runs the command in `argv` and returns its exit code. */
export async function runCommandLine(
  argv: readonly string[],
  streams: Streams,
  { version, env }: Pick<Invocation, 'version' | 'env'>,
): Promise<number> {
  let code: number = exitCodes.ok;
  const context = { streams, env, version, hasDoubleDash: argv.includes('--') };
  const program = describeCommands(version, async (row, { args, opts }) => {
    code = await runCommand(row, { ...context, positionals: args, options: opts });
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
}

/** Errors that a person can correct are printed, not thrown. */
async function runCommand(row: CommandRow, invocation: Invocation): Promise<number> {
  const { options, env } = invocation;
  try {
    if (row.forPeople === true) refuseAgents(env);
    const run = await row.load();
    const result = await run(invocation as Invocation<never>);
    return typeof result === 'number' ? result : writeReport(result, invocation);
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    writeProblem(error, { cwd: options.cwd, json: options.json === true && row.jsonErrors !== false });
    return error.code === 'APPROVAL_REFUSED' ? (row.refusedCode ?? exitCodes.usage) : exitCodes.usage;
  }
}

interface ParsedCommand {
  readonly args: readonly string[];
  readonly opts: Invocation['options'];
}

function describeCommands(version: string, run: (row: CommandRow, parsed: ParsedCommand) => Promise<void>): Command {
  const program = new NewCommand('bridle')
    .description('Lifecycle hooks and policies for AI agents.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(see --help)');
  const add = (parent: Command, name: string, row: CommandRow): void => {
    const command = parent.command(`${name} ${row.usage ?? ''}`.trim()).description(row.summary);
    for (const [flags, summary] of row.options) command.option(flags, summary);
    if (row.usageHint !== undefined) command.showHelpAfterError(row.usageHint);
    command
      .addHelpText('after', `\n${helpAfterOptions(row)}`)
      .action(() => run(row, { args: command.args, opts: command.opts() }));
  };
  for (const [name, row] of Object.entries(commandTable)) {
    if ('load' in row) add(program, name, row);
    else {
      const group = program.command(name).description(row.summary);
      for (const [word, command] of Object.entries(row.commands)) add(group, word, command);
    }
  }
  return program;
}

function helpAfterOptions({ details, examples, exitCodes: codes }: CommandRow): string {
  const typed = examples?.map((example) => `\n  ${example}`).join('');
  const parts = [details, typed && `Examples:${typed}`, exitCodesText(codes)];
  return parts.filter((part) => part !== undefined).join('\n\n');
}

/** `Exit codes: 0 listed · 2 wrong usage`, in lines of limited length. */
function exitCodesText(codes: CommandRow['exitCodes']): string {
  const [first = '', ...others] = Object.entries(codes).map(([code, meaning]) => `${code} ${meaning}`);
  const lines = [`Exit codes: ${first}`];
  for (const each of others) {
    const last = lines.pop() ?? '';
    const joined = `${last} · ${each}`;
    lines.push(...(joined.length <= maxHelpColumns ? [joined] : [`${last} ·`, `  ${each}`]));
  }
  return lines.join('\n');
}
