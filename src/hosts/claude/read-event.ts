/** Reads the payloads of Claude Code's hooks. */

import { isAbsolute } from 'node:path';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { HookInput, HostCall, HostEvent, HostEventBody } from '../host.ts';
import { Payload } from '../payload.ts';
import { ToolInput } from '../tool-input.ts';
import { confirmsBash } from './shell.ts';
import { translateCall } from './tools.ts';

/**
 * Other hosts send similar payloads: Copilot (which loads `.claude/settings.json`) and Gemini add a timestamp, Codex
 * keeps its transcript in a file `rollout-….jsonl` or adds the model and an id of the turn. The environment does not
 * tell: a host that is started by a command of another host inherits that host's variables.
 */
export function recognisesClaude({ payload }: HookInput): boolean {
  const { transcript_path: transcript, model, turn_id: turn } = payload;
  const required = ['hook_event_name', 'session_id', 'cwd'];
  if (!required.every((name) => typeof payload[name] === 'string')) return false;
  if (Object.hasOwn(payload, 'timestamp') || (typeof model === 'string' && typeof turn === 'string')) return false;
  return typeof transcript === 'string' && !/\/rollout-[^/]*$|\/\.copilot\//.test(transcript);
}

export function readClaudeEvent({ payload, env, folder }: HookInput): HostEvent {
  const fields = new Payload(payload);
  const cwd = fields.folder('cwd');
  const name = fields.nonEmptyText('hook_event_name');
  const project = env['CLAUDE_PROJECT_DIR'];
  const event = {
    name,
    session: fields.nonEmptyText('session_id'),
    agent: agentPath(fields),
    cwd,
    project: project !== undefined && isAbsolute(project) ? project : folder,
    version: env['AI_AGENT']
      ?.match(/^claude-code_(\d+)-(\d+)-(\d+)/)
      ?.slice(1)
      .join('.'),
  };
  const calls = (): readonly HostCall[] =>
    translateCall({
      id: fields.optionalText('tool_use_id'),
      name: fields.nonEmptyText('tool_name'),
      input: new ToolInput(withHome(fields.object('tool_input').all, env['HOME']), cwd),
      server: fields.optionalObject('mcp_server')?.nonEmptyText('name'),
      isBash: (command) => confirmsBash(command, { env, project: event.project, session: event.session }),
    });
  return { ...event, ...readBody(name, fields, calls) };
}

/** Old versions do not expand `~` before they call a hook. */
function withHome(input: JsonObject, home: string | undefined): JsonObject {
  if (home === undefined) return input;
  const paths = ['file_path', 'notebook_path', 'path'].flatMap((name) => {
    const path = Object.hasOwn(input, name) ? input[name] : undefined;
    return typeof path === 'string' && /^~(?:\/|$)/.test(path) ? [[name, home + path.slice(1)] as const] : [];
  });
  return paths.length === 0 ? input : { ...input, ...Object.fromEntries(paths) };
}

function agentPath(fields: Payload): readonly string[] {
  const id = fields.optionalText('agent_id');
  return id ? ['main', `${fields.optionalText('agent_type') ?? 'agent'}:${id}`] : ['main'];
}

function readBody(name: string, fields: Payload, calls: () => readonly HostCall[]): HostEventBody {
  // Every event that carries a call is decided, also one of a later version.
  const isResult = name === 'PostToolUse' || name === 'PostToolUseFailure';
  const isGate = name === 'PreToolUse' || name === 'PermissionRequest';
  if (isGate || (!isResult && (fields.has('tool_name') || fields.has('tool_input'))))
    return { type: 'tool-call', calls: calls() };
  switch (name) {
    case 'PostToolUse':
      return { type: 'tool-result', calls: calls(), outcome: { type: 'ok', value: result(fields, 'tool_response') } };
    case 'PostToolUseFailure': {
      const type = fields.optionalFlag('is_interrupt') === true ? 'cancelled' : 'error';
      return { type: 'tool-result', calls: calls(), outcome: { type, value: result(fields, 'error') } };
    }
    case 'UserPromptSubmit':
      return { type: 'prompt', text: fields.text('prompt') };
    case 'SessionStart': {
      const source = fields.optionalText('source');
      if (source === 'compact') return { type: 'other' };
      const start = { type: 'session-start', resumed: source === 'resume' } as const;
      return source === 'clear' ? { ...start, isCleared: true } : start;
    }
    case 'SessionEnd':
      return { type: 'session-end', reason: fields.optionalText('reason') ?? 'other' };
    case 'Stop':
      return { type: 'turn-end', text: fields.optionalText('last_assistant_message') };
    case 'PreCompact':
      return { type: 'compaction', phase: 'before' };
    case 'PostCompact':
      return { type: 'compaction', phase: 'after', summary: fields.optionalText('compact_summary') ?? '' };
    case 'ConfigChange':
      return { type: 'settings-change', file: fields.optionalText('file_path') ?? fields.text('source') };
    default:
      return { type: 'other' };
  }
}

function result(fields: Payload, name: string): JsonValue {
  return fields.value(name) ?? null;
}
