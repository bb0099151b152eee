import type { JsonValue } from '../json.ts';
import { argsSchema, kib, seconds, type ToolDescription } from './tool-description.ts';

export const finishTool: ToolDescription = {
  name: 'finish',
  description: 'Ends the turn. Call it when the task is done, with what came of it.',
  tier: 'observe',
  schema: argsSchema({ result: { description: 'What came of the task: a text, or data.' } }, []),
  aliases: { names: ['FINISH'] },
  grant: { timeoutMs: 10 * seconds, outputBytes: 1024 * kib },
};

export function finish({ result = null }: { readonly result?: JsonValue }): JsonValue {
  return result;
}
