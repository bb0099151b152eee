/** OpenAI's Responses: Codex. */

import { nextTurn, textOf, userTexts } from './history.mjs';

const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
};

export const responses = {
  matches: /\/responses$/,
  isStream: (body) => body.stream === true,
  hasTools: (body) => (body.tools ?? []).length > 0,
  firstTexts: (body) => userTexts(body.input),
  turnOf: (_, raw) => nextTurn(raw),

  resultsIn: (body) =>
    (Array.isArray(body.input) ? body.input : [])
      .filter(({ type }) => type?.endsWith('_call_output'))
      .map(({ call_id: id, output }) => ({ id, text: textOf(output) })),

  send({ response, stream, body, text, calls, id }, { sendJson, sendEvents }) {
    const message = {
      type: 'message',
      id: `msg_${id}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    };
    const output = [...(text === undefined ? [] : [message]), ...calls.map(callItem)];
    const started = {
      id: `resp_${id}`,
      object: 'response',
      created_at: 0,
      model: body.model,
      status: 'in_progress',
      output: [],
    };
    const completed = { ...started, status: 'completed', output, usage };
    if (!stream) return sendJson(response, completed);
    const events = [
      { type: 'response.created', response: started },
      ...output.flatMap(itemEvents),
      { type: 'response.completed', response: completed },
    ];
    const numbered = events.map((event, at) => ({ ...event, sequence_number: at }));
    return sendEvents(response, numbered, { named: true });
  },
};

function callItem({ id, name, namespace, input, text }) {
  const common = { call_id: id, name, ...(namespace === undefined ? {} : { namespace }), status: 'completed' };
  return text === undefined
    ? { type: 'function_call', id: `fc_${id}`, ...common, arguments: JSON.stringify(input) }
    : { type: 'custom_tool_call', id: `ctc_${id}`, ...common, input: text };
}

function itemEvents(item, index) {
  const place = { item_id: item.id, output_index: index };
  const done = { type: 'response.output_item.done', output_index: index, item };
  const added = (empty) => ({
    type: 'response.output_item.added',
    output_index: index,
    item: { ...item, ...empty, status: 'in_progress' },
  });
  if (item.type === 'custom_tool_call') return [added({ input: '' }), done];
  if (item.type === 'function_call') {
    const args = { ...place, delta: item.arguments };
    const all = { ...place, arguments: item.arguments };
    return [
      added({ arguments: '' }),
      { type: 'response.function_call_arguments.delta', ...args },
      { type: 'response.function_call_arguments.done', ...all },
      done,
    ];
  }
  const [part] = item.content;
  const inPart = { ...place, content_index: 0 };
  return [
    added({ content: [] }),
    { type: 'response.content_part.added', ...inPart, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...inPart, delta: part.text },
    { type: 'response.output_text.done', ...inPart, text: part.text },
    { type: 'response.content_part.done', ...inPart, part },
    done,
  ];
}
