/**
 * A connection to one MCP server that survives restarts of the server: if the server dies, the running call fails and the
 * next call reconnects. Every tool list is compared with the pins before a tool is called. If the list can't be read, no
 * tool of the server can be called.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { quoteName } from '../kernel/names.ts';
import { BridleError, messageOf } from '../kernel/errors.ts';
import { cutText, type JsonObject, type JsonValue, sameJson } from '../kernel/json.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';
import { Link, requestTimeoutOf, abortable } from './transport/link.ts';
import type { McpCallOptions, ConnectOptions, McpConnection } from './mcp-connection.ts';
import { defaultMcpLimits, type McpLimits } from './protocol/mcp-limits.ts';
import { readMcpTools, type McpTool, type McpToolSet } from './mcp-tool.ts';
import { isHidden, type McpServerConfig } from './protocol/server-config.ts';
import { fetchTools, type ToolList } from './protocol/tool-list.ts';
import { readToolResult } from './protocol/tool-result.ts';

const debounceMs = 50;
const maxRefreshes = 3;
const defaultRetryMs = [0, 250, 1000];
const firstCoolDownMs = 1000;
const maxCoolDownMs = 60_000;

export class ServerConnection implements McpConnection {
  readonly server: string;
  private readonly limits: McpLimits;
  private readonly closing = new AbortController();
  private toolSet: McpToolSet = { tools: [], declarations: [], definitions: new Map(), warnings: [] };
  private link: Link | undefined;
  private connecting: Promise<void> | undefined;
  private closed: Promise<void> | undefined;
  /** True while the tool list has changed and was not read again: no tool can be called. */
  private isStale = false;
  private hasListed = false;
  private refreshing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private failedRounds = 0;
  private notBefore = 0;
  private lastFailure = '';

  constructor(
    private readonly config: McpServerConfig,
    private readonly options: ConnectOptions,
  ) {
    this.server = config.name;
    this.limits = { ...defaultMcpLimits, ...options.limits };
  }

  get tools(): readonly McpTool[] {
    return this.toolSet.tools;
  }

  get declarations(): readonly ToolDeclaration[] {
    return this.toolSet.declarations;
  }

  get warnings(): readonly string[] {
    return this.toolSet.warnings;
  }

  get pid(): number | undefined {
    return this.link?.pid;
  }

  async call(tool: string, args: JsonObject, { signal, attach }: McpCallOptions = {}): Promise<JsonValue> {
    signal?.throwIfAborted();
    const link = await abortable(this.readyLink(), signal);
    const definition = this.toolSet.definitions.get(tool);
    if (definition === undefined || isHidden(this.config, tool)) {
      throw new BridleError('MCP_CALL_FAILED', `server ${quoteName(this.server)} has no tool ${quoteName(tool)}`);
    }
    const held = this.options.pins.whyHeld(this.server, tool);
    if (held !== undefined) throw new BridleError('MCP_TOOL_HELD', held);
    let raw: unknown;
    try {
      raw = await link.callTool(definition, args, { signal, timeoutMs: requestTimeoutOf(this.config) });
    } catch (error) {
      signal?.throwIfAborted();
      throw this.explain(error, tool, link);
    }
    return readToolResult(raw, { limits: this.limits, attach });
  }

  close(): Promise<void> {
    this.closed ??= this.shutDown();
    return this.closed;
  }

  /** Makes one attempt to connect. */
  async connect(signal: AbortSignal | undefined): Promise<void> {
    const signals = [this.closing.signal, ...(signal === undefined ? [] : [signal])];
    let link: Link | undefined;
    try {
      link = await Link.open(this.config, {
        limits: this.limits,
        signal: AbortSignal.any(signals),
        onLost: (lost, how) => this.onLost(lost, how),
        onListChanged: () => this.onListChanged(),
      });
      await this.list(link, AbortSignal.any(signals));
      if (link.lostReason !== undefined) throw new BridleError('MCP_SERVER_FAILED', link.lostReason);
      this.link = link;
    } catch (error) {
      await link?.close();
      this.closing.signal.throwIfAborted();
      signal?.throwIfAborted();
      throw this.failure(`cannot connect to ${this.targetName()}`, error);
    }
  }

  private async shutDown(): Promise<void> {
    clearTimeout(this.timer);
    this.closing.abort(this.failure('disconnected'));
    const { link } = this;
    this.link = undefined;
    await link?.close();
    await this.connecting?.catch(() => undefined);
  }

  /** A working link with a current tool list. */
  private async readyLink(): Promise<Link> {
    this.closing.signal.throwIfAborted();
    if (this.link === undefined) {
      this.connecting ??= this.reconnect().finally(() => (this.connecting = undefined));
      await this.connecting;
    }
    for (let tries = 0; this.isStale && this.link !== undefined; tries++) {
      if (tries === maxRefreshes) throw this.failure('its tool list keeps changing');
      await this.refresh();
    }
    this.closing.signal.throwIfAborted();
    if (this.link === undefined) throw this.failure('the connection was lost again');
    return this.link;
  }

  /** Makes a few attempts with growing delays, then cools down before the next round. */
  private async reconnect(): Promise<void> {
    const left = Math.ceil(this.notBefore - performance.now());
    if (left > 0) throw new BridleError('MCP_SERVER_FAILED', `${this.lastFailure} (next attempt in ${left} ms)`);
    let failure: unknown;
    for (const ms of this.options.retryMs ?? defaultRetryMs) {
      if (ms > 0) await sleep(ms, undefined, { signal: this.closing.signal }).catch(() => undefined);
      this.closing.signal.throwIfAborted();
      try {
        await this.connect(undefined);
        this.failedRounds = 0;
        this.notify(() => this.options.onReconnected?.());
        return;
      } catch (error) {
        failure = error;
      }
    }
    this.closing.signal.throwIfAborted();
    this.lastFailure = messageOf(failure);
    this.notBefore = performance.now() + Math.min(maxCoolDownMs, firstCoolDownMs * 2 ** this.failedRounds++);
    throw failure;
  }

  private onLost(link: Link, how: string): void {
    if (this.link !== link) return;
    this.link = undefined;
    this.notify(() => this.options.onLost?.(how));
  }

  /** Debounces change notifications. The timer is not restarted, so a flood of them can't postpone the refresh. */
  private onListChanged(): void {
    this.isStale = true;
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.link === undefined || !this.isStale) return;
      this.refresh().catch((error: unknown) => this.warn([messageOf(error)]));
    }, debounceMs);
    this.timer.unref();
  }

  private refresh(): Promise<void> {
    this.refreshing ??= this.relist().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async relist(): Promise<void> {
    const { link } = this;
    if (link === undefined) return;
    try {
      await this.list(link, this.closing.signal);
    } catch (error) {
      this.isStale = true;
      this.dropIfBroken(link, error);
      throw this.failure('its tools have changed and cannot be listed', error);
    }
  }

  private async list(link: Link, signal: AbortSignal): Promise<void> {
    // A notification from here on is about a later list.
    this.isStale = false;
    const found = await this.fetch(link, signal);
    const listed = readMcpTools(this.config, found, this.options.toSchema);
    const held = await this.options.pins.review(this.config, [...listed.definitions.values()]);
    const visible = held.filter(({ tool }) => !isHidden(this.config, tool));
    const isFirst = !this.hasListed;
    this.hasListed = true;
    const isSame = sameJson(definitionsAsJson(this.toolSet), definitionsAsJson(listed));
    this.toolSet = listed;
    this.warn(listed.warnings);
    if (visible.length > 0 || !(isFirst || isSame)) this.notify(() => this.options.onToolsChanged?.(this, visible));
  }

  private async fetch(link: Link, signal: AbortSignal): Promise<ToolList> {
    if (!link.hasTools) return { tools: [], warnings: ['it has no tools'] };
    const timeoutMs = requestTimeoutOf(this.config);
    const limit = AbortSignal.timeout(timeoutMs);
    const limits = { signal: AbortSignal.any([signal, limit]), timeoutMs };
    try {
      return await fetchTools((cursor) => link.listPage(cursor, limits), this.limits);
    } catch (error) {
      signal.throwIfAborted();
      const late = limit.aborted || link.isTimeout(error);
      if (!late && link.lostReason === undefined) throw error;
      const why = late ? `it did not list its tools within ${timeoutMs} ms` : (link.lostReason ?? '');
      throw new BridleError('MCP_SERVER_FAILED', why, { cause: error });
    }
  }

  private explain(error: unknown, tool: string, link: Link): BridleError {
    this.closing.signal.throwIfAborted();
    const who = `server ${quoteName(this.server)}`;
    const fail = (why: string): BridleError =>
      new BridleError('MCP_CALL_FAILED', cutText(why, 2 * this.limits.reasonLength), { cause: error });
    if (link.isAnswer(error)) return fail(`${who} refused ${quoteName(tool)}: ${messageOf(error)}`);
    if (link.isTimeout(error)) {
      return fail(`${who} did not answer ${quoteName(tool)} within ${requestTimeoutOf(this.config)} ms`);
    }
    this.dropIfBroken(link, error);
    return fail(`${who} was lost while ${quoteName(tool)} ran: ${link.lostReason ?? messageOf(error)}`);
  }

  /** Over HTTP, only a failing request shows that the server is gone or has lost the session. */
  private dropIfBroken(link: Link, error: unknown): void {
    if (!link.isHttp || link.lostReason !== undefined || link.isAnswer(error) || link.isTimeout(error)) return;
    this.onLost(link, messageOf(error));
    void link.close();
  }

  private failure(what: string, cause?: unknown): BridleError {
    if (cause instanceof BridleError && cause.code === 'PACKAGE_MISSING') return cause;
    const why = cause === undefined ? '' : `: ${cutText(messageOf(cause), 2 * this.limits.reasonLength)}`;
    return new BridleError('MCP_SERVER_FAILED', `server ${quoteName(this.server)}: ${what}${why}`, { cause });
  }

  /** Without arguments and query, which may contain secrets. */
  private targetName(): string {
    const { command, url } = this.config;
    return command === undefined ? new URL(url).origin : quoteName(command);
  }

  private warn(messages: readonly string[]): void {
    for (const message of messages)
      this.notify(() => this.options.onWarning?.(`server ${quoteName(this.server)}: ${message}`));
  }

  /** An error in a listener must not break the connection. */
  private notify(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      queueMicrotask(() =>
        process.emitWarning(`a listener of server ${quoteName(this.server)} failed: ${messageOf(error)}`),
      );
    }
  }
}

function definitionsAsJson({ definitions }: McpToolSet): JsonValue {
  return [...definitions] as unknown as JsonValue;
}
