/** What `bridle chat` was asked for: options as they were typed, checked and made into what the agent needs. */

import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileSessions, sessionIdProblem } from '../agent/session-store.ts';
import type { SessionChoice } from '../agent/options.ts';
import type { Tier } from '../call.ts';
import { BridleError, messageOf } from '../errors.ts';
import { stateHome } from './state-home.ts';
import type { Bounds } from './status-line.ts';
import { storeOptions } from './store-options.ts';
import { defaultStorePath } from '../store/database/store-address.ts';
import type { ChosenStore } from './chat-store.ts';

/** Options as commander gives them. */
export interface ChatOptions {
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
}

export interface Surroundings {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ChatSettings {
  readonly version: string;
  readonly prompt: string | undefined;
  readonly modelName: string;
  readonly policyFile: string | undefined;
  readonly yesTo: Tier | undefined;
  readonly json: boolean;
  readonly colours: boolean;
  readonly cwd: string;
  /** The folder of what the command remembers for its user. */
  readonly home: string;
  readonly session: SessionChoice | undefined;
  /** What must survive the conversation; none if the user wants none. */
  readonly store: ChosenStore | undefined;
  readonly bounds: Bounds;
  readonly askTimeoutMs: number;
}

const tenMinutes = 600_000;

export function readSettings(options: ChatOptions, { version, env }: Surroundings): ChatSettings {
  return {
    version,
    prompt: readPrompt(options.prompt),
    modelName: options.model ?? 'bridle/planner',
    policyFile: options.policy === undefined ? undefined : resolve(options.policy),
    yesTo: readTier(options.yesTo),
    json: options.json === true,
    colours: (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb',
    cwd: readFolder(options.cwd ?? '.'),
    home: stateHome(env),
    session: readSession(options, env),
    store: readStore(options, env),
    bounds: {
      maxCost: readNumber('--max-cost', options.maxCost, { whole: false }),
      maxSteps: readNumber('--max-steps', options.maxSteps, { whole: true }),
    },
    askTimeoutMs: tenMinutes,
  };
}

function readPrompt(given: string | undefined): string | undefined {
  if (given === undefined || given.trim() !== '') return given;
  throw wrong("the prompt is empty: write -p 'list src', or -p - to read it from stdin");
}

function readTier(given: string | undefined): Tier | undefined {
  if (given === undefined || given === 'observe') return given;
  throw wrong(`--yes-to takes "observe", the calls that change nothing; not ${JSON.stringify(given)}`);
}

function readFolder(given: string): string {
  try {
    const folder = realpathSync(given);
    if (statSync(folder).isDirectory()) return folder;
  } catch (error) {
    throw wrong(`--cwd ${JSON.stringify(given)} cannot be used: ${messageOf(error)}`);
  }
  throw wrong(`--cwd ${JSON.stringify(given)} is not a folder`);
}

/** By default a file of the folder, so that another terminal there finds the same one. */
function readStore({ store, cwd = '.' }: ChatOptions, env: Surroundings['env']): ChosenStore | undefined {
  if ((store ?? env['BRIDLE_STORE']) === 'none') return undefined;
  const { at, keys } = storeOptions({ store }, env);
  const isNamed = at !== undefined;
  return { options: { at: at ?? join(readFolder(cwd), defaultStorePath), keys }, isNamed };
}

function readSession(
  { session: id, sessions, store }: ChatOptions,
  env: Surroundings['env'],
): SessionChoice | undefined {
  if (id === undefined) {
    if (sessions !== undefined) throw wrong('--sessions needs --session: name the session to keep');
    return undefined;
  }
  const problem = sessionIdProblem(id);
  if (problem !== undefined) throw wrong(`--session ${JSON.stringify(id)} ${problem}`);
  // Without a store a session is kept where it can be found again all the same.
  const hasStore = (store ?? env['BRIDLE_STORE']) !== 'none';
  if (sessions === undefined && hasStore) return { id };
  return { id, store: fileSessions(resolve(sessions ?? join(stateHome(env), 'sessions'))) };
}

function readNumber(option: string, given: string | undefined, { whole }: { whole: boolean }): number | undefined {
  if (given === undefined) return undefined;
  const value = given.trim() === '' ? Number.NaN : Number(given);
  const fine = whole ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (fine && value > 0) return value;
  throw wrong(
    `${option} takes ${whole ? 'a whole number from 1 up' : 'a number of US dollars above 0'}, not ${JSON.stringify(given)}`,
  );
}

function wrong(message: string): BridleError {
  return new BridleError('OPTION_INVALID', message);
}
