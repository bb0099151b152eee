/**
 * Plays Claude Code for the SDK: the same messages over stdin and stdout as the real program sends, without a process.
 * It knows hooks, prompts, in-process tools, subagents, deferred calls and resumed sessions.
 */

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { eventsOf } from './messages.mjs';

/** Creates `spawnClaudeCodeProcess`. `model` answers; `sessions` is the file in which sessions are kept. */
export function fakeClaude(parts) {
  return ({ args, cwd = process.cwd() }) => new FakeClaude({ ...parts, args, cwd }).child;
}

class FakeClaude {
  child = new EventEmitter();
  waiting = new Map();
  next = 0;
  prompts = Promise.resolve();

  constructor(parts) {
    Object.assign(this, parts);
    const { child, args } = this;
    Object.assign(child, { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() });
    Object.assign(child, { killed: false, exitCode: null, kill: () => this.end(0) });
    const resumed = valueOf(args, '--resume');
    const known = existsSync(this.sessions) ? JSON.parse(readFileSync(this.sessions, 'utf8')) : {};
    const own = JSON.parse(valueOf(args, '--settings') ?? '{}');
    const file = join(this.cwd, '.claude/settings.json');
    const isRead = valueOf(args, '--setting-sources') === 'project' && own.disableAllHooks !== true;
    this.fileHooks = (isRead && JSON.parse(readFileSync(file, 'utf8')).hooks) || {};
    this.session = { id: resumed ?? randomUUID(), messages: [], ...known[resumed] };
    createInterface({ input: child.stdin }).on('line', (line) => this.receive(JSON.parse(line)));
    child.stdin.on('end', () => this.prompts.then(() => this.end(0)));
  }

  receive(message) {
    if (message.type === 'control_response') this.waiting.get(message.response.request_id)?.(message.response);
    if (message.type === 'user') this.prompts = this.prompts.then(() => this.turn(textOf(message.message.content)));
    if (message.type !== 'control_request') return;
    const { request_id, request } = message;
    const response =
      request.subtype === 'initialize' ? { commands: [], models: [], hook_on_failure_supported: true } : {};
    this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
    if (request.subtype !== 'initialize') return;
    this.hooks = request.hooks ?? {};
    if (this.session.open?.isPrompt === false) this.prompts = this.prompts.then(() => this.turn(undefined));
  }

  send(message) {
    if (this.child.exitCode === null)
      this.child.stdout.write(`${JSON.stringify({ session_id: this.session.id, ...message })}\n`);
  }

  ask(request) {
    const request_id = `r${this.next++}`;
    this.send({ type: 'control_request', request_id, request });
    return new Promise((resolve) => this.waiting.set(request_id, resolve));
  }

  end(code) {
    if (this.child.exitCode !== null) return true;
    this.child.exitCode = code;
    this.child.stdout.end();
    this.child.emit('exit', code, null);
    return true;
  }

  save() {
    if (this.isMeasured) return;
    const known = existsSync(this.sessions) ? JSON.parse(readFileSync(this.sessions, 'utf8')) : {};
    writeFileSync(this.sessions, JSON.stringify({ ...known, [this.session.id]: this.session }));
  }

  /** One turn. Without a prompt, the call that was open when the session ended goes on. */
  async turn(prompt) {
    this.prompt = randomUUID();
    const { session } = this;
    if (prompt !== undefined) {
      const { output } = await this.callHooks('UserPromptSubmit', { prompt });
      if (output.decision === 'block')
        return this.result({ result: `UserPromptSubmit operation blocked by hook:\n${output.reason}` });
      if (session.open === undefined) session.messages.push({ role: 'user', content: prompt });
    }
    const { open } = session;
    session.open = undefined;
    const ended = await this.loop(session.messages, { open });
    this.save();
    return this.result(ended);
  }

  result(ended) {
    const counts = { num_turns: 1, duration_ms: 1, duration_api_ms: 1, total_cost_usd: 0, usage: {} };
    const type = { type: 'result', subtype: 'success', is_error: false };
    this.send({ ...type, ...counts, permission_denials: [], uuid: randomUUID(), ...ended });
  }

  async loop(messages, { agent, open } = {}) {
    let content = open?.content;
    for (;;) {
      if (content === undefined) {
        const answer = this.model.answer(messages);
        if (answer.error !== undefined) return { is_error: true, result: `API Error: ${answer.error}` };
        if (this.args.includes('--include-partial-messages') && agent === undefined)
          for (const event of eventsOf(answer, 'fake')) this.send({ type: 'stream_event', event, uuid: randomUUID() });
        ({ content } = answer);
        this.send({
          type: 'assistant',
          message: { role: 'assistant', content },
          parent_tool_use_id: agent?.call ?? null,
        });
        messages.push({ role: 'assistant', content });
      }
      const calls = content.filter(({ type }) => type === 'tool_use');
      const text = content.map((part) => part.text ?? '').join('');
      if (calls.length === 0) {
        if (agent === undefined)
          await this.callHooks('Stop', { stop_hook_active: false, last_assistant_message: text });
        return { result: text };
      }
      const { results, deferred } = await this.runCalls(calls, { agent, open });
      open = undefined;
      if (deferred !== undefined) return { ...deferred, result: '' };
      this.send({ type: 'user', message: { role: 'user', content: results }, parent_tool_use_id: agent?.call ?? null });
      messages.push({ role: 'user', content: results });
      content = undefined;
    }
  }

  async runCalls(calls, { agent, open = { done: {}, isPrompt: false } }) {
    const results = [];
    let deferred;
    this.note(calls, { results, isPrompt: true });
    for (const call of calls) {
      const result = open.done[call.id] ?? (await (open.isPrompt ? this.promptCall(call) : this.runCall(call, agent)));
      if (result.stops) return { deferred: {} };
      if (result === 'defer') deferred = call;
      else results.push({ type: 'tool_result', tool_use_id: call.id, ...result });
      this.note(calls, { results, isPrompt: deferred === undefined });
      if (this.child.exitCode !== null) await new Promise(() => undefined);
    }
    if (deferred === undefined) return { results };
    const { id, name, input } = deferred;
    const reason = { stop_reason: 'tool_deferred', terminal_reason: 'tool_deferred' };
    return { deferred: { ...reason, deferred_tool_use: { id, name, input } } };
  }

  /** Keeps what is done of a step. If the process ends in it, a later one prompts for the rest, unless a call was deferred. */
  note(content, { results, isPrompt }) {
    const done = Object.fromEntries(results.map(({ tool_use_id, type: _type, ...result }) => [tool_use_id, result]));
    this.session.open = results.length === content.length ? undefined : { content, done, isPrompt };
    this.save();
  }

  /** Asks for permission without a hook before it. */
  async promptCall(call) {
    const { id: tool_use_id, name: tool_name, input } = call;
    const { response } = await this.ask({ subtype: 'can_use_tool', tool_name, input, tool_use_id });
    if (response?.behavior !== 'allow') return failed(response?.message ?? 'denied');
    const { content, isError } = await this.toolOf(call)(response.updatedInput ?? input);
    return { content, is_error: isError };
  }

  /** The fields that all events of a call have. */
  fieldsOf({ id, name, input }, agent) {
    const server = /^mcp__([a-z]+)__/.exec(name)?.[1];
    return {
      tool_name: name,
      tool_input: input,
      tool_use_id: id,
      ...(server && { mcp_server: { name: server, source: server === 'files' ? 'dynamic' : 'sdk' } }),
      ...(agent && { agent_id: agent.id, agent_type: agent.type }),
    };
  }

  async runCall(call, agent) {
    const run = this.toolOf(call);
    if (run === undefined)
      return failed(`<tool_use_error>Error: No such tool available: ${call.name}</tool_use_error>`);
    const fields = this.fieldsOf(call, agent);
    const gate = await this.callHooks('PreToolUse', fields);
    if (gate.decision === 'deny') return failed(`PreToolUse:${call.name} hook error: ${gate.reason}`);
    if (gate.decision === 'defer') return 'defer';
    const input = gate.input ?? call.input;
    const { content, isError = false } = await run(input);
    const text = content.map((part) => part.text).join('\n');
    if (isError) {
      await this.callHooks('PostToolUseFailure', { ...fields, tool_input: input, error: text });
      return failed(text);
    }
    const after = await this.callHooks('PostToolUse', { ...fields, tool_input: input, tool_response: content });
    if (after.output.continue === false) return { stops: true };
    return { content: after.result ?? content };
  }

  toolOf({ id, name }) {
    if (name === 'Agent') return (input) => this.runAgent(id, input);
    const [, server, tool] = /^mcp__([a-z]+)__(.+)$/.exec(name) ?? [];
    if (server === 'files') {
      const { run } = this.files.tools.find((each) => each.name === tool);
      return async (input) => ({ content: [{ type: 'text', text: await run(input) }] });
    }
    if (server === undefined || tool === 'constructor') return undefined;
    return async (input) => {
      const params = { name: tool, arguments: input, _meta: { 'claudecode/toolUseId': id } };
      const message = { jsonrpc: '2.0', id: this.next++, method: 'tools/call', params };
      const { response } = await this.ask({ subtype: 'mcp_message', server_name: server, message });
      const { result, error } = response.mcp_response;
      return result ?? { isError: true, content: [{ type: 'text', text: error.message }] };
    };
  }

  async runAgent(call, { prompt, subagent_type: type }) {
    const messages = [{ role: 'user', content: prompt }];
    const { result } = await this.loop(messages, { agent: { id: randomUUID(), type, call } });
    return { content: [{ type: 'text', text: result }] };
  }

  /** All hooks of an event run at the same time; of several changes, the one of the last hook to finish counts. */
  async callHooks(event, fields) {
    const common = { session_id: this.session.id, transcript_path: '', cwd: this.cwd, prompt_id: this.prompt };
    const input = { ...common, permission_mode: 'default', hook_event_name: event, ...fields };
    const merged = { output: {}, decision: undefined, reason: undefined, input: undefined, result: undefined };
    const ranks = [undefined, 'allow', 'ask', 'defer', 'deny'];
    const callbacks = (this.hooks[event] ?? []).flatMap(({ hookCallbackIds, onFailure }) =>
      hookCallbackIds.map(async (callback_id) => {
        const answer = await this.ask({
          subtype: 'hook_callback',
          callback_id,
          tool_use_id: fields.tool_use_id,
          input,
        });
        const output = answer.subtype === 'success' ? answer.response : failure(event, onFailure);
        const { permissionDecision, permissionDecisionReason, updatedInput, updatedToolOutput } =
          output.hookSpecificOutput ?? {};
        if (ranks.indexOf(permissionDecision) > ranks.indexOf(merged.decision))
          [merged.decision, merged.reason] = [permissionDecision, permissionDecisionReason];
        merged.input = updatedInput ?? merged.input;
        merged.result = updatedToolOutput ?? merged.result;
        merged.output = { ...merged.output, ...output };
      }),
    );
    await Promise.all(callbacks);
    // Hooks of settings files are programs, so they end last.
    for (const { command } of (this.fileHooks[event] ?? []).flatMap(({ hooks }) => hooks)) {
      const output = JSON.parse(execFileSync('sh', ['-c', command], { input: JSON.stringify(input) }));
      merged.input = output.hookSpecificOutput.updatedInput ?? merged.input;
    }
    return merged;
  }
}

function failure(event, onFailure) {
  if (onFailure !== 'block') return {};
  const permissionDecisionReason = 'failed; blocking because onFailure is "block"';
  return {
    decision: 'block',
    reason: permissionDecisionReason,
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason },
  };
}

function failed(text) {
  return { content: text, is_error: true };
}

function textOf(content) {
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('\n');
}

function valueOf(args, name) {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  if (at === -1) return undefined;
  return args[at] === name ? args[at + 1] : args[at].slice(name.length + 1);
}
