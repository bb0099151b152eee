/** Anthropic's Messages: Claude Code. */

import { nextTurn, textOf, userTexts } from './history.mjs';

const usage = { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

export const anthropic = {
  matches: /\/messages$/,
  isStream: (body) => body.stream === true,
  hasTools: (body) => (body.tools ?? []).length > 0,
  firstTexts: (body) => userTexts(body.messages),
  turnOf: (_, raw) => nextTurn(raw),

  resultsIn: (body) =>
    body.messages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id, content }) => ({ id, text: textOf(content) })),

  send({ response, stream, body, text, calls, id }, { sendJson, sendEvents }) {
    const content = [
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map((call) => ({ type: 'tool_use', id: `toolu_${call.id}`, name: call.name, input: call.input })),
    ];
    const stop = calls.length > 0 ? 'tool_use' : 'end_turn';
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: body.model, content: [], usage };
    if (!stream) return sendJson(response, { ...message, content, stop_reason: stop });
    const events = [
      { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } },
      ...content.flatMap(blockEvents),
      { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 20 } },
      { type: 'message_stop' },
    ];
    return sendEvents(response, events, { named: true });
  },
};

function blockEvents(block, index) {
  const isText = block.type === 'text';
  const empty = isText ? { type: 'text', text: '' } : { ...block, input: {} };
  const delta = isText
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
  return [
    { type: 'content_block_start', index, content_block: empty },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ];
}
