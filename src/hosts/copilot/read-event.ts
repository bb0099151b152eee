/**
 * Reads the payloads of Copilot CLI's hooks. Most of them do not name their event: it follows from their fields. Hooks in
 * the format of another host, for example in a repository's `.claude/settings.json`, get other field names.
 */

import { isAbsolute } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import type { HookInput, HostCall, HostEvent, HostEventBody, HostOutcome } from '../host.ts';
import { unknownCall } from '../host-tools.ts';
import { Payload } from '../payload.ts';
import { copilotCalls, permissionCalls } from './tools.ts';

/** Names of events in the other format; only their calls and results have the field `tool_name`. */
const foreignEvents =
  /^(?:PreToolUse|PostToolUse|PostToolUseFailure|PermissionRequest|UserPromptSubmit|Stop|SubagentStart|SubagentStop|PreCompact)$/;

export function isCopilotPayload({ payload, env }: HookInput): boolean {
  const type = (name: string): string => (Object.hasOwn(payload, name) ? typeof payload[name] : 'undefined');
  if (type('sessionId') === 'string' && type('timestamp') === 'number') return true;
  if (type('session_id') !== 'string' || type('timestamp') !== 'string') return false;
  const event = Object.hasOwn(payload, 'hook_event_name') ? payload['hook_event_name'] : undefined;
  if (typeof event !== 'string') return false;
  if (type('transcript_path') === 'undefined' || foreignEvents.test(event)) return true;
  // Gemini CLI sends the same fields.
  return (
    env['COPILOT_CLI'] !== undefined &&
    env['GEMINI_SESSION_ID'] !== payload['session_id'] &&
    !/^(?:Before|After)/.test(event)
  );
}

/** The names of fields in one of the two formats. */
interface Format {
  readonly isForeign: boolean;
  readonly session: string;
  readonly tool: string;
  readonly input: string;
  readonly result: string;
  readonly agent: string;
  readonly parent: string;
}

const ownFormat: Format = {
  isForeign: false,
  session: 'sessionId',
  tool: 'toolName',
  input: 'toolArgs',
  result: 'toolResult',
  agent: 'agentId',
  parent: 'parentAgentId',
};
const foreignFormat: Format = {
  isForeign: true,
  session: 'session_id',
  tool: 'tool_name',
  input: 'tool_input',
  result: 'tool_result',
  agent: 'agent_id',
  parent: 'parent_agent_id',
};

export function readCopilotEvent(input: HookInput): HostEvent {
  const payload = new Payload(input.payload);
  const format = payload.has('sessionId') ? ownFormat : foreignFormat;
  const name = eventName(payload, format);
  const [agent, parent] = [payload.optionalText(format.agent), payload.optionalText(format.parent)];
  const project = input.env['COPILOT_PROJECT_DIR'];
  const common = {
    name,
    // A subagent has its own session; its parent is the main agent, unless subagents are nested.
    session: (agent === undefined ? undefined : parent) ?? payload.nonEmptyText(format.session),
    agent: agent === undefined ? ['main'] : ['main', agent],
    cwd: payload.folder('cwd'),
    project: project !== undefined && isAbsolute(project) ? project : input.folder,
    version: input.env['COPILOT_CLI_BINARY_VERSION'],
  };
  return { ...common, ...readBody(name, { payload, format, input }) };
}

function eventName(payload: Payload, format: Format): string {
  if (format.isForeign) return payload.nonEmptyText('hook_event_name');
  const named = payload.optionalText('hookName') ?? payload.optionalText('hook_event_name');
  const has = (...names: readonly string[]): boolean => names.every((name) => payload.has(name));
  if (named === 'permissionRequest') return named;
  if (has('toolName') || has('toolArgs') || has('toolInput')) {
    if (has('toolResult')) return 'postToolUse';
    return has('error') ? 'postToolUseFailure' : 'preToolUse';
  }
  if (named !== undefined) return named;
  if (has('prompt')) return has('transformedPrompt') ? 'userPromptTransformed' : 'userPromptSubmitted';
  if (has('stopReason')) return has('agentId') ? 'subagentStop' : 'agentStop';
  if (has('agentId')) return 'subagentStart';
  if (has('source')) return 'sessionStart';
  if (has('trigger')) return 'preCompact';
  return has('reason') ? 'sessionEnd' : 'unknown';
}

interface Parts {
  readonly payload: Payload;
  readonly format: Format;
  readonly input: HookInput;
}

function readBody(name: string, parts: Parts): HostEventBody {
  const { payload, format } = parts;
  const carriesCall = [ownFormat.tool, ownFormat.input, 'toolInput', foreignFormat.tool, foreignFormat.input].some(
    (field) => payload.has(field),
  );
  if (/^postToolUse(?:Failure)?$/i.test(name)) {
    return { type: 'tool-result', calls: readResultCalls(parts), outcome: readOutcome(payload, format) };
  }
  if (carriesCall || /^(?:preToolUse|permissionRequest)$/i.test(name)) {
    return { type: 'tool-call', calls: readCalls(name, parts) };
  }
  switch (name) {
    case 'userPromptSubmitted':
    case 'UserPromptSubmit':
      return { type: 'prompt', text: payload.text('prompt') };
    case 'sessionStart':
    case 'SessionStart':
      return { type: 'session-start', resumed: payload.optionalText('source') === 'resume' };
    case 'sessionEnd':
    case 'SessionEnd':
      return { type: 'session-end', reason: payload.optionalText('reason') ?? '' };
    case 'agentStop':
    case 'Stop':
      return { type: 'turn-end', text: payload.optionalText('response') };
    case 'preCompact':
    case 'PreCompact':
      return { type: 'compaction', phase: 'before' };
    default:
      return { type: 'other' };
  }
}

function readCalls(name: string, { payload, format, input: { env } }: Parts): readonly HostCall[] {
  const tool = payload.nonEmptyText(format.tool);
  const folder = payload.folder('cwd');
  if (name === 'permissionRequest') {
    return permissionCalls({ tool, input: payload.value('toolInput'), folder, env });
  }
  return copilotCalls({ tool, input: payload.value(format.input), folder, env });
}

/** A call that has run is recorded even if its input is odd. */
function readResultCalls(parts: Parts): readonly HostCall[] {
  const { payload, format } = parts;
  const tool = payload.nonEmptyText(format.tool);
  try {
    return readCalls('preToolUse', parts);
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    return [unknownCall({ tool, args: { input: payload.value(format.input) ?? null } }, { id: undefined })];
  }
}

function readOutcome(payload: Payload, format: Format): HostOutcome {
  const result = payload.optionalObject(format.result);
  if (result === undefined) return { type: 'error', value: payload.value('error') ?? '' };
  const value = result.optionalText(format.isForeign ? 'text_result_for_llm' : 'textResultForLlm') ?? '';
  const kind = result.optionalText(format.isForeign ? 'result_type' : 'resultType');
  return { type: kind === undefined || kind === 'success' ? 'ok' : 'error', value };
}
