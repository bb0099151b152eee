/** Reads what Bridle's plugin for opencode sends: the event, and the arguments of the plugin's function. */

import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import type { HookInput, HostCall, HostEvent, HostEventBody } from '../host.ts';
import { unknownCall } from '../host-tools.ts';
import { Payload } from '../payload.ts';
import { opencodeCalls } from './tools.ts';

export function isOpencodePayload({ payload }: HookInput): boolean {
  const has = (name: string): boolean => Object.hasOwn(payload, name);
  return has('host') && payload['host'] === 'opencode' && has('event') && typeof payload['event'] === 'string';
}

interface Parts {
  readonly payload: Payload;
  readonly input: Payload;
  /** Empty if the event has no output. */
  readonly output: Payload;
  readonly env: HookInput['env'];
}

export function readOpencodeEvent(hook: HookInput): HostEvent {
  const payload = new Payload(hook.payload);
  const input = payload.object('input');
  const output = payload.optionalObject('output') ?? new Payload({}, 'output.');
  const event = payload.nonEmptyText('event');
  const name = event === 'event' ? input.nonEmptyText('type') : event;
  const [session, ...subagents] = readSessions(payload, input);
  const directory = payload.folder('directory');
  const common = {
    name,
    session: session ?? 'none',
    agent: ['main', ...subagents],
    cwd: directory,
    project: directory,
    version: payload.optionalText('version'),
  };
  const body = readBody(name, { payload, input, output, env: hook.env });
  // Prompts and turns of a subagent belong to the turn of the main agent.
  const isInner = subagents.length > 0 && !body.type.startsWith('tool-');
  return { ...common, ...(isInner ? { type: 'other' } : body) };
}

/** From the session of the main agent to the one of the event. The plugin knows the parents of sessions. */
function readSessions(payload: Payload, input: Payload): readonly string[] {
  const sessions = payload.value('sessions');
  if (sessions === undefined) {
    const session = input.optionalText('sessionID') ?? input.optionalObject('properties')?.optionalText('sessionID');
    // A call belongs to a session; other events may not.
    if (!session && input.has('tool')) return input.fail('sessionID', 'is missing');
    return session ? [session] : [];
  }
  if (!isTextList(sessions)) return payload.fail('sessions', 'is not a list of names');
  return sessions;
}

function isTextList(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
}

function readBody(name: string, parts: Parts): HostEventBody {
  const { input, output } = parts;
  if (name === 'tool.execute.after') {
    const value = output.value('output') ?? contentText(output.value('content')) ?? '';
    return { type: 'tool-result', calls: readResultCalls(parts), outcome: { type: 'ok', value } };
  }
  if (name === 'tool.execute.before' || input.has('tool') || output.has('args')) {
    return { type: 'tool-call', calls: readCalls(parts, output) };
  }
  switch (name) {
    case 'chat.message':
      return { type: 'prompt', text: contentText(output.value('parts')) ?? output.fail('parts', 'is not a list') };
    case 'session.created':
      return { type: 'session-start', resumed: false };
    case 'session.deleted':
      return { type: 'session-end', reason: 'deleted' };
    case 'session.idle':
      return { type: 'turn-end', text: undefined };
    case 'session.compacted':
      return { type: 'compaction', phase: 'after', summary: '' };
    default:
      return { type: 'other' };
  }
}

/** The texts of a list of parts. */
function contentText(parts: JsonValue | undefined): string | undefined {
  if (!Array.isArray(parts)) return undefined;
  const texts = (parts as readonly JsonValue[]).map((part) => (isJsonObject(part) ? part['text'] : undefined));
  return texts.filter((text) => typeof text === 'string').join('\n');
}

/** The arguments are in the output before a call, and in the input after it. */
function readCalls({ payload, input, env }: Parts, holder: Payload): readonly HostCall[] {
  const servers = payload.value('servers');
  if (servers !== undefined && !isTextList(servers)) payload.fail('servers', 'is not a list of names');
  const project = payload.folder('directory');
  const knowsShell = Object.hasOwn(payload.all, 'shell');
  return opencodeCalls({
    id: input.optionalText('callID'),
    tool: input.nonEmptyText('tool'),
    input: holder.object('args').all,
    folder: project,
    shell: { configured: knowsShell ? (payload.optionalText('shell') ?? null) : undefined, env, project },
    servers: servers as readonly string[] | undefined,
  });
}

/** A call that has run is recorded even if its arguments are odd. */
function readResultCalls(parts: Parts): readonly HostCall[] {
  const { input } = parts;
  const [tool, id] = [input.nonEmptyText('tool'), input.optionalText('callID')];
  try {
    return readCalls(parts, input);
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    return [unknownCall({ tool, args: { input: input.value('args') ?? null } }, { id })];
  }
}
