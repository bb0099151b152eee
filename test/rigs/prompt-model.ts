/**
 * A model behind HTTP, in the format of Anthropic, that does what the prompt says: ``run `ls` ``, `read a.txt and b.txt`,
 * ``create a.txt with `x` ``, `list`, `ask me which: a or b`, `call tool with {…}`, joined with `then`, `;` or new lines.
 * Then it answers with the results. It answers anything else with "You said: …".
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { event } from '../wire/frames.ts';

/** Its name for `--model`. */
export const promptModelName = 'anthropic/claude-opus-5';

export interface PromptModel {
  /** The environment in which `promptModelName` is this model. */
  readonly env: { readonly ANTHROPIC_API_KEY: string; readonly ANTHROPIC_BASE_URL: string };
  close(): Promise<void>;
}

export async function promptModel(): Promise<PromptModel> {
  const server = createServer((request, response) => {
    const answered = readAll(request).then((body) => {
      const { messages } = JSON.parse(body) as { readonly messages: readonly WireMessage[] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(answerTo(messages).join(''));
    });
    answered.catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    env: { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/v1` },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface WirePart {
  readonly type: string;
  readonly text?: string;
  readonly content?: string | readonly WirePart[];
  readonly is_error?: boolean;
}

interface WireMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly WirePart[];
}

interface Call {
  readonly name: string;
  readonly input: object;
}

function answerTo(messages: readonly WireMessage[]): readonly string[] {
  const asked = messages.findLastIndex(({ role, content }) => role === 'user' && promptIn(content) !== '');
  const prompt = promptIn(messages[asked]?.content ?? '');
  const steps = stepsOf(prompt);
  const results = messages.slice(asked + 1).flatMap(({ content }) => partsOf(content).filter(isResult));
  const done = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
  const calls = steps[done];
  if (calls !== undefined) return framesOf(calls.map(callBlock), 'tool_use');
  const reports = results.map(({ is_error: failed, content = '' }) => {
    return `${failed === true ? 'Failed' : 'Done'}:\n\n\`\`\`\n${textOf(partsOf(content))}\n\`\`\``;
  });
  const text = reports.length === 0 ? `You said: ${prompt}` : reports.join('\n\n');
  return framesOf(
    [
      [
        { type: 'text', text: '' },
        { type: 'text_delta', text },
      ],
    ],
    'end_turn',
  );
}

/** The calls of each step. A prompt with a request that is not understood has none. */
function stepsOf(prompt: string): readonly (readonly Call[])[] {
  const steps = prompt.split(/; (?=\w+ `)| then |\n/).map((request) => callsFor(request.trim()));
  return steps.some((calls) => calls.length === 0) ? [] : steps;
}

function callsFor(request: string): readonly Call[] {
  const [, tool = '', json = '{}'] = /^call (\S+)(?: with (.*))?$/s.exec(request) ?? [];
  if (tool !== '') return [{ name: tool, input: JSON.parse(json) as object }];
  const [, command] = /^run `?(.*?)`?$/s.exec(request) ?? [];
  if (command !== undefined) return [{ name: 'run_command', input: { command_line: command } }];
  const [, file, contents] = /^create (\S+) with `(.*)`$/s.exec(request) ?? [];
  if (file !== undefined) return [{ name: 'create_file', input: { file_path: file, contents } }];
  const [, files] = /^read (.+)$/.exec(request) ?? [];
  if (files !== undefined) {
    return files.split(' and ').map((path) => ({ name: 'view_file', input: { file_path: path } }));
  }
  const [, question, options] = /^ask me ([^:]+)(?:: (.*))?$/.exec(request) ?? [];
  if (question !== undefined) return [{ name: 'ask_question', input: { questions: [questionOf(question, options)] } }];
  return request === 'list' ? [{ name: 'list_directory', input: { directory_path: '.' } }] : [];
}

function questionOf(text: string, options: string | undefined): object {
  const question = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}?`;
  if (options === undefined) return { question };
  const texts = options.split(/, | or /).map((option) => ({ text: option }));
  return { question, options: texts, ...(text.includes('all that apply') ? { multi_select: true } : {}) };
}

function callBlock({ name, input }: Call, index: number): readonly [object, object] {
  const id = `call_${Date.now()}_${index}`;
  return [
    { type: 'tool_use', id, name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(input) },
  ];
}

function framesOf(blocks: readonly (readonly [start: object, delta: object])[], reason: string): readonly string[] {
  const usage = { input_tokens: 1, output_tokens: 0 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5', content: [], usage };
  return [
    event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null } }),
    ...blocks.flatMap(([start, delta], index) => [
      event('content_block_start', { index, content_block: start }),
      event('content_block_delta', { index, delta }),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 1 } }),
    event('message_stop'),
  ];
}

function partsOf(content: string | readonly WirePart[]): readonly WirePart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function isResult({ type }: WirePart): boolean {
  return type === 'tool_result';
}

function textOf(parts: readonly WirePart[]): string {
  return parts.flatMap(({ type, text = '' }) => (type === 'text' ? [text] : [])).join('\n');
}

/** The last text of a message. The provider joins it with results of the turn before, and with cancelled prompts. */
function promptIn(content: WireMessage['content']): string {
  return (
    partsOf(content)
      .findLast(({ type }) => type === 'text')
      ?.text?.trim() ?? ''
  );
}
