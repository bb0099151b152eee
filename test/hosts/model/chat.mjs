/** OpenAI's Chat Completions: Copilot and opencode. */

import { nextTurn, textOf, userTexts } from './history.mjs';

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

export const chat = {
  matches: /\/chat\/completions$/,
  isStream: (body) => body.stream === true,
  hasTools: (body) => (body.tools ?? []).length > 0,
  firstTexts: (body) => userTexts(body.messages),
  turnOf: (_, raw) => nextTurn(raw),

  resultsIn: (body) =>
    body.messages
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id: id, content }) => ({ id, text: textOf(content) })),

  send({ response, stream, body, text, calls, id }, { sendJson, sendEvents }) {
    const made = calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    }));
    const reason = calls.length > 0 ? 'tool_calls' : 'stop';
    const common = { id: `chatcmpl_${id}`, created: 0, model: body.model };
    if (!stream) {
      const message = { role: 'assistant', content: text ?? null, ...(made.length > 0 ? { tool_calls: made } : {}) };
      const choices = [{ index: 0, message, finish_reason: reason }];
      return sendJson(response, { ...common, object: 'chat.completion', choices, usage });
    }
    const chunk = (choices) => ({ ...common, object: 'chat.completion.chunk', choices });
    const delta = (value, finish = null) => chunk([{ index: 0, delta: value, finish_reason: finish }]);
    const events = [
      delta({ role: 'assistant', content: text ?? '' }),
      ...made.map((call, index) => delta({ tool_calls: [{ index, ...call }] })),
      delta({}, reason),
      { ...chunk([]), usage },
      '[DONE]',
    ];
    return sendEvents(response, events);
  },
};
