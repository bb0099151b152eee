/** Reads the payloads of Gemini CLI's hooks. */

import { isAbsolute } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { HookInput, HostCall, HostEvent, HostEventBody, HostOutcome } from '../host.ts';
import { serverCall, unknownCall } from '../host-tools.ts';
import { Payload } from '../payload.ts';
import { geminiCalls } from './tools.ts';

/** Events that Copilot CLI sends in a similar form, if it loads the hooks of another host. */
const foreignEvents =
  /^(?:PreToolUse|PostToolUse|PostToolUseFailure|PermissionRequest|UserPromptSubmit|Stop|SubagentStart|SubagentStop|PreCompact)$/;

export function isGeminiPayload({ payload, env }: HookInput): boolean {
  const text = (name: string): string | undefined => {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  const [event, session] = [text('hook_event_name'), text('session_id')];
  if (event === undefined || session === undefined) return false;
  if (text('timestamp') === undefined || text('transcript_path') === undefined || foreignEvents.test(event))
    return false;
  return env['GEMINI_SESSION_ID'] === session || env['COPILOT_CLI'] === undefined || /^(?:Before|After)/.test(event);
}

export function readGeminiEvent(input: HookInput): HostEvent {
  const payload = new Payload(input.payload);
  const name = payload.nonEmptyText('hook_event_name');
  const project = input.env['GEMINI_PROJECT_DIR'];
  const common = {
    name,
    session: payload.nonEmptyText('session_id'),
    // Nothing marks the calls of a subagent.
    agent: ['main'],
    cwd: payload.folder('cwd'),
    project: project !== undefined && isAbsolute(project) ? project : input.folder,
    version: undefined,
  };
  return { ...common, ...readBody(name, payload, input) };
}

function readBody(name: string, payload: Payload, input: HookInput): HostEventBody {
  if (name === 'AfterTool') {
    return { type: 'tool-result', calls: readResultCalls(payload, input), outcome: readOutcome(payload) };
  }
  const hasTool = ['tool_name', 'tool_input', 'mcp_context'].some((field) => payload.has(field));
  if (name === 'BeforeTool' || hasTool) return { type: 'tool-call', calls: readCalls(payload, input) };
  switch (name) {
    case 'BeforeAgent':
      return { type: 'prompt', text: payload.text('prompt') };
    case 'AfterAgent':
      return { type: 'turn-end', text: payload.optionalText('prompt_response') };
    case 'SessionStart':
      return { type: 'session-start', resumed: payload.optionalText('source') === 'resume' };
    case 'SessionEnd':
      return { type: 'session-end', reason: payload.optionalText('reason') ?? '' };
    case 'PreCompress':
      return { type: 'compaction', phase: 'before' };
    default:
      return { type: 'other' };
  }
}

function readCalls(payload: Payload, { env }: HookInput): readonly HostCall[] {
  const tool = payload.nonEmptyText('tool_name');
  const args = payload.object('tool_input').all;
  const mcp = payload.optionalObject('mcp_context');
  if (mcp !== undefined) {
    const [server, name] = [mcp.nonEmptyText('server_name'), mcp.nonEmptyText('tool_name')];
    return [serverCall({ server, tool: name, args }, { id: undefined })];
  }
  return geminiCalls({ tool, input: args, folder: payload.folder('cwd'), env });
}

/** A call that has run is recorded even if it would be refused now, for example because a file is gone. */
function readResultCalls(payload: Payload, input: HookInput): readonly HostCall[] {
  const [tool, args] = [payload.nonEmptyText('tool_name'), payload.object('tool_input').all];
  try {
    return readCalls(payload, input);
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    return [unknownCall({ tool, args }, { id: undefined })];
  }
}

function readOutcome(payload: Payload): HostOutcome {
  const response = payload.object('tool_response');
  const error = response.optionalObject('error');
  const value: JsonValue = response.value('llmContent') ?? '';
  return error === undefined ? { type: 'ok', value } : { type: 'error', value: error.optionalText('message') ?? value };
}
