/** `bridle check`: decides calls in order and prints one line of JSON for each. */

import { closeSync } from 'node:fs';
import type { Decision, Effect } from '../../../kernel/call.ts';
import { isPromise } from '../../../kernel/maybe-promise.ts';
import { readFrom, writeTo } from '../../../files/blocking-io.ts';
import { type InputLine, LineReader, maxCallLineBytes } from '../../../files/line-reader.ts';
import type { LoadedPolicy } from '../../../policy-files/loaded-policy.ts';
import { type CommandEnv, type Invocation, usageError } from '../../command/command-row.ts';
import { type ExitCode, exitCodes } from '../../command/exit-codes.ts';
import { openInput } from '../../command/read-input.ts';
import { loadEffectivePolicy, type PolicyOptions } from '../../command/policy-options.ts';
import type { PrivateCache } from '../../../policy-files/read/private-cache.ts';
import { safeJson } from '../../../terminal/output/safe-text.ts';
import { callFromFlags, type CallFlags, readCallLine } from './read-call-line.ts';

export interface CheckOptions extends PolicyOptions, CallFlags {}

/** What `check` needs of an invocation. */
export interface CheckInvocation {
  readonly positionals: readonly string[];
  readonly options: CheckOptions;
  readonly env: CommandEnv;
  /** A cache of parsed policies. */
  readonly cache?: PrivateCache | undefined;
}

/** Batches of lines; undefined at the end. */
type LineSource = Pick<LineReader, 'next'>;

const [stdin, stdout] = [0, 1];
/** The most characters that are collected before they are written. */
const maxBatchLength = 256 * 1024;
const printableAscii = /^[\x20-\x7e]*$/;

export function checkCommand({ positionals, options, env }: Invocation<CheckOptions>): Promise<ExitCode> {
  return runCheck({ positionals, options, env });
}

/** The calls are in a file, on stdin (`-`, the default), or in the options. */
export async function runCheck({ positionals, options, env, cache }: CheckInvocation): Promise<ExitCode> {
  const [calls] = positionals;
  const single = callFromFlags(calls, options);
  const policy = loadEffectivePolicy(options, env, cache);
  const check = new CallCheck(policy);
  const isFile = single === undefined && calls !== undefined && calls !== '-';
  const file = isFile ? openInput(calls, 'the calls') : stdin;
  try {
    const lines = single === undefined ? new LineReader(readFrom(file), maxCallLineBytes) : singleLine(single);
    const code = await check.run(lines);
    if (check.hasOutput || code !== exitCodes.ok) return code;
  } finally {
    if (isFile) closeSync(file);
  }
  // An empty input must not look like "all allowed".
  const place = isFile ? `in ${JSON.stringify(calls)}` : 'on stdin';
  throw usageError(`there are no calls ${place}: write one call per line, or give one with --tool and --args`);
}

function singleLine(text: string): LineSource {
  const batches = [[{ number: 1, text }]];
  return { next: () => batches.pop() };
}

/** Decides lines and collects the exit code over all answers. */
class CallCheck {
  hasOutput = false;
  private readonly seen: Record<Effect, boolean> = { allow: false, ask: false, deny: false };
  private hasInvalid = false;

  constructor(private readonly policy: LoadedPolicy) {}

  async run(lines: LineSource): Promise<ExitCode> {
    for (let batch = lines.next(); batch !== undefined; batch = lines.next()) {
      let text = '';
      for (const line of batch) {
        const answer = this.answer(line);
        text += typeof answer === 'string' ? answer : await answer;
        if (text.length < maxBatchLength) continue;
        if (!this.write(text)) return exitCodes.brokenPipe;
        text = '';
      }
      // The sender may wait for these answers before it sends more lines.
      if (!this.write(text)) return exitCodes.brokenPipe;
    }
    if (this.hasInvalid) return exitCodes.usage;
    if (this.seen.deny) return exitCodes.negative;
    return this.seen.ask ? exitCodes.needsApproval : exitCodes.ok;
  }

  /** Returns false if the reader has closed the output. */
  private write(text: string): boolean {
    this.hasOutput ||= text !== '';
    return writeTo(stdout, text);
  }

  /** The answer to one line; empty for a blank line. */
  private answer({ number, text, problem: unreadable }: InputLine): string | Promise<string> {
    if (text === undefined) return this.invalidLine(number, unreadable ?? 'is not readable');
    if (text.charCodeAt(0) !== 0x7b && text.trim() === '') return '';
    const { request, problem } = readCallLine(text, this.policy.cwd);
    if (request === undefined) return this.invalidLine(number, problem);
    const decision = this.policy.decide(request);
    return isPromise(decision) ? decision.then((settled) => this.decisionLine(settled)) : this.decisionLine(decision);
  }

  private decisionLine({ effect, rule, reason, uncertainty: unsure }: Decision): string {
    this.seen[effect] = true;
    const { name = null, at = null } = rule ?? {};
    return jsonLine({ decision: effect, rule: name, reason, at, ...(unsure === undefined ? {} : { unsure }) });
  }

  /** An invalid line is denied. */
  private invalidLine(number: number, error: string): string {
    this.hasInvalid = true;
    const reason = `Line ${number} ${error}${error.endsWith('?') ? '' : '.'}`;
    return jsonLine({ decision: 'deny', rule: null, reason, at: null, error, line: number });
  }
}

function jsonLine(answer: object): string {
  const json = JSON.stringify(answer);
  return `${printableAscii.test(json) ? json : safeJson(answer)}\n`;
}
