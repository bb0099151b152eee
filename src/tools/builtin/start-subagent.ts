import { argsSchema, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

/** Only the specification: the agent runtime starts subagents. */
export const startSubagentTool: BuiltinToolSpec = {
  name: 'start_subagent',
  description:
    'Gives a task to another agent and waits for its answer. It does not see this conversation: put everything it needs ' +
    'into the prompt.',
  tier: 'confirm',
  touches: {},
  schema: argsSchema(
    {
      agent: { type: 'string', minLength: 1, description: 'The name of the agent.' },
      prompt: { type: 'string', minLength: 1, description: 'The task, complete in itself.' },
    },
    ['agent', 'prompt'],
  ),
  aliases: { names: ['START_SUBAGENT'] },
  grant: { timeoutMs: 3600 * seconds, outputBytes: 256 * kib },
};
