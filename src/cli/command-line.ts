/** Parses the command line and runs the command; the policy and store commands register themselves. */

import { type Command, CommanderError, Command as NewCommand } from 'commander';
import { BridleError } from '../kernel/errors.ts';
import type { ChatFlags, ProgramContext } from './chat/chat-settings.ts';
import { exitCodes } from './exit/exit-codes.ts';
import { addPolicyCommands } from './policy/policy-commands.ts';
import { problemText } from './output/problem-text.ts';
import { addStoreCommands } from './store-commands.ts';
import type { Streams } from '../terminal/output/streams.ts';

const chatHelp = `
If stdin or stdout is not a terminal, each line of stdin is a prompt, output is plain text, and calls that need
approval are denied.

Exit codes: 0 done · 1 a turn failed or was stopped · 2 wrong usage · 3 a call was refused · 130 cancelled`;

/** Runs the command in `argv` and returns its exit code. */
export async function runCommandLine(
  argv: readonly string[],
  streams: Streams,
  programContext: ProgramContext,
): Promise<number> {
  let code: number = exitCodes.ok;
  const program = describe(programContext.version, async (options) => {
    const [{ readSettings }, { chat }] = await Promise.all([
      import('./chat/chat-settings.ts'),
      import('./chat/chat-command.ts'),
    ]);
    code = await chat(readSettings(options, programContext), streams);
  });
  const context = { streams, env: programContext.env };
  addPolicyCommands(program, { ...context, hasDoubleDash: argv.includes('--') }, (ended) => (code = ended));
  addStoreCommands(program, context, (ended) => (code = ended));
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (!(error instanceof BridleError)) throw error;
    streams.stderr.write(problemText(error));
    return exitCodes.usage;
  }
}

function describe(version: string, onChat: (options: ChatFlags) => Promise<void>): Command {
  const program = new NewCommand('bridle')
    .description('Lifecycle hooks and policies for AI agents.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(see --help)');
  program
    .command('chat')
    .description('chat with an agent in the current folder; a policy decides its tool calls, or asks you')
    .option('-p, --prompt <text>', 'run one turn with this prompt, then exit; - reads the prompt from stdin')
    .option('--model <name>', 'the model: bridle/planner, anthropic/<id>, openai/<id>, … (default: bridle/planner)')
    .option(
      '--policy <file>',
      'a policy file, or a .mjs module that exports rules (default: bridle.yaml in the folder, else the safe defaults)',
    )
    .option('--yes-to <tier>', 'do not ask about tools that have no side effects (the only value is "observe")')
    .option('--json', 'print every event as a line of JSON, and a result after each turn')
    .option('--cwd <folder>', 'the folder to work in (default: the current folder)')
    .option('--session <id>', 'save the session under this name, or continue it if it exists')
    .option('--sessions <folder>', 'save the session as a file in this folder (default: in the store)')
    .option(
      '--store <path|url>',
      'the store for decisions, approvals and sessions, or "none" (default: BRIDLE_STORE, else .bridle/store.db in the folder)',
    )
    .option('--max-cost <usd>', 'stop the session at this cost, in US dollars')
    .option('--max-steps <n>', 'stop a turn after this many model calls (default: 100)')
    .addHelpText('after', chatHelp)
    .action(onChat);
  return program;
}
