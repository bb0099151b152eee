import { setTracingDisabled, Usage } from '@openai/agents';
import { nextAnswer } from '../../../guide-script.mjs';

setTracingDisabled(true);

/** The model of the guide, with a script instead of a provider. */
export const model = {
  async getResponse({ input }) {
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    const start = items.findLastIndex(({ role }) => role === 'user');
    const { content } = items[start];
    const results = items.slice(start).filter(({ type }) => type === 'function_call_result');
    const { text, toolCalls = [] } = nextAnswer(
      typeof content === 'string' ? content : content[0].text,
      results.map(({ output }) => output.text ?? output),
    );
    const status = 'completed';
    const calls = toolCalls.map(({ id: callId, tool: name, args }) => ({
      type: 'function_call',
      callId,
      name,
      status,
      arguments: JSON.stringify(args),
    }));
    const message = { type: 'message', role: 'assistant', status, content: [{ type: 'output_text', text }] };
    return { output: text === undefined ? calls : [message], usage: new Usage(), responseId: 'response' };
  },
};

/** The provider of the guide: every name means this model. */
export const provider = { getModel: async () => model };
