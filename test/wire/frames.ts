/** Pieces of an answer as each provider streams them, which tests send, delay or cut. */

export interface StreamedCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as the model writes them; may be invalid or incomplete JSON. */
  readonly args: string;
}

export interface Frames {
  /** The first frames of an answer. */
  readonly open: readonly string[];
  readonly text: (text: string) => readonly string[];
  /** A tool call without its end. */
  readonly toolCall: (call: StreamedCall) => readonly string[];
  /** The regular end, after a tool call or after text. */
  readonly end: (call?: StreamedCall) => readonly string[];
  /** A failure reported inside a stream that started well. */
  readonly overloaded: readonly string[];
}

export const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
export const event = (type: string, fields: object = {}): string => `event: ${type}\n${data({ type, ...fields })}`;

const chunk = (delta: object, reason: string | null = null): string =>
  data({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-test',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });

const chat: Frames = {
  open: [chunk({ role: 'assistant', content: '' })],
  text: (text) => [chunk({ content: text })],
  toolCall: ({ id, name, args }) => [
    chunk({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] }),
  ],
  end: (call) => [chunk({}, call === undefined ? 'stop' : 'tool_calls'), 'data: [DONE]\n\n'],
  overloaded: [data({ error: { message: 'The server is overloaded', type: 'server_error', code: null, param: null } })],
};

const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-test', output: [], usage: null };
const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
const functionCall = { id: 'fc_1', type: 'function_call' };

const responses: Frames = {
  open: [event('response.created', { response: { ...response, status: 'in_progress' } })],
  text: (text) => [
    event('response.output_item.added', { output_index: 0, item: message }),
    event('response.output_text.delta', { item_id: 'msg_1', output_index: 0, content_index: 0, delta: text }),
  ],
  toolCall: ({ id, name, args }) => [
    event('response.output_item.added', {
      output_index: 0,
      item: { ...functionCall, call_id: id, name, arguments: '', status: 'in_progress' },
    }),
    event('response.function_call_arguments.delta', { item_id: 'fc_1', output_index: 0, delta: args }),
  ],
  end: (call) => {
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    const item = { ...functionCall, call_id: call?.id, name: call?.name, arguments: call?.args, status: 'completed' };
    const done = event('response.output_item.done', { output_index: 0, item });
    const completed = event('response.completed', { response: { ...response, status: 'completed', usage } });
    return call === undefined ? [completed] : [done, completed];
  },
  overloaded: [
    event('error', {
      sequence_number: 2,
      error: { type: 'server_error', code: 'server_error', message: 'The server is overloaded', param: null },
    }),
  ],
};

const opened = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-5',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 0 },
};

const anthropic: Frames = {
  open: [event('message_start', { message: opened })],
  text: (text) => [
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  ],
  toolCall: ({ id, name, args }) => [
    event('content_block_start', { index: 0, content_block: { type: 'tool_use', id, name, input: {} } }),
    event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: args } }),
  ],
  end: (call) => [
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: call === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: 1 },
    }),
    event('message_stop'),
  ],
  overloaded: [event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } })],
};

const parts = (part: string): string => `data: {"candidates":[{"index":0,"content":{"role":"model","parts":[${part}`;

const google: Frames = {
  open: [],
  text: (text) => [`${parts(JSON.stringify({ text }))}]}}]}\n\n`],
  // Here a call is sent in one piece, so only its frame can be cut.
  toolCall: ({ id, name, args }) => [parts(`{"functionCall":{"id":"${id}","name":"${name}","args":${args}`)],
  end: (call) => [`${call === undefined ? `${parts('{"text":""}')}]}` : '}}]}'},"finishReason":"STOP"}]}\n\n`],
  overloaded: [data({ error: { code: 503, message: 'The model is overloaded', status: 'UNAVAILABLE' } })],
};

export const frames = { chat, responses, anthropic, google } as const;
