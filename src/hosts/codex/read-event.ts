/** Reads the payloads of Codex's hooks. */

import type { HookInput, HostCall, HostEvent, HostEventBody } from '../host.ts';
import { Payload } from '../payload.ts';
import { ToolInput } from '../tool-input.ts';
import { serverTools } from './mcp-servers.ts';
import { confirmsBash } from './shell.ts';
import { translateCalls } from './tools.ts';

/**
 * The payloads look like those of Claude Code. During a turn they have the model and an id of the turn. At other times,
 * Codex is recognised by the name of the transcript, or by a session without one.
 */
export function recognisesCodex({ payload }: HookInput): boolean {
  const { transcript_path: transcript, model, turn_id: turn } = payload;
  const required = ['hook_event_name', 'session_id', 'cwd'];
  if (!required.every((name) => typeof payload[name] === 'string') || Object.hasOwn(payload, 'timestamp')) return false;
  if (typeof model === 'string' && typeof turn === 'string') return true;
  return transcript === null || (typeof transcript === 'string' && /\/rollout-[^/]*$/.test(transcript));
}

/** The hook process always runs in the folder of the session; `cwd` is the folder of the call. */
export function readCodexEvent({ payload, env, folder }: HookInput): HostEvent {
  const fields = new Payload(payload);
  const cwd = fields.folder('cwd');
  const name = fields.nonEmptyText('hook_event_name');
  const session = fields.nonEmptyText('session_id');
  const calls = (): readonly HostCall[] =>
    translateCalls({
      id: fields.optionalText('tool_use_id'),
      name: fields.nonEmptyText('tool_name'),
      input: new ToolInput(fields.object('tool_input').all, cwd),
      serverTools: (tool) => serverTools(tool, env, folder),
      isBash: (command) => confirmsBash(command, { env, project: folder, session }),
    });
  return {
    name,
    session,
    agent: agentPath(fields),
    cwd,
    project: folder,
    version: undefined,
    ...readBody(name, fields, calls),
  };
}

function agentPath(fields: Payload): readonly string[] {
  const id = fields.optionalText('agent_id');
  return id ? ['main', `${fields.optionalText('agent_type') ?? 'default'}:${id}`] : ['main'];
}

function readBody(name: string, fields: Payload, calls: () => readonly HostCall[]): HostEventBody {
  // Every event that carries a call is decided, also one of a later version.
  const isGate = name === 'PreToolUse' || name === 'PermissionRequest';
  const hasCall = isGate || fields.has('tool_name') || fields.has('tool_input');
  if (hasCall && name !== 'PostToolUse') return { type: 'tool-call', calls: calls() };
  switch (name) {
    case 'PostToolUse':
      return {
        type: 'tool-result',
        calls: calls(),
        outcome: { type: 'ok', value: fields.value('tool_response') ?? null },
      };
    case 'UserPromptSubmit':
      return { type: 'prompt', text: fields.text('prompt') };
    case 'SessionStart': {
      const source = fields.optionalText('source');
      return source === 'compact' ? { type: 'other' } : { type: 'session-start', resumed: source === 'resume' };
    }
    case 'SessionEnd':
      return { type: 'session-end', reason: fields.optionalText('reason') ?? 'other' };
    case 'Stop':
      return { type: 'turn-end', text: fields.optionalText('last_assistant_message') };
    case 'PreCompact':
      return { type: 'compaction', phase: 'before' };
    case 'PostCompact':
      return { type: 'compaction', phase: 'after', summary: '' };
    default:
      return { type: 'other' };
  }
}
