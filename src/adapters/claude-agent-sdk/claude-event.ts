/** Reads the tool calls of Claude Code, as the hook of a coding agent reads them: one policy file applies to both. */

import { resolve } from 'node:path';
import { withFolder } from '../../hosts/handler/host-session.ts';
import type { HostCall } from '../../hosts/host.ts';
import { readClaudeEvent } from '../../hosts/claude/read-event.ts';
import { unknownCall } from '../../hosts/host-tools.ts';
import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import type { FrameworkCall } from '../framework-session.ts';
import type { ClaudeOptions } from './claude-options.ts';

/** A tool call of Claude Code. */
export interface ClaudeEvent {
  readonly payload: JsonObject;
  readonly session: string;
  readonly id: string;
  /** All of them must be allowed: a search in one file also reads it. */
  readonly calls: readonly ClaudeCall[];
  /** The declaration of the tool if it is one of an in-process server. */
  readonly own: ToolDeclaration | undefined;
}

interface ClaudeCall {
  readonly request: FrameworkCall;
  readonly toInput: HostCall['toInput'];
}

export class ClaudeEvents {
  private readonly env: Readonly<Record<string, string | undefined>>;
  private readonly folder: string;

  constructor(
    private readonly guard: FrameworkGuard,
    options: Pick<ClaudeOptions, 'cwd' | 'env'>,
    /** The declarations of the tools of in-process servers, by the names that Claude Code has for them. */
    private readonly ownTools: ReadonlyMap<string, ToolDeclaration>,
  ) {
    // The variable is for hooks that Claude Code starts. Here it may be about another project.
    this.env = { ...(options.env ?? process.env), CLAUDE_PROJECT_DIR: undefined };
    this.folder = resolve(options.cwd ?? process.cwd());
  }

  /** Throws if the payload cannot be read. */
  read(payload: JsonObject): ClaudeEvent {
    const { env, folder } = this;
    const event = readClaudeEvent({ payload: { ...payload, hook_event_name: 'PreToolUse' }, env, folder });
    const id = payload['tool_use_id'];
    if (event.type !== 'tool-call' || event.calls.length === 0 || typeof id !== 'string' || id === '')
      throw new BridleError('PAYLOAD_INVALID', 'the call cannot be read');
    const turn = turnOf(payload);
    const name = payload['tool_name'] as string;
    const source = sourceOf(payload);
    const own = source === undefined || source === 'sdk' ? this.ownTools.get(name) : undefined;
    const calls = event.calls.map((each, index): ClaudeCall => {
      const isOwn = own !== undefined || source === 'sdk';
      const call = isOwn ? ownCall(each, own) : withFolder(each, event.cwd, this.guard.cwd);
      if (call.otherNames !== undefined)
        throw new BridleError('PAYLOAD_INVALID', 'the server of the tool is not known');
      const { tool, server, args, declaration } = call;
      const known = server === undefined ? undefined : this.guard.attachedTool({ server, tool });
      const request = { id: index === 0 ? id : `${id}#${index + 1}`, tool: known ?? declaration, args, turn };
      return { request: { ...request, agent: agentOf(payload) }, toInput: call.toInput };
    });
    return { payload, session: event.session, id, calls, own };
  }

  /** The same call with another input; undefined if it is not the same call then. */
  withInput(event: ClaudeEvent, input: JsonObject): ClaudeEvent | undefined {
    const changed = this.read({ ...event.payload, tool_input: input });
    return described(changed) === described(event) ? changed : undefined;
  }

  /**
   * True if Claude Code ran a call with the args that were decided. Of a changed input, it completes paths, and adds fields
   * that have a default.
   */
  isSameCall(event: ClaudeEvent, decided: JsonObject, ran: JsonValue): boolean {
    if (sameJson(decided, ran)) return true;
    try {
      return isJsonObject(ran) && sameJson(this.viewOf(event, decided), this.viewOf(event, ran));
    } catch (error) {
      if (error instanceof BridleError) return false;
      throw error;
    }
  }

  /** What rules see of a call with this input. */
  private viewOf(event: ClaudeEvent, input: JsonObject): JsonValue {
    const read = this.read({ ...event.payload, tool_input: input });
    const args = read.calls.map(({ request }) => {
      // Claude Code adds flags that are not set.
      const isGiven = ([, value]: readonly [string, JsonValue | undefined]): boolean =>
        value !== undefined && (value !== false || request.tool.server !== undefined);
      return Object.fromEntries(Object.entries(request.args as JsonObject).filter(isGiven));
    });
    return [described(read), ...args];
  }

  /** The payload of a call that no hook has reported, for example because hooks are off. */
  payloadOf(session: string, call: JsonObject): JsonObject {
    return { session_id: session, cwd: this.folder, transcript_path: '', ...call };
  }
}

/** Facts hold for what the declarations say, so an edited call must have the same ones. */
function described({ calls }: ClaudeEvent): string {
  return JSON.stringify(calls.map(({ request: { tool } }) => ({ ...tool, schema: undefined })));
}

/** A tool of an in-process server is the user's own tool, so rules name it without the server. */
function ownCall({ id, tool, args, toInput }: HostCall, declaration: ToolDeclaration | undefined): HostCall {
  if (declaration === undefined) return unknownCall({ tool, args }, { id });
  return { id, tool, server: undefined, args, declaration, toInput };
}

/** Where the server of a tool comes from; undefined for built-in tools. */
function sourceOf({ mcp_server: server = null }: JsonObject): JsonValue | undefined {
  return isJsonObject(server) ? server['source'] : undefined;
}

/** The turn of an event: Claude Code gives every prompt an id. */
export function turnOf({ prompt_id: turn }: JsonObject): string | undefined {
  return typeof turn === 'string' ? turn : undefined;
}

/** Claude Code does not say which agent started a subagent. */
export function agentOf({ agent_id: id, agent_type: type }: JsonObject): readonly string[] {
  return typeof id === 'string' && id !== '' ? ['main', typeof type === 'string' && type !== '' ? type : id] : ['main'];
}
