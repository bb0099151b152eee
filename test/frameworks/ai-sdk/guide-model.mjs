import * as doubles from 'ai/test';
import { nextAnswer } from '../../../guide-script.mjs';

const Model = doubles.MockLanguageModelV4 ?? doubles.MockLanguageModelV3;

/** The model of the guide, with a script instead of a provider. */
export const model = new Model({
  async doGenerate({ prompt }) {
    const parts = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []));
    const asked = prompt.findLast(({ role }) => role === 'user').content[0].text;
    const { text, toolCalls = [] } = nextAnswer(
      asked,
      parts.map(({ output }) => String(output.value)),
    );
    const calls = toolCalls.map(({ id, tool, args }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: tool,
      input: JSON.stringify(args),
    }));
    return {
      content: text === undefined ? calls : [{ type: 'text', text }],
      finishReason: { unified: text === undefined ? 'tool-calls' : 'stop', raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    };
  },
});
