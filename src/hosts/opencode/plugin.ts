/**
 * The text of the plugin file for opencode. The plugin starts Bridle's handler for each event, and refuses the call unless
 * it gets a verdict in time: opencode has no command hooks of its own, and it ignores a plugin that cannot be loaded.
 */

export interface PluginOptions {
  /** Absolute: the program to start. */
  readonly handler: string;
  readonly limitSeconds: number;
  /** True: the plugin only reports events. It refuses and changes nothing. */
  readonly observe?: boolean;
}

export function pluginText({ handler, limitSeconds, observe = false }: PluginOptions): string {
  const settings = [
    `const handler = ${JSON.stringify(handler)};`,
    `const limitMs = ${Math.round(limitSeconds * 1000)};`,
    `const observes = ${observe};`,
  ];
  return [heading, ...settings, processPart, verdictPart, pluginPart].join('\n');
}

const heading = `// Written by "bridle install opencode". Remove it with "npx bridle uninstall opencode".
import { spawn } from 'node:child_process';
`;

/** No work at the top level and no other import: an error there would switch the plugin off. */
const processPart = `
const maxInput = 1024 * 1024;
const maxOutput = 4 * 1024 * 1024;

// The parents of the sessions of subagents.
const parents = new Map();
let version;

function sessionsTo(session) {
  const path = [];
  for (let each = session; typeof each === 'string' && path.length < 64; each = parents.get(each)) path.unshift(each);
  return path.length === 0 ? undefined : path;
}

function failure(text) {
  return new Error('Bridle refused this call: ' + text);
}

function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

// Resolves to the output of the handler; rejects if it fails in any way.
function runHandler(text) {
  return new Promise((resolve, reject) => {
    if (Buffer.byteLength(text) > maxInput) throw failure('it is larger than 1 MiB.');
    const child = spawn(handler, [], { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    const chunks = [];
    let size = 0;
    let notes = '';
    let isOver = false;
    let isClosed = false;
    const end = (error) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (error === undefined) return resolve(Buffer.concat(chunks).toString('utf8'));
      if (child.pid !== undefined && !isClosed) killGroup(child);
      reject(error);
    };
    const timer = setTimeout(() => end(failure('no verdict within ' + limitMs / 1000 + ' s.')), limitMs);
    child.on('error', (error) => end(failure('the handler cannot be started: ' + error.message)));
    child.on('close', (code, signal) => {
      isClosed = true;
      const reason = notes.trim() || 'the handler ended with ' + (signal ?? 'exit status ' + code) + '.';
      end(code === 0 ? undefined : failure(reason));
    });
    child.stdin.on('error', () => {});
    child.stderr.on('data', (chunk) => {
      if (notes.length < 8192) notes += chunk;
    });
    child.stdout.on('data', (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxOutput) end(failure('the handler printed too much.'));
    });
    child.stdin.end(text);
  });
}
`;

const verdictPart = `
// Returns a verdict with one of the expected decisions, or throws.
async function ask(event, { session, ...place }, expected) {
  const payload = { host: 'opencode', event, version, sessions: sessionsTo(session), ...place };
  const text = await runHandler(JSON.stringify(payload));
  let verdict;
  try {
    verdict = JSON.parse(text);
  } catch {
    throw failure('the verdict is not JSON.');
  }
  if (typeof verdict !== 'object' || verdict === null || Array.isArray(verdict)) throw failure('the verdict is not an object.');
  const decision = Object.hasOwn(verdict, 'decision') ? verdict.decision : undefined;
  if (decision === 'deny') throw new Error(String(verdict.reason || 'Bridle denied this call.'));
  if (!expected.includes(decision)) throw failure('the verdict is unknown.');
  return verdict;
}

// opencode keeps the object: assigning another one has no effect.
function changeArgs(args, input) {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw failure('the verdict has no input.');
  for (const name of Object.keys(args)) delete args[name];
  for (const [name, value] of Object.entries(input)) {
    Object.defineProperty(args, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

function replaceResult(result, text) {
  if (typeof text !== 'string') throw failure('the verdict has no output.');
  if (Array.isArray(result.content)) result.content.splice(0, Infinity, { type: 'text', text });
  if (Array.isArray(result.attachments)) result.attachments.length = 0;
  result.output = text;
}

// Without pictures and other files, which can be large.
function textsOf(result) {
  const parts = Array.isArray(result?.content) ? result.content : undefined;
  return { output: result?.output, content: parts?.map((part) => ({ type: part?.type, text: part?.text ?? part?.resource?.text })) };
}

// Without enforcement, nothing that happens here may disturb opencode.
function unlessObserving(check) {
  return async (...args) => {
    try {
      await check(...args);
    } catch (error) {
      if (!observes) throw error;
    }
  };
}

// What the configuration says about commands and MCP servers.
function settings(config) {
  return config === undefined ? {} : { shell: config.shell ?? null, servers: Object.keys(config.mcp ?? {}) };
}

const reported = new Set(['session.created', 'session.idle', 'session.compacted', 'session.deleted']);
`;

const pluginPart = `
export const Bridle = async ({ directory }) => {
  let config;
  const place = (session, input, output) => ({ directory, session, ...settings(config), input, output });
  return {
    config: async (given) => {
      config = given;
    },
    'tool.execute.before': unlessObserving(async (input, output) => {
      const asked = place(input.sessionID, input, { args: output.args });
      const verdict = await ask('tool.execute.before', asked, ['pass', 'rewrite']);
      if (verdict.decision === 'rewrite' && !observes) changeArgs(output.args, verdict.input);
    }),
    'tool.execute.after': unlessObserving(async (input, output) => {
      const verdict = await ask('tool.execute.after', place(input.sessionID, input, textsOf(output)), ['pass', 'replace']);
      if (verdict.decision === 'replace' && !observes) replaceResult(output, verdict.output);
    }),
    'chat.message': unlessObserving(async (input, output) => {
      const parts = output.parts.map(({ type, text }) => ({ type, text }));
      await ask('chat.message', place(input.sessionID, { sessionID: input.sessionID }, { parts }), ['pass']);
    }),
    event: async ({ event }) => {
      const { info, sessionID } = event?.properties ?? {};
      if (event?.type === 'session.created' && info?.id !== undefined) {
        if (info.parentID !== undefined) parents.set(info.id, info.parentID);
        version = info.version ?? version;
      }
      if (!reported.has(event?.type)) return;
      const session = sessionID ?? info?.id;
      const input = { type: event.type, properties: { sessionID: session } };
      // A call is decided when it happens, even if this event could not be reported.
      await ask('event', place(session, input, null), ['pass']).catch(() => {});
    },
  };
};
`;
