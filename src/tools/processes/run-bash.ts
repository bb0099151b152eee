/**
 * Runs one command line in bash in its own process group, without the user's shell configuration and without stdin. At
 * any limit the whole group is killed (X11).
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { trimPartialCharacters } from '../text/text-file.ts';
import { ProcessGroup } from './process-group.ts';

export interface BashCommand {
  /** Absolute path of bash. */
  readonly shell: string;
  readonly commandLine: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Bytes kept of stdout and of stderr, each. */
  readonly keptBytes: number;
  /** The most bytes a command may print before it is killed. */
  readonly maxBytes: number;
  /** How long a group may take to end after SIGTERM. */
  readonly graceMs: number;
  /** Called with the output while the command runs. */
  readonly onOutput?: ((text: string) => void) | undefined;
}

export interface BashResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was stopped early, if it was. */
  readonly ended: string | undefined;
  /** True if it left processes in the background. They were killed. */
  readonly hadBackground: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process outside the group can keep a pipe open forever. */
const drainMs = 500;

export async function runBash(command: BashCommand): Promise<BashResult> {
  command.signal.throwIfAborted();
  const child = start(command);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = once(child, 'close');
  // Both reject if the process cannot start; `pidOf` reports that error.
  closed.catch(() => undefined);
  exited.catch(() => undefined);
  const pid = await pidOf(child, command);
  const group = new ProcessGroup(pid, command.graceMs);
  const watch = new OutputWatch(child, command, group);
  try {
    const [exitCode, signal] = await exited;
    const hadBackground = watch.ended === undefined && group.isAlive;
    await group.end();
    await Promise.race([closed, delay(drainMs)]);
    const { ended, stdout, stderr } = watch;
    return { exitCode, signal, ended, hadBackground, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    watch.stop();
    group.release();
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

function start({ shell, commandLine, cwd, env }: BashCommand): ChildProcess {
  try {
    // Without `--`, a command line that starts with a dash would be parsed as options of bash.
    return spawn(shell, ['--noprofile', '--norc', '-c', '--', commandLine], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw new BridleError('TOOL_FAILED', `The command cannot be started: ${messageOf(error)}`, { cause: error });
  }
}

async function pidOf(child: ChildProcess, { shell }: BashCommand): Promise<number> {
  if (child.pid !== undefined) return child.pid;
  const [error] = (await once(child, 'error')) as [unknown];
  throw new BridleError('TOOL_FAILED', `${shell} cannot be started: ${messageOf(error)}`, { cause: error });
}

/** Collects output and stops the group at a limit. */
class OutputWatch {
  readonly stdout: HeadTail;
  readonly stderr: HeadTail;
  ended: string | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly onAbort = (): void => this.end('cancellation');

  constructor(
    child: ChildProcess,
    private readonly command: BashCommand,
    private readonly group: ProcessGroup,
  ) {
    this.stdout = this.read(child.stdout);
    this.stderr = this.read(child.stderr);
    this.timer = setTimeout(() => this.end(`time limit of ${command.timeoutMs} ms`), command.timeoutMs);
    command.signal.addEventListener('abort', this.onAbort, { once: true });
    if (command.signal.aborted) this.onAbort();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.command.signal.removeEventListener('abort', this.onAbort);
  }

  private read(stream: ChildProcess['stdout']): HeadTail {
    const { keptBytes, onOutput } = this.command;
    const kept = new HeadTail(keptBytes);
    const decoder = onOutput && new TextDecoder();
    stream?.on('data', (chunk: Buffer) => {
      kept.add(chunk);
      if (decoder !== undefined) onOutput?.(decoder.decode(chunk, { stream: true }));
      if (kept.total > this.command.maxBytes) this.end(`output limit of ${this.command.maxBytes} bytes`);
    });
    return kept;
  }

  private end(why: string): void {
    if (this.ended !== undefined) return;
    this.ended = why;
    void this.group.end();
  }
}

/** Keeps the start and the end of a stream and counts the bytes in between. */
class HeadTail {
  /** All bytes received. */
  total = 0;
  private head: Buffer[] = [];
  private headRoom: number;
  private tail: Buffer = Buffer.alloc(0);

  constructor(private readonly limit: number) {
    this.headRoom = Math.ceil(limit / 2);
  }

  add(chunk: Buffer): void {
    this.total += chunk.length;
    const first = chunk.subarray(0, this.headRoom);
    if (first.length > 0) this.head.push(Buffer.from(first));
    this.headRoom -= first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    const most = Math.floor(this.limit / 2);
    // Copied: a slice would keep the whole chunk in memory.
    const joined = rest.length >= most ? rest : Buffer.concat([this.tail, rest]);
    this.tail = Buffer.from(joined.subarray(Math.max(0, joined.length - most)));
  }

  text(): string {
    const head = Buffer.concat(this.head);
    const missing = this.total - head.length - this.tail.length;
    if (missing === 0) return Buffer.concat([head, this.tail]).toString('utf8');
    const [start, end] = [
      trimPartialCharacters(head).toString('utf8'),
      trimPartialCharacters(this.tail).toString('utf8'),
    ];
    return `${start}\n… [cut: ${missing} bytes of ${this.total}] …\n${end}`;
  }
}
