/**
 * Communicates with a child process over its pipes. Unlike the SDK's transport, it starts the child in its own process
 * group, waits until a killed child has exited, and does not copy a long line for each chunk of it.
 */

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { BridleError } from '../../kernel/errors.ts';
import { ChildProcessGroup, type SpawnCommand } from './child-process-group.ts';

export interface StdioOptions {
  readonly command: SpawnCommand;
  /** The largest message that is accepted. */
  readonly messageBytes: number;
  /** Parses one line; throws if it is not a message. */
  parse(line: string): JSONRPCMessage;
}

/** How long to wait for a child with a broken pipe to exit. */
const exitGraceMs = 1000;

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  /** How the child exited; undefined while it runs. */
  exitReason: string | undefined;
  private group: ChildProcessGroup | undefined;
  private pieces: Buffer[] = [];
  private pendingBytes = 0;

  constructor(private readonly options: StdioOptions) {}

  get pid(): number | null {
    return this.group?.pid ?? null;
  }

  /** The SDK recognises a stdio transport by `pid` and `stderr`. */
  get stderr(): string {
    return this.group?.stderrTail ?? '';
  }

  async start(): Promise<void> {
    const group = new ChildProcessGroup(this.options.command);
    this.group = group;
    group.stdin.on('error', (error) => this.onerror?.(error));
    group.stdout.on('error', (error) => this.onerror?.(error));
    group.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    void group.exited.then((how) => {
      this.exitReason ??= how;
      this.onclose?.();
    });
    await group.started();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.group?.stdin;
      if (stdin === undefined || !stdin.writable) {
        reject(new BridleError('MCP_SERVER_FAILED', 'the server has closed its input'));
        return;
      }
      stdin.write(`${JSON.stringify(message)}\n`, (error) => {
        if (!error) resolve();
        // The pipe broke because the child is exiting; its exit gives a better reason.
        else void this.group?.exitsWithin(exitGraceMs).then(() => reject(error));
      });
    });
  }

  async close(): Promise<void> {
    await this.group?.terminate();
  }

  private receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      this.pieces.push(rest.subarray(0, end));
      const line = Buffer.concat(this.pieces).toString('utf8');
      this.pieces = [];
      this.pendingBytes = 0;
      rest = rest.subarray(end + 1);
      this.readLine(line);
    }
    if (rest.length === 0) return;
    this.pieces.push(rest);
    this.pendingBytes += rest.length;
    if (this.pendingBytes > this.options.messageBytes) this.rejectOversized();
  }

  private readLine(line: string): void {
    // Some servers print banners on stdout: skip lines that are not JSON objects.
    if (!line.trimStart().startsWith('{')) return;
    let message: JSONRPCMessage;
    try {
      message = this.options.parse(line);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new BridleError('MCP_SERVER_FAILED', String(error)));
      return;
    }
    this.onmessage?.(message);
  }

  private rejectOversized(): void {
    this.pieces = [];
    this.pendingBytes = 0;
    this.exitReason ??= `sent a message larger than ${this.options.messageBytes} bytes`;
    this.group?.signal('SIGKILL');
  }
}
