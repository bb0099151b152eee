/**
 * Runs one command line in bash, as a process group of its own: nothing of the user's shell set-up is read, nothing
 * waits on stdin, and at any limit the whole group is ended (X11).
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { HeadTail } from '../text/head-tail.ts';
import { ProcessGroup } from './process-group.ts';

export interface BashCommand {
  /** Absolute path of bash. */
  readonly shell: string;
  readonly commandLine: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Bytes kept of stdout, and of stderr. */
  readonly keptBytes: number;
  /** Bytes after which a command that does not stop printing is ended. */
  readonly mostBytes: number;
  /** How long a group may take to end when asked to. */
  readonly graceMs: number;
}

export interface BashResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was ended before it came to its end. */
  readonly ended: string | undefined;
  /** True if processes were left in the background; they were ended. */
  readonly hadBackground: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Something outside the group can hold a pipe open for ever. */
const drainMs = 500;

export async function runBash(command: BashCommand): Promise<BashResult> {
  command.signal.throwIfAborted();
  const child = start(command);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = once(child, 'close');
  // Both reject when the process cannot be started; whoever waits first tells.
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
    // Without `--` a command line that starts with a dash would be options of bash.
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

/** Reads along, and ends the group when there is a reason to. */
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
    const kept = new HeadTail(this.command.keptBytes);
    stream?.on('data', (chunk: Buffer) => {
      kept.add(chunk);
      if (kept.total > this.command.mostBytes) this.end(`output limit of ${this.command.mostBytes} bytes`);
    });
    return kept;
  }

  private end(why: string): void {
    if (this.ended !== undefined) return;
    this.ended = why;
    void this.group.end();
  }
}
