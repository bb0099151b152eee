/**
 * The trust of Codex in hooks. Codex skips a hook without a message until its hash is in `config.toml`. Only Codex can
 * compute the hash, so this asks its app-server, as the screen `/hooks` of Codex does.
 */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { HostEnv } from '../host.ts';
import { isCommandOf } from '../settings/hook-lists.ts';

export interface CodexHook {
  readonly key: string;
  readonly hash: string;
  readonly status: string;
  /** The file that the hook is in. */
  readonly file: string;
  readonly command: string;
}

export interface CodexOptions {
  /** The path of the program. */
  readonly program: string;
  /** The folder whose hooks are listed. */
  readonly cwd: string;
  readonly env: HostEnv;
}

const maxMs = 20_000;

/** The hooks that run the wrapper, with what Codex thinks of them. */
export async function codexHooks(options: CodexOptions, wrapper: string): Promise<readonly CodexHook[]> {
  return await withAppServer(options, async (call) =>
    ownHooks(await call('hooks/list', { cwds: [options.cwd] }), wrapper),
  );
}

/** Trusts the hooks that run the wrapper, no others. Returns them as Codex lists them afterwards. */
export async function trustCodexHooks(options: CodexOptions, wrapper: string): Promise<readonly CodexHook[]> {
  return await withAppServer(options, async (call) => {
    const hooks = ownHooks(await call('hooks/list', { cwds: [options.cwd] }), wrapper);
    const value = Object.fromEntries(
      hooks
        .filter(({ status }) => status !== 'trusted' && status !== 'managed')
        .map(({ key, hash }) => [key, { trusted_hash: hash }]),
    );
    if (Object.keys(value).length === 0) return hooks;
    const edits = [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }];
    await call('config/batchWrite', { edits, filePath: null, expectedVersion: null, reloadUserConfig: true });
    return ownHooks(await call('hooks/list', { cwds: [options.cwd] }), wrapper);
  });
}

/** `config.toml` without the trust in these hooks. */
export function withoutTrust(text: string, keys: readonly string[]): string {
  let rest = text;
  for (const key of keys) {
    const header = `[hooks.state.${JSON.stringify(key)}]`;
    const start = rest.indexOf(header);
    if (start === -1) continue;
    const next = /^\[/m.exec(rest.slice(start + header.length));
    const end = next === null ? rest.length : start + header.length + next.index;
    rest = `${rest.slice(0, start).replace(/\n+$/, '\n')}${next === null ? '' : `\n${rest.slice(end)}`}`;
  }
  // The table above them, if nothing is in it any more.
  if (rest.includes('[hooks.state.')) return rest;
  return rest.replace(/\n*^\[hooks\.state\][ \t]*\n*/m, '\n\n').replace(/\n\n$/, '\n');
}

type Call = (method: string, params: JsonObject) => Promise<JsonValue>;

async function withAppServer<T>({ program, cwd, env }: CodexOptions, use: (call: Call) => Promise<T>): Promise<T> {
  const child = spawn(program, ['app-server'], { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, (answer: JsonObject) => void>();
  let last = 0;
  const failed = new Promise<never>((_, reject) => {
    const fail = (why: string) => (): void => reject(new BridleError('OPTION_INVALID', `codex app-server ${why}`));
    child.on('error', fail('could not be started')).on('exit', fail('ended'));
    setTimeout(fail(`did not answer in ${maxMs / 1000} seconds`), maxMs).unref();
  });
  failed.catch(() => undefined);
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = parse(line);
    const { id } = answer;
    if (typeof id === 'number') waiting.get(id)?.(answer);
  });
  const send = (message: JsonObject): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const call: Call = async (method, params) => {
    const id = (last += 1);
    const answered = new Promise<JsonObject>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    const { result, error } = await Promise.race([answered, failed]);
    if (result === undefined)
      throw new BridleError('OPTION_INVALID', `codex refused ${method}: ${JSON.stringify(error)}`);
    return result;
  };
  try {
    const clientInfo = { name: 'bridle', title: 'Bridle', version: '1' };
    await call('initialize', { clientInfo, capabilities: { experimentalApi: true } });
    send({ method: 'initialized' });
    return await use(call);
  } finally {
    child.kill();
  }
}

function parse(line: string): JsonObject {
  try {
    const value = JSON.parse(line) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function ownHooks(answer: JsonValue, wrapper: string): readonly CodexHook[] {
  const data = isJsonObject(answer) && Array.isArray(answer['data']) ? answer['data'] : [];
  return data.flatMap((entry) => {
    const hooks = isJsonObject(entry) && Array.isArray(entry['hooks']) ? entry['hooks'] : [];
    return hooks.flatMap((hook) => {
      if (!isJsonObject(hook)) return [];
      const { key, currentHash: hash, trustStatus: status, sourcePath: file, command } = hook;
      const isWhole = [key, hash, status, file, command].every((field) => typeof field === 'string');
      if (!isWhole || !isCommandOf(command as string, wrapper)) return [];
      return [{ key, hash, status, file, command } as CodexHook];
    });
  });
}
