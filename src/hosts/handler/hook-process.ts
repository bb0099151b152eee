/**
 * The hook process (C02): it reads one payload from stdin, and always answers, in the host's own format and before the
 * host's time limit. Everything that goes wrong blocks the call. Hosts run a call if a hook crashes, is silent or is too
 * slow, so nothing here may throw, and the installed wrapper blocks if this process is killed.
 */

import { readSync, writeSync } from 'node:fs';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { PrivateCache } from '../../policy-files/read/private-cache.ts';
import { bridleHome } from '../../files/bridle-home.ts';
import {
  type HookAnswer,
  type HookInput,
  type HookOutput,
  type Host,
  type HostCall,
  type HostEnv,
  type HostEvent,
  type HostRecord,
  hostNames,
} from '../host.ts';
import { expressible, recordFor } from '../host-records.ts';
import { withoutFacts } from '../host-tools.ts';
import { reasonText } from '../reason-text.ts';
import { answerEvent, answerFault } from './answer-event.ts';

/** The command line of a hook process. The installed wrapper sets all of it. */
export interface HookFlags {
  /** The host that was expected when the hook was installed. The payload decides. */
  readonly host: string | undefined;
  /** The host's time limit in seconds. */
  readonly limit: number;
  readonly observes: boolean;
  /** The version of the host at the time of installation. */
  readonly installed: string | undefined;
  readonly home: string;
}

export interface HookContext {
  readonly env: HostEnv;
  readonly hosts: readonly Host[];
  readonly cache?: PrivateCache | undefined;
}

export interface PayloadContext extends HookContext {
  /** Where the host started the process. */
  readonly folder: string;
  readonly deadline: AbortSignal;
}

const [stdin, stdout, stderr] = [0, 1, 2];
const maxInputBytes = 4 * 1024 * 1024;
/** How long before the host's time limit the answer is given. */
const marginSeconds = 5;
const defaultLimitSeconds = 60;

/** Answers one event and returns the exit code. */
export async function runHook(argv: readonly string[], context: HookContext): Promise<number> {
  // Stdout is for the answer. If a hook of a policy prints to it, the host cannot read the answer, and runs the call.
  Object.defineProperty(process, 'stdout', { configurable: true, get: () => process.stderr });
  let flags: HookFlags | undefined;
  try {
    flags = readFlags(argv, context.env);
    const deadline = new AbortController();
    const answer = answerPayload(readInput(), flags, {
      ...context,
      folder: process.cwd(),
      deadline: deadline.signal,
    });
    return print(await withDeadline(answer, flags, deadline));
  } catch (error) {
    return print(blocked(messageOf(error), flags?.observes));
  }
}

/** Exit code 2, a reason on stderr and nothing on stdout is blocked by every host with command hooks. */
function blocked(reason: string, observes = false): HookOutput {
  const text = `Bridle: ${reasonText(reason)}\n`;
  return observes ? { stdout: '{}', stderr: text, exitCode: 0 } : { stdout: '', stderr: text, exitCode: 2 };
}

function print({ stdout: out, stderr: text, exitCode }: HookOutput): number {
  try {
    if (text !== '') writeAll(stderr, text);
    // The wrapper takes an answer without the line break for a torn one.
    if (out !== '') writeAll(stdout, `${out}\n`);
    return exitCode;
  } catch {
    // The host has closed the pipe, so it cannot have read an answer.
    return 2;
  }
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(file, bytes, at);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'EAGAIN') throw error;
    }
  }
}

/** Waiting for a person stops `marginSeconds` before the limit; half of the margin later, the answer is a block. */
async function withDeadline(
  answer: Promise<HookOutput>,
  { limit, observes }: HookFlags,
  deadline: AbortController,
): Promise<HookOutput> {
  const ms = (limit - marginSeconds - process.uptime()) * 1000;
  const stopWaiting = setTimeout(() => deadline.abort(), ms);
  let giveUp: NodeJS.Timeout | undefined;
  const late = new Promise<HookOutput>((resolve) => {
    const refusal = blocked(`the policy gave no answer within ${limit - marginSeconds / 2} seconds`, observes);
    giveUp = setTimeout(() => resolve(refusal), ms + (marginSeconds / 2) * 1000);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(stopWaiting);
    clearTimeout(giveUp);
  }
}

/** Answers the payload in `text`. */
export async function answerPayload(
  text: string,
  flags: HookFlags,
  { env, hosts, cache, folder, deadline }: PayloadContext,
): Promise<HookOutput> {
  const input = { payload: readPayload(text), env, folder };
  const host = recogniseHost(input, hosts, flags.host);
  let read: HostEvent;
  try {
    read = host.read(input);
  } catch (error) {
    const reason = reasonText(`Denied by Bridle: ${messageOf(error)}`);
    return (flags.observes ? undefined : host.refuse?.(reason, input)) ?? blocked(messageOf(error), flags.observes);
  }
  const record = recordFor(host, read.version ?? flags.installed);
  const event =
    record.shell.isKnown || !('calls' in read) ? read : { ...read, calls: withoutFactsOf(read.calls, record) };
  const { observes, home } = flags;
  const options = { host: host.name, home, observes, deadline, cache };
  try {
    if (event.type === 'session-start' && event.isCleared !== true) host.sessionStarts?.(home);
    const answer =
      event.type === 'settings-change'
        ? settingsAnswer(host, event.file, flags)
        : await answerEvent(event, record, options);
    return host.render(expressible(answer, record), event, record);
  } catch (error) {
    const problem = faultText(error, host);
    if (observes) return blocked(problem, true);
    const { answer, note } = await answerFault(event, options, problem);
    const output = host.render(answer, event, record);
    return { ...output, stderr: `${output.stderr}${note === undefined ? '' : `Bridle: ${reasonText(note)}\n`}` };
  }
}

/** A hook has its own copy of the packages that were there when it was installed. */
function faultText(error: unknown, { name }: Host): string {
  const isMissing = error instanceof BridleError && error.code === 'PACKAGE_MISSING';
  return isMissing ? `${error.message} Then run "npx bridle install ${name}" again.` : messageOf(error);
}

function withoutFactsOf(calls: readonly HostCall[], { title }: HostRecord): readonly HostCall[] {
  return calls.map((call) => withoutFacts(call, `Bridle was not measured with this version of ${title}`));
}

/** A change of settings that switches the hook off takes effect in the next session at the earliest. */
function settingsAnswer(host: Host, file: string, { home, observes }: HookFlags): HookAnswer {
  const problem = observes ? undefined : host.settingsProblem?.(file, home);
  if (problem === undefined) return { type: 'pass' };
  return { type: 'deny', reason: `Bridle refuses the change of ${file}: ${problem}.` };
}

function recogniseHost(input: HookInput, hosts: readonly Host[], expected: string | undefined): Host {
  const found = hosts.filter((host) => host.recognises(input));
  const [host] = found;
  if (host !== undefined && found.length === 1) return host;
  const known = hostNames.join(', ');
  const hint = expected === undefined ? '' : ` (the hook was installed for ${expected})`;
  const what = host === undefined ? `none of the known coding agents (${known})` : 'more than one coding agent';
  throw new BridleError(
    'PAYLOAD_INVALID',
    `the payload fits ${what}${hint}, so nothing is allowed; see: npx bridle doctor`,
  );
}

function readPayload(text: string): JsonObject {
  if (text.trim() === '') throw invalidPayload('is empty');
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    throw invalidPayload(`is not JSON: ${messageOf(error)}`);
  }
  if (!isJsonObject(value)) throw invalidPayload('is not an object');
  return value;
}

function readInput(): string {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const count = readChunk(chunk);
    if (count === 0) return Buffer.concat(chunks, length).toString('utf8');
    length += count;
    if (length > maxInputBytes) throw invalidPayload(`is longer than ${maxInputBytes} bytes`);
    chunks.push(chunk.subarray(0, count));
  }
}

function readChunk(chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(stdin, chunk);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function invalidPayload(problem: string): BridleError {
  return new BridleError('PAYLOAD_INVALID', `the payload on stdin ${problem}`);
}

function readFlags(argv: readonly string[], env: HostEnv): HookFlags {
  const values: Record<string, string> = {};
  const names = ['host', 'limit', 'installed', 'home'];
  let observes = false;
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string;
    const name = word.replace(/^--/, '');
    if (word === '--observe') observes = true;
    else if (word.startsWith('--') && names.includes(name) && i + 1 < argv.length) values[name] = argv[++i] as string;
    else if (i === 0 && !word.startsWith('-')) values['host'] = word;
    else throw new BridleError('OPTION_INVALID', `bridle hook does not know the option ${JSON.stringify(word)}`);
  }
  const { host, limit = defaultLimitSeconds, installed, home = bridleHome(env) } = values;
  const seconds = Number(limit);
  if (!(seconds > marginSeconds && seconds <= 3600)) {
    throw new BridleError('OPTION_INVALID', `--limit must be a number of seconds above ${marginSeconds}`);
  }
  return { host, limit: seconds, observes, installed, home };
}
