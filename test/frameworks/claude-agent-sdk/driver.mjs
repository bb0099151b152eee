/**
 * Drives the Claude Agent SDK with a scripted model. If Claude Code is installed (CLAUDE_CODE_EXECUTABLE, or the package
 * of test/hosts), the real program runs; otherwise, and with CLAUDE_CODE_EXECUTABLE=fake, a fake one in this process.
 */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSdkMcpServer, query, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { fileServer } from '../mcp-tools.mjs';
import { scriptedAnswers, toolContext } from '../script.mjs';
import { cases } from './cases.mjs';
import { fakeClaude } from './fake-claude.mjs';
import { scriptedModel, seenIn, serveModel } from './messages.mjs';

const installed = new URL('../../hosts/node_modules/@anthropic-ai/claude-code-linux-x64/claude', import.meta.url);
const program = process.env.CLAUDE_CODE_EXECUTABLE ?? (existsSync(installed) ? fileURLToPath(installed) : 'fake');
const allowed = { hookEventName: 'PreToolUse', permissionDecision: 'allow' };
const noModelPoint = 'Model calls happen in the program of Claude Code, and it has no hook around them.';

export const driver = {
  name: 'claude-agent-sdk',
  title: 'Claude Agent SDK',
  entry: 'claude-agent-sdk',
  packages: ['@anthropic-ai/claude-agent-sdk'],
  z,
  load: (specifier) => import(specifier),
  showsRewrittenArgs: false,
  unreachable: 'preLlmCall',
  /** Every turn starts a process. */
  startsProcess: program !== 'fake',
  skips: {
    'ask-changed':
      'A question waits inside the callback canUseTool, so there is no stored call that somebody could change.',
    'model-request': noModelPoint,
    'model-answer': noModelPoint,
    'model-observed': noModelPoint,
    'model-rejected': noModelPoint,
    'model-error': noModelPoint,
    'provider-tool': 'Claude Code runs all of its tools itself, web search included, and all of them reach its hooks.',
  },
  cases,
  open,
};

/** Sessions of the same name are kept in the same folder. */
const homes = new Map();

function homeOf(session) {
  const home = homes.get(session) ?? mkdtempSync(join(tmpdir(), 'bridle-claude-'));
  if (session !== undefined) homes.set(session, home);
  return home;
}

async function open({ guard, adapter, tools, script, place, session, ...extra }) {
  const { mcp, subagent, late, fileHook, fileHooks, isMeasured } = extra;
  const home = place ?? homeOf(session);
  const cwd = join(home, 'project');
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true }));
  if (fileHook !== undefined) {
    mkdirSync(join(cwd, '.claude'), { recursive: true });
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: fileHook }] }] };
    writeFileSync(join(cwd, '.claude/settings.json'), JSON.stringify({ hooks }));
  }
  const own = new Set([...tools.map(({ name }) => name), 'late', 'constructor']);
  const helper = { description: 'Asks the helper.', subagent_type: 'helper', run_in_background: false };
  const answers = scriptedAnswers(script, {
    toolName: (server, name) => `mcp__${server}__${name}`,
    delegate: (id, prompt) => ({ id, tool: 'Agent', args: { ...helper, prompt } }),
  });
  const model = scriptedModel(answers, (name) => (own.has(name) ? `mcp__lab__${name}` : name), isMeasured);
  const files = fileServer();
  const log = join(home, 'files.log');
  const server = program === 'fake' ? undefined : await serveModel(model);
  const spawn = {
    spawnClaudeCodeProcess: fakeClaude({ model, files, sessions: join(home, 'sessions.json'), isMeasured }),
  };
  const agent = new Agent({ model, guard, adapter, optionsOf, fileHooks, isMeasured });

  /** An in-process server is for one query only. */
  function optionsOf() {
    const lab = createSdkMcpServer({ name: 'lab', version: '1.0.0', tools: tools.map(toTool) });
    const filesServer = {
      type: 'stdio',
      command: process.execPath,
      args: [fileURLToPath(new URL('files-server.mjs', import.meta.url)), log],
    };
    const options = {
      pathToClaudeCodeExecutable: program,
      ...(server === undefined && spawn),
      cwd,
      env: environment(home, server?.url),
      settingSources: fileHook === undefined ? [] : ['project'],
      tools: subagent ? ['Agent'] : [],
      // A hook of the program, which comes after Bridle's: what Bridle allows needs no prompt.
      hooks: { PreToolUse: [{ hooks: [async () => ({ hookSpecificOutput: allowed })] }] },
      mcpServers: { lab, ...(mcp && { files: filesServer }) },
      ...(subagent && { agents: { helper: { description: 'Helps.', prompt: 'Help.' } } }),
    };
    return { options, lab };
  }

  agent.addLate = late ? (lab) => lab.instance.registerTool('late', {}, async () => text('ran')) : () => undefined;
  return {
    run: (prompt, options) => agent.start(prompt, options),
    resume: (paused, given) => agent.resume(paused, given),
    requests: () => model.requests,
    mcpCalls: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : files.calls),
    close() {
      server?.close();
      if (place === undefined) rmSync(home, { recursive: true, force: true });
    },
  };
}

/** One conversation. `canUseTool` pauses it until the case answers. */
class Agent {
  session = undefined;
  asks = new Map();
  /** Answers to questions that this process has not asked yet. */
  given = {};

  constructor(parts) {
    Object.assign(this, parts);
  }

  /** Starts a query, and returns when it ends or asks. */
  start(prompt, { stream = false, signal } = {}) {
    const { options, lab } = this.optionsOf();
    const abortController = new AbortController();
    signal?.addEventListener('abort', () => abortController.abort());
    const canUseTool = (name, input, { toolUseID: id }) =>
      new Promise((resolve) => {
        const { [id]: answer, ...others } = this.given;
        this.given = others;
        if (answer !== undefined) return resolve(resultOf(answer, input));
        this.asks.set(id, { ask: { id, tool: name.replace('mcp__lab__', ''), args: input }, input, resolve });
        this.wake?.();
      });
    const all = { ...options, abortController, includePartialMessages: stream, resume: this.session };
    const { guard, adapter, fileHooks } = this;
    const full = guard === undefined ? all : adapter.guardOptions(guard, { ...all, canUseTool }, { fileHooks });
    this.addLate(lab);
    this.before = this.model.requests.length;
    this.ended = this.drive(query({ prompt, options: full }));
    this.ended.catch(() => undefined);
    return this.next();
  }

  async drive(messages) {
    const parts = [];
    let last;
    for await (const message of messages) {
      // An internal note for user interfaces of Claude Code, which it also sends if hooks of settings files are off.
      if (message.subtype === 'ui_invalidate') continue;
      parts.push(message.type === 'stream_event' ? message.event.type : `${message.type} ${message.subtype ?? ''}`);
      this.session ??= message.session_id;
      if (message.type === 'result') last = message;
      this.onMessage?.(message);
    }
    return { last, parts };
  }

  /** Waits for the end of the query, or for a question. */
  async next() {
    const asked = new Promise((resolve) => (this.wake = () => resolve('asked')));
    const first = this.asks.size > 0 ? 'asked' : await Promise.race([asked, this.ended]);
    const seen = seenIn(this.model.requests.slice(this.before).at(-1));
    if (first === 'asked')
      return { paused: { session: this.session, asks: [...this.asks.values()].map(({ ask }) => ask) }, ...seen };
    const { last, parts } = first;
    if (this.isMeasured) {
      this.session = undefined;
      return { text: last.result };
    }
    const deferred = last?.deferred_tool_use;
    const paused = deferred && {
      isDeferred: true,
      session: last.session_id,
      asks: [{ id: deferred.id, tool: deferred.name, args: deferred.input }],
    };
    return { text: last?.result, parts, paused, ...seen };
  }

  resume(paused, given) {
    // A question that only the store can ask refuses the call, if there is no store.
    if (paused === undefined) return {};
    if (this.asks.size === 0) return this.continueSession(paused, given);
    for (const [id, { input, resolve }] of this.asks) {
      if (given[id] === undefined) continue;
      this.asks.delete(id);
      resolve(resultOf(given[id], input));
    }
    return this.next();
  }

  /** In another process. A deferred call goes on without a prompt; an in-process tool needs an empty one. */
  continueSession({ session, isDeferred }, given) {
    this.session = session;
    this.given = given;
    if (isDeferred !== true) return this.start('Go on.');
    let wake;
    const queue = [];
    async function* input() {
      for (;;) {
        if (queue.length === 0) await new Promise((resolve) => (wake = resolve));
        const message = queue.shift();
        if (message === 'end') return;
        yield message;
      }
    }
    this.onMessage = ({ type, stop_reason: reason }) => {
      if (type !== 'result') return;
      const again = { type: 'user', message: { role: 'user', content: '' }, parent_tool_use_id: null };
      queue.push(reason === 'tool_deferred_unavailable' ? again : 'end');
      wake?.();
    };
    return this.start(input());
  }
}

function toTool({ name, description, schema, execute }) {
  return tool(name, description, schema.shape, async (args, extra) =>
    text(
      await execute(
        args,
        toolContext(() => extra.signal),
      ),
    ),
  );
}

function resultOf({ type, args, reason }, input) {
  if (type === 'approve') return { behavior: 'allow', updatedInput: args ?? input };
  return { behavior: 'deny', message: reason };
}

function text(value) {
  return { content: [{ type: 'text', text: value }] };
}

/** The real program talks to the scripted model only. */
function environment(home, url) {
  return {
    HOME: home,
    PATH: process.env.PATH,
    SHELL: '/bin/bash',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'scripted',
    ANTHROPIC_MODEL: 'claude-sonnet-4-5',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    ENABLE_TOOL_SEARCH: 'false',
    IS_SANDBOX: '1',
  };
}
