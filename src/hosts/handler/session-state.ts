/**
 * What a session keeps between hook processes (C06): the number of its turn, the state of its hooks, and questions that
 * the host's own prompt answers. Saved in the store, keyed by host, session and agent.
 */

import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BridleError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import type { Scope } from '../../kernel/scope/scope.ts';
import type { Store } from '../../store/store.ts';
import type { HostEvent, HostName } from '../host.ts';

export type AskedInHost = { readonly question: string; readonly cwd: string };

export interface SessionStateData {
  /** The number of prompts so far. A host may not report the first one. */
  readonly turn: number;
  /** The state of the hooks. */
  readonly session: JsonObject;
  readonly inTurn: JsonObject;
  /** By the key of a call: the question that the host was told to ask, and the folder of the call. */
  readonly asked: Readonly<Record<string, AskedInHost>>;
  /** Why a hook rejected the start of the session. The host starts it anyway, so every call is denied. */
  readonly rejected: string | undefined;
}

const empty: SessionStateData = { turn: 0, session: {}, inTurn: {}, asked: {}, rejected: undefined };

/** Questions that the host never reported back, such as refused ones, are dropped when there are more. */
const maxAsked = 100;

/** How long the lock lasts if its process is killed. */
const lockMs = 12_000;
const renewMs = 4_000;

export class SessionStateStore {
  private readonly id: string;
  private readonly account: string;
  /** The state of the main agent; undefined if this is it. */
  private readonly main: SessionStateStore | undefined;
  private lock: string | undefined;
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: Store,
    host: HostName,
    { session, agent }: Pick<HostEvent, 'session' | 'agent'>,
  ) {
    const key = createHash('sha256')
      .update(JSON.stringify([host, session, agent]))
      .digest('hex')
      .slice(0, 32);
    this.id = `host-${host}-${key}`;
    this.account = `host-lock-${key}`;
    this.main =
      agent.length > 1 ? new SessionStateStore(store, host, { session, agent: agent.slice(0, 1) }) : undefined;
  }

  async load(): Promise<SessionStateData> {
    return readState((await this.store.sessions.load(this.id))?.body);
  }

  /** The state in the turn of the session: turns and rejections are those of the main agent. */
  async loadInTurn(): Promise<SessionStateData> {
    const own = await this.load();
    if (this.main === undefined) return own;
    const { turn, rejected } = await this.main.load();
    const isSameTurn = own.turn === Math.max(1, turn);
    return { ...own, turn, rejected, inTurn: isSameTurn ? own.inTurn : {} };
  }

  /** What a subagent saves about the turn in which its hooks ran; the main agent counts turns itself. */
  turnOf(turn: number): Pick<SessionStateData, 'turn'> | undefined {
    return this.main === undefined ? undefined : { turn };
  }

  /** Applies `change` to the latest saved state, even if other processes save at the same time. */
  async update(change: (current: SessionStateData) => SessionStateData): Promise<SessionStateData> {
    for (;;) {
      const saved = await this.store.sessions.load(this.id);
      const next = change(readState(saved?.body));
      try {
        await this.store.sessions.save(this.id, next as unknown as JsonObject, saved?.version ?? 0);
        return next;
      } catch (error) {
        if (!(error instanceof BridleError) || error.code !== 'STORE_CONFLICT') throw error;
        await sleep(Math.random() * 10);
      }
    }
  }

  get isLocked(): boolean {
    return this.lock !== undefined;
  }

  /** Waits until no other process runs hooks of this session: their state must not change in between. */
  async acquire(signal: AbortSignal): Promise<void> {
    const id = randomUUID();
    const hold = { id, most: { lock: 1 }, presumed: {}, ms: lockMs };
    const request = { account: this.account, amounts: {}, limits: { lock: 1 }, hold };
    while ((await this.store.counters.take(request)) !== undefined) {
      if (signal.aborted)
        throw new BridleError('STORE_FAILED', 'another call of this session is still being decided; try again');
      await sleep(5 + Math.random() * 10);
    }
    this.lock = id;
    // If it cannot be renewed, the lock ends while its hooks run: that is no reason to block the call.
    const renew = (): void => void this.store.counters.renew(this.account, [id], lockMs).catch(() => undefined);
    this.renewal = setInterval(renew, renewMs).unref();
  }

  async release(): Promise<void> {
    if (this.lock === undefined) return;
    const id = this.lock;
    this.lock = undefined;
    clearInterval(this.renewal);
    await this.store.counters.settle(this.account, id, {});
  }
}

/** Keeps the newest questions only. */
export function withAsked(state: SessionStateData, key: string, asked: AskedInHost): SessionStateData {
  const kept = Object.entries(state.asked).filter(([each]) => each !== key);
  return { ...state, asked: Object.fromEntries([...kept.slice(1 - maxAsked), [key, asked]]) };
}

export function withoutAsked(state: SessionStateData, key: string): SessionStateData {
  return { ...state, asked: Object.fromEntries(Object.entries(state.asked).filter(([each]) => each !== key)) };
}

/** The values of a scope, without those of outer scopes. */
export function scopeValues(scope: Scope): JsonObject {
  return Object.fromEntries(scope.keys().map((key) => [key, scope.get(key) as JsonValue]));
}

function readState(body: JsonObject | undefined): SessionStateData {
  if (body === undefined) return empty;
  const { turn, session, inTurn, asked, rejected } = body;
  const isValid =
    typeof turn === 'number' &&
    Number.isSafeInteger(turn) &&
    turn >= 0 &&
    [session, inTurn, asked].every((each) => each !== undefined && isJsonObject(each));
  if (!isValid) throw new BridleError('STORE_DAMAGED', 'the saved state of the session is damaged');
  return {
    ...empty,
    ...(body as unknown as SessionStateData),
    rejected: typeof rejected === 'string' ? rejected : undefined,
  };
}
