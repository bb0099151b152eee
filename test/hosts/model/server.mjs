/**
 * A model that answers from a script, for all coding agents: it speaks the four protocols that they use. It keeps no
 * state: the turn is read from the history in the request, so retries and side requests do not shift the script.
 */

import { createServer } from 'node:http';
import { createSocket } from 'node:dgram';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { anthropic } from './anthropic.mjs';
import { chat } from './chat.mjs';
import { gemini } from './gemini.mjs';
import { responses } from './responses.mjs';

export const modelPort = 18080;
export const modelUrl = `http://127.0.0.1:${modelPort}`;

/**
 * @typedef {object} ToolCall
 * @property {string} name
 * @property {unknown} [input] the arguments
 * @property {string} [text] instead of `input`: the text of a tool that takes no JSON
 * @property {string} [namespace]
 *
 * @typedef {object} Turn
 * @property {string} [text]
 * @property {() => unknown} [before] awaited before the turn is sent
 * @property {ToolCall[] | ((history: string) => ToolCall[])} [calls]
 *
 * @typedef {object} Script the turns of one agent; the last one is repeated
 * @property {string} [prompt] a word in the prompt of a subagent; without it, the script is for the main agent
 * @property {Turn[]} turns
 */

const protocols = [anthropic, responses, chat, gemini];

/** Answers no name, immediately: some resolvers wait for seconds if nobody answers. */
function answerNames() {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    let end = 12;
    while (question[end]) end += question[end] + 1;
    const answer = Buffer.from(question.subarray(0, end + 5));
    answer.writeUInt16BE(0x8183, 2);
    answer.fill(0, 6, 12);
    socket.send(answer, port, address);
  });
  socket.bind(53, '127.0.0.1');
  return socket;
}

/**
 * `scripts` may be replaced at any time; `requests` are the requests for which a turn of a script was sent; `failure` is
 * the first error.
 */
export async function startModel() {
  const model = { scripts: [], requests: [], close };
  const server = createServer((request, response) => {
    serve(model, request, response).catch((error) => {
      model.failure ??= error;
      sendJson(response, { error: { message: error.message } }, 500);
    });
  });
  const names = answerNames();
  function close() {
    server.closeAllConnections();
    server.close();
    names.close();
  }
  await new Promise((resolve) => server.listen(modelPort, '127.0.0.1', resolve));
  return model;
}

async function serve(model, request, response) {
  const raw = decode(request.headers['content-encoding'], await readAll(request));
  await answer(model, { path: new URL(request.url, modelUrl).pathname, raw }, response);
}

async function readAll(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function decode(encoding, body) {
  if (encoding === 'gzip') return gunzipSync(body).toString();
  return (encoding === 'br' ? brotliDecompressSync(body) : body).toString();
}

async function answer(model, { path, raw }, response) {
  const protocol = protocols.find(({ matches }) => matches.test(path));
  if (protocol === undefined) return sendJson(response, {}, 404);
  const body = JSON.parse(raw);
  const stream = protocol.isStream(body, path);
  const script = scriptFor(model.scripts, protocol.firstTexts(body));
  const turn = protocol.turnOf(body, raw);
  const isSide = script === undefined || !protocol.hasTools(body);
  const { text, before, calls = [] } = isSide ? { text: '{}' } : script.turns[Math.min(turn, script.turns.length - 1)];
  await before?.();
  const id = `${turn}_${model.requests.length}`;
  const named = (typeof calls === 'function' ? calls(raw) : calls).map((call, at) => ({
    ...call,
    id: callId(turn, at, id),
  }));
  if (!isSide) model.requests.push({ agent: script.prompt ?? 'main', results: protocol.resultsIn(body) });
  return protocol.send({ response, stream, body, text, calls: named, id }, { sendJson, sendEvents });
}

function callId(turn, at, id) {
  return `call_${turn}_${at}_x${id}`;
}

/** `0.1` for the second call of the first turn. */
export function placeOfCall(id) {
  const [, turn, at] = /call_(\d+)_(\d+)_x/.exec(id) ?? [];
  return `${turn}.${at}`;
}

function scriptFor(scripts, texts) {
  return (
    scripts.find(({ prompt }) => prompt !== undefined && texts.includes(prompt)) ??
    scripts.find(({ prompt }) => prompt === undefined)
  );
}

function sendJson(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function sendEvents(response, events, { named = false } = {}) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const event of events) {
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    response.write(`${named ? `event: ${event.type}\n` : ''}data: ${data}\n\n`);
  }
  response.end();
}
