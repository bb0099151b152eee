/** The command line: what can be said, and what is answered to what cannot. */

import { type Command, CommanderError, Command as NewCommand } from 'commander';
import { BridleError } from '../kernel/errors.ts';
import type { ChatFlags, ProgramContext } from './chat/chat-settings.ts';
import { exitCodes } from './exit/exit-codes.ts';
import { addPolicyCommands } from './policy/policy-commands.ts';
import { problemText } from './output/problem-text.ts';
import { addStoreCommands } from './store-commands.ts';
import type { Streams } from '../terminal/output/streams.ts';

const chatHelp = `
Without a terminal at both ends, prompts are read line by line, output is plain, and every question is answered no.

Exit codes: 0 fine · 1 a turn failed or was stopped · 2 wrong usage · 3 a call was refused · 130 cancelled`;

/** Runs what `argv` asks for. */
export async function runCommandLine(
  argv: readonly string[],
  streams: Streams,
  surroundings: ProgramContext,
): Promise<number> {
  let code: number = exitCodes.ok;
  const program = describe(surroundings.version, async (options) => {
    const [{ readSettings }, { chat }] = await Promise.all([
      import('./chat/chat-settings.ts'),
      import('./chat/chat-command.ts'),
    ]);
    code = await chat(readSettings(options, surroundings), streams);
  });
  const scene = { streams, env: surroundings.env };
  addPolicyCommands(program, { ...scene, hasDoubleDash: argv.includes('--') }, (ended) => (code = ended));
  addStoreCommands(program, scene, (ended) => (code = ended));
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
    .description('talk with an agent in the current folder; tool calls pass a policy, and you are asked')
    .option('-p, --prompt <text>', 'one turn with this prompt, then the end; - reads it from stdin')
    .option('--model <name>', 'bridle/planner, anthropic/<id>, openai/<id>… (default: bridle/planner)')
    .option(
      '--policy <file>',
      'a policy file, or a .mjs module that exports rules (default: bridle.yaml in the folder, else the safe defaults)',
    )
    .option('--yes-to <tier>', 'answer questions about calls of this tier with yes; only "observe"')
    .option('--json', 'every event as a line of JSON, and a result after each turn')
    .option('--cwd <dir>', 'the folder to work in (default: the current one)')
    .option('--session <id>', 'keep the session under this name, or go on with it')
    .option('--sessions <dir>', 'keep the session as a file in this folder (default: in the store)')
    .option(
      '--store <path|url>',
      'where decisions, approvals and sessions are kept, or "none" (default: .bridle/store.db)',
    )
    .option('--max-cost <usd>', 'US dollars the session may cost')
    .option('--max-steps <n>', 'model calls a turn may make')
    .addHelpText('after', chatHelp)
    .action(onChat);
  return program;
}
