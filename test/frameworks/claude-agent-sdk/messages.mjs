/** The scripted model in the format of Anthropic's Messages API: as a function, and as a server for the real program. */

import { createServer } from 'node:http';

const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** Returns a function that answers a request, and the requests that it got. */
export function scriptedModel(answers, toolName, isMeasured = false) {
  const requests = [];
  return {
    requests,
    answer(messages) {
      if (!isMeasured) requests.push(structuredClone(messages));
      const { text, toolCalls = [], error } = answers();
      if (error !== undefined) return { error };
      const calls = toolCalls.map(({ id, tool, args }) => ({
        type: 'tool_use',
        id,
        name: toolName(tool),
        input: args,
      }));
      const content = [...(text === undefined ? [] : [{ type: 'text', text }]), ...calls];
      return { content, stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn' };
    },
  };
}

/** The events of a streamed message. */
export function eventsOf({ content, stop_reason }, model) {
  const message = { id: 'msg', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage };
  const blocks = content.flatMap((block, index) => {
    const start = block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
    const deltas =
      block.type === 'text'
        ? (block.text.match(/\S+\s*/g) ?? []).map((text) => ({ type: 'text_delta', text }))
        : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
    return [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
  });
  const end = { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } };
  return [{ type: 'message_start', message }, ...blocks, end, { type: 'message_stop' }];
}

/** Requests without tools are about titles and the like: they get an empty answer. */
export async function serveModel(scripted) {
  const server = createServer((request, response) => void answer(request, response));
  const answer = async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const send = (value, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (!/\/messages(\?|$)/.test(request.url)) return send({}, 404);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const isSide = !(body.tools?.length > 0);
    const message = isSide
      ? { content: [{ type: 'text', text: '{}' }], stop_reason: 'end_turn' }
      : scripted.answer(body.messages);
    if (message.error !== undefined)
      return send({ type: 'error', error: { type: 'invalid_request_error', message: message.error } }, 400);
    if (body.stream !== true)
      return send({ id: 'msg', type: 'message', role: 'assistant', model: body.model, usage, ...message });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of eventsOf(message, body.model))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    return response.end();
  };
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What the model saw of each call in its last request: the result, and the args. */
export function seenIn(messages = []) {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const results = parts.filter(({ type }) => type === 'tool_result');
  const calls = parts.filter(({ type }) => type === 'tool_use');
  return {
    seen: Object.fromEntries(
      results.map(({ tool_use_id: id, content, is_error: isError = false }) => [
        id,
        { text: textOf(content), isError },
      ]),
    ),
    history: Object.fromEntries(calls.map(({ id, input }) => [id, input])),
  };
}

/** Without the notes that Claude Code appends to results. */
function textOf(content) {
  const parts = Array.isArray(content) ? content.map((part) => part.text ?? JSON.stringify(part)) : [content];
  return parts.join('\n').replaceAll(/\n*<system-reminder>[^]*?<\/system-reminder>/g, '');
}
