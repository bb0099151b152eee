import type { JsonValue } from '../../kernel/json.ts';
import { argsSchema, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

export const finishTool: BuiltinToolSpec = {
  name: 'finish',
  description: 'Ends the turn. Call it with the result when the task is done.',
  tier: 'observe',
  schema: argsSchema({ result: { description: 'The result of the task: text or data.' } }, []),
  aliases: { names: ['FINISH'] },
  grant: { timeoutMs: 10 * seconds, outputBytes: 1024 * kib },
};

export function finish({ result = null }: { readonly result?: JsonValue }): JsonValue {
  return result;
}
