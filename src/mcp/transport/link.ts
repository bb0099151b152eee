/** One connection to a server, from the handshake until either side closes it. `ServerConnection` opens a new one. */

import type * as sdkModule from '@modelcontextprotocol/client';
import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { loadWithPackages } from '../../files/optional-packages.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { cutText, type JsonObject } from '../../kernel/json.ts';
import { answerCutOff, endHttpSession, isServerGone, openHttp } from './http-transport.ts';
import { agentVariable } from '../../files/agent-environment.ts';
import type { McpLimits } from '../protocol/mcp-limits.ts';
import type { McpServerConfig } from '../protocol/server-config.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { McpToolDefinition } from '../protocol/tool-list.ts';

type Sdk = typeof sdkModule;

export interface LinkOptions {
  readonly limits: McpLimits;
  readonly signal: AbortSignal | undefined;
  /** Called when the link is lost, not when it is closed on purpose. */
  readonly onLost: (link: Link, how: string) => void;
  readonly onListChanged: () => void;
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

const connectTimeoutMs = 30_000;
/** Some servers never answer unknown requests, so the protocol probe gets a shorter timeout. */
const maxProbeMs = 10_000;
const requestTimeoutMs = 60_000;
const relistenMs = 30_000;
const anySchema = { '~standard': { version: 1, vendor: 'bridle', validate: (value: unknown) => ({ value }) } } as const;

export class Link {
  /** Why the link was lost; undefined while it works. */
  lostReason: string | undefined;
  private isClosed = false;

  private constructor(
    private readonly sdk: Sdk,
    private readonly client: Client,
    private readonly transport: StdioTransport | StreamableHTTPClientTransport,
  ) {}

  /** Starts or reaches the server and does the handshake. If it fails, everything is closed again. */
  static async open(config: McpServerConfig, options: LinkOptions): Promise<Link> {
    const sdk = await loadWithPackages(
      'An MCP server',
      ['@modelcontextprotocol/client'],
      () => import('@modelcontextprotocol/client'),
    );
    const timeoutMs = config.timeoutMs ?? connectTimeoutMs;
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = options.signal === undefined ? limit : AbortSignal.any([limit, options.signal]);
    let failed: unknown;
    // Some servers exit at an unknown request: retry once with the legacy protocol.
    for (const prior of [undefined, 'legacy'] as const) {
      const link = await Link.make(sdk, config, options);
      try {
        await link.handshake(prior, { signal, timeoutMs });
        link.watch(options);
        return link;
      } catch (error) {
        const late = limit.aborted ? `it did not answer within ${timeoutMs} ms` : undefined;
        failed = link.explain(error, late);
        await link.close();
        options.signal?.throwIfAborted();
        if (limit.aborted || !isEraFailure(sdk, error)) break;
      }
    }
    throw failed;
  }

  private static async make(sdk: Sdk, config: McpServerConfig, { limits }: LinkOptions): Promise<Link> {
    const client = new sdk.Client(
      { name: 'bridle', version: '1' },
      { versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs(config) } }, capabilities: {} },
    );
    if (config.url !== undefined) {
      return new Link(sdk, client, openHttp(sdk.StreamableHTTPClientTransport, config, limits.messageBytes));
    }
    const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
    const { command, args = [], cwd, env } = config;
    const child = { command, args, cwd, env: { ...getDefaultEnvironment(), ...env, [agentVariable]: '1' } };
    const { messageBytes } = limits;
    return new Link(sdk, client, new StdioTransport({ command: child, messageBytes, parse: sdk.deserializeMessage }));
  }

  get isHttp(): boolean {
    return !(this.transport instanceof StdioTransport);
  }

  get pid(): number | undefined {
    return this.transport instanceof StdioTransport ? (this.transport.pid ?? undefined) : undefined;
  }

  get hasTools(): boolean {
    return this.client.getServerCapabilities()?.tools !== undefined;
  }

  listPage(cursor: string | undefined, limits: RequestOptions): Promise<unknown> {
    const params = cursor === undefined ? {} : { cursor };
    return this.client.request({ method: 'tools/list', params }, anySchema, forSdk(limits));
  }

  callTool(tool: McpToolDefinition, args: JsonObject, limits: RequestOptions): Promise<unknown> {
    const params = { name: tool.name, arguments: args };
    // Only the SDK's callTool copies arguments into HTTP headers, for tools that require it.
    if (this.isHttp && JSON.stringify(tool.inputSchema).includes('"x-mcp-header"')) {
      const toolDefinition = { name: tool.name, inputSchema: tool.inputSchema as { type: 'object' } };
      return this.client.callTool(params, { ...forSdk(limits), toolDefinition });
    }
    return this.client.request({ method: 'tools/call', params }, anySchema, forSdk(limits));
  }

  /** True if the error is the server's own answer. */
  isAnswer(error: unknown): boolean {
    return error instanceof this.sdk.ProtocolError && error.data !== answerCutOff;
  }

  isTimeout(error: unknown): boolean {
    return error instanceof this.sdk.SdkError && error.code === this.sdk.SdkErrorCode.RequestTimeout;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.transport instanceof this.sdk.StreamableHTTPClientTransport) await endHttpSession(this.transport);
    await this.client.close().catch(() => undefined);
    // The client does not close a transport that it never connected.
    await this.transport.close().catch(() => undefined);
  }

  /** How a child process exited, and its last output on stderr. */
  exitDetails(): string {
    if (!(this.transport instanceof StdioTransport)) return '';
    const { exitReason, stderr } = this.transport;
    const output = stderr === '' ? '' : `its last output: ${stderr}`;
    return [exitReason === undefined ? '' : `it ${exitReason}`, output].filter((text) => text !== '').join('; ');
  }

  /** Explains why there is no connection. Called before closing: if the child has exited, its exit is the best reason. */
  private explain(error: unknown, late: string | undefined): BridleError {
    const ended = this.transport instanceof StdioTransport && this.transport.exitReason !== undefined;
    const why = ended ? '' : (late ?? withCause(error));
    const message = [why, this.exitDetails()].filter((text) => text !== '').join('; ');
    return new BridleError('MCP_SERVER_FAILED', cutText(message, 8192), { cause: error });
  }

  private async handshake(prior: 'legacy' | undefined, { signal, timeoutMs }: Required<RequestOptions>): Promise<void> {
    const connected = this.client.connect(this.transport, {
      timeout: timeoutMs,
      ...(prior !== undefined && { prior: { kind: prior } }),
    });
    await abortable(connected, signal);
  }

  private watch({ onLost, onListChanged }: LinkOptions): void {
    this.client.setNotificationHandler('notifications/tools/list_changed', onListChanged);
    const onclose = (): void => {
      this.lostReason = this.exitDetails() || 'the connection was closed';
      if (!this.isClosed) onLost(this, this.lostReason);
    };
    const onerror = (error: Error): void => {
      if (this.isHttp && isServerGone(error)) void this.client.close();
    };
    Object.assign(this.client, { onclose, onerror });
    const { transport } = this;
    if (transport instanceof StdioTransport && transport.exitReason !== undefined) onclose();
    const { tools } = this.client.getServerCapabilities() ?? {};
    if (this.client.getProtocolEra() === 'modern' && tools?.listChanged === true) void this.listen(onListChanged);
  }

  /** Newer servers send changes only to subscribers. When the subscription ends, the list may have changed unnoticed. */
  private async listen(onListChanged: () => void): Promise<void> {
    const listening = this.client.listen({ toolsListChanged: true });
    // If the server refuses the subscription, calls still work.
    const end = await listening.then(
      ({ closed }) => closed,
      () => 'refused' as const,
    );
    if (end === 'local') return;
    setTimeout(() => {
      if (this.isClosed || this.lostReason !== undefined) return;
      onListChanged();
      void this.listen(onListChanged);
    }, relistenMs).unref();
  }
}

/** A configured timeout applies to connecting and to requests; the defaults differ. */
export function requestTimeoutOf(config: McpServerConfig): number {
  return config.timeoutMs ?? requestTimeoutMs;
}

/** Rejects when the signal is aborted; a later result is ignored. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function probeMs({ timeoutMs = connectTimeoutMs }: McpServerConfig): number {
  return Math.min(maxProbeMs, Math.ceil(timeoutMs / 2));
}

function forSdk({ signal, timeoutMs }: RequestOptions): { timeout: number; signal?: AbortSignal } {
  return { timeout: timeoutMs, ...(signal !== undefined && { signal }) };
}

function isEraFailure(sdk: Sdk, error: unknown): boolean {
  return error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.EraNegotiationFailed;
}

/** Adds the cause: fetch errors only say that the request failed. */
function withCause(error: unknown): string {
  const { cause } = Object(error) as { cause?: { message?: unknown; code?: unknown } };
  const why = cause?.message === '' ? cause.code : cause?.message;
  return typeof why === 'string' ? `${messageOf(error)}: ${why}` : messageOf(error);
}
