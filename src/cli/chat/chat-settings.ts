/** Reads and validates the options of `bridle chat`. */

import { join, resolve } from 'node:path';
import { fileSessions, sessionIdProblem } from '../../agent/saved-sessions/session-store.ts';
import type { AgentSessionOptions } from '../../agent/options/agent-options.ts';
import type { Tier } from '../../kernel/call.ts';
import { bridleHome } from '../../files/bridle-home.ts';
import { type Invocation, usageError } from '../command/command-row.ts';
import { readCwd } from '../command/policy-options.ts';
import { type ApproveModeName, readAcceptOption } from './approve-mode.ts';
import { noModelError } from './no-model.ts';
import type { SessionLimits } from './status-line.ts';
import { storeOptions } from '../command/store-options.ts';
import { defaultStorePath } from '../../store/database/store-address.ts';
import type { StoreOptions } from '../../store/store.ts';

/** Options as commander parses them. */
export interface ChatFlags {
  readonly prompt?: string | undefined;
  readonly model?: string | undefined;
  readonly policy?: string | undefined;
  readonly yesTo?: string | undefined;
  readonly json?: boolean | undefined;
  readonly cwd?: string | undefined;
  readonly session?: string | undefined;
  readonly sessions?: string | undefined;
  readonly store?: string | undefined;
  readonly maxCost?: string | undefined;
  readonly maxSteps?: string | undefined;
  readonly continue?: boolean | undefined;
  readonly accept?: string | undefined;
  readonly agent?: string | undefined;
  readonly mcp?: readonly string[] | undefined;
  readonly hook?: readonly string[] | undefined;
  readonly verbose?: boolean | undefined;
}

/** `new`: a new session; saved if there is a store. `last`: the last one of this folder. */
type SessionChoice =
  | { readonly type: 'new' | 'last' }
  | { readonly type: 'named'; readonly options: AgentSessionOptions };

/** The store of a chat. */
interface ChatStoreChoice {
  readonly options: StoreOptions;
  /** True if the user named the store: if it can't be opened, the chat must not start. */
  readonly isNamed: boolean;
}

export interface ChatSettings {
  readonly version: string;
  readonly prompt: string | undefined;
  /** Undefined for the model of the agent's module. */
  readonly modelName: string | undefined;
  readonly policyFile: string | undefined;
  readonly yesTo: Tier | undefined;
  readonly json: boolean;
  readonly colours: boolean;
  /** True if the terminal cannot move its cursor (`TERM=dumb`). */
  readonly isDumb: boolean;
  readonly cwd: string;
  /** `~/.bridle`, or `BRIDLE_HOME`. */
  readonly home: string;
  /** Where prompts are kept for later sessions; undefined with `BRIDLE_HISTORY=off`. */
  readonly historyFile: string | undefined;
  readonly session: SessionChoice;
  /** How questions are answered at the start. */
  readonly accept: ApproveModeName;
  /** The module of `--agent`. */
  readonly agentFile: string | undefined;
  readonly mcpFiles: readonly string[];
  readonly hookFiles: readonly string[];
  /** Show internals, such as rule names and token counts. */
  readonly details: boolean;
  readonly env: Invocation['env'];
  /** Undefined with `--store none`. */
  readonly store: ChatStoreChoice | undefined;
  readonly limits: SessionLimits;
  readonly askTimeoutMs: number;
}

const tenMinutes = 600_000;

export function readSettings(options: ChatFlags, { version, env }: Pick<Invocation, 'version' | 'env'>): ChatSettings {
  const settings: ChatSettings = {
    version,
    prompt: readPrompt(options.prompt),
    modelName: options.model,
    policyFile: options.policy === undefined ? undefined : resolve(options.policy),
    yesTo: readTier(options.yesTo),
    json: options.json === true,
    colours: (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
    isDumb: env['TERM'] === 'dumb',
    cwd: readCwd(options.cwd),
    home: bridleHome(env),
    historyFile: env['BRIDLE_HISTORY'] === 'off' ? undefined : join(bridleHome(env), 'chat-history'),
    session: readSession(options, env),
    accept: readAcceptOption(options.accept),
    agentFile: options.agent,
    mcpFiles: options.mcp ?? [],
    hookFiles: options.hook ?? [],
    details: options.verbose === true,
    env,
    store: readStore(options, env),
    limits: {
      maxCost: readNumber('--max-cost', options.maxCost, { isInteger: false }),
      maxSteps: readNumber('--max-steps', options.maxSteps, { isInteger: true }),
    },
    askTimeoutMs: tenMinutes,
  };
  if (options.model === undefined && options.agent === undefined) throw noModelError(undefined);
  return settings;
}

function readPrompt(given: string | undefined): string | undefined {
  if (given === undefined || given.trim() !== '') return given;
  throw usageError("the prompt is empty: use -p 'list src', or -p - to read it from stdin");
}

function readTier(given: string | undefined): Tier | undefined {
  if (given === undefined || given === 'observe') return given;
  throw usageError(`--yes-to must be "observe" (calls that change nothing), not ${JSON.stringify(given)}`);
}

/** Defaults to a file in the folder, so that another terminal in that folder opens the same store. */
function readStore({ store, cwd }: ChatFlags, env: Invocation['env']): ChatStoreChoice | undefined {
  if ((store ?? env['BRIDLE_STORE']) === 'none') return undefined;
  const { at, keys } = storeOptions({ store }, env);
  const isNamed = at !== undefined;
  return { options: { at: at ?? join(readCwd(cwd), defaultStorePath), keys }, isNamed };
}

function readSession(
  { session: id, sessions, store, continue: isContinued }: ChatFlags,
  env: Invocation['env'],
): SessionChoice {
  // Without a store, the session is saved as a file.
  const hasStore = (store ?? env['BRIDLE_STORE']) !== 'none';
  if (isContinued === true) {
    if (id !== undefined) throw usageError('--continue and --session exclude each other: keep one');
    if (!hasStore || sessions !== undefined)
      throw usageError('--continue finds sessions in the store only: name the session with --session <id>');
    return { type: 'last' };
  }
  if (id === undefined) {
    if (sessions !== undefined) throw usageError('--sessions needs --session, the name of the session');
    return { type: 'new' };
  }
  const problem = sessionIdProblem(id);
  if (problem !== undefined)
    throw usageError(
      `--session must be 1 to 128 letters, digits, ".", "_" or "-" (first a letter or digit, no ".."), not ${JSON.stringify(id)}`,
    );
  if (sessions === undefined && hasStore) return { type: 'named', options: { id } };
  const files = fileSessions(resolve(sessions ?? join(bridleHome(env), 'sessions')));
  return { type: 'named', options: { id, store: files } };
}

function readNumber(
  option: string,
  given: string | undefined,
  { isInteger }: { isInteger: boolean },
): number | undefined {
  if (given === undefined) return undefined;
  const value = given.trim() === '' ? Number.NaN : Number(given);
  const isValid = isInteger ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (isValid && value > 0) return value;
  throw usageError(
    `${option} must be ${isInteger ? 'a whole number of at least 1' : 'a number of US dollars above 0'}, not ${JSON.stringify(given)}`,
  );
}
