/** A guard that records everything: tool runs, journal entries and events. For tests of a call's path. */

import {
  createGuard,
  onEvent,
  type BridleEvent,
  type CallResult,
  type GuardOptions,
  type JournalEntry,
  type Session,
  type SessionOptions,
  type ToolDeclaration,
  type Turn,
} from 'bridle';
import { rememberAnswers, type RememberOptions } from 'bridle/policy-files';
import {
  fakeClock,
  memoryJournal,
  scriptedHost,
  type FakeClock,
  type MemoryJournal,
  type ScriptedHost,
} from 'bridle/testing';

export interface RigOptions extends Partial<GuardOptions>, RememberOptions {
  /** What tools do, by name; other tools return "done". */
  readonly does?: Readonly<Record<string, unknown>>;
  readonly start?: SessionOptions;
}

export interface Rig {
  readonly session: Session;
  readonly turn: Turn;
  readonly host: ScriptedHost;
  readonly clock: FakeClock;
  /** The journal, unless the options set another one. */
  readonly journal: MemoryJournal;
  readonly events: readonly BridleEvent[];
  /** Guards a call in the first turn. */
  readonly call: (tool: string, args?: unknown, server?: string) => Promise<CallResult>;
}

/** `act` has side effects, `look` has none. */
const actAndLook: readonly ToolDeclaration[] = [{ name: 'act' }, { name: 'look', tier: 'observe' }];

export async function rig({ does = {}, start, answers, proposals, ...options }: RigOptions = {}): Promise<Rig> {
  const clock = fakeClock();
  const journal = memoryJournal();
  const events: BridleEvent[] = [];
  const { tools = actAndLook, hooks = [], approver } = options;
  const watch = onEvent((event) => void events.push(event), { name: 'watch' });
  const guard = createGuard({
    policy: [],
    default: 'allow',
    clock,
    journal,
    ...options,
    approver: approver && rememberAnswers(approver, { answers, proposals }),
    tools,
    hooks: [...hooks, watch],
  });
  const done = tools.map(({ name, server }) => [server === undefined ? name : `${server}/${name}`, 'done']);
  const host = scriptedHost({ ...Object.fromEntries(done), ...does });
  const session = await guard.start(start);
  const turn = session.turn();
  const call: Rig['call'] = (tool, args, server) => turn.guard({ tool, args, server }, host);
  return { session, turn, host, clock, journal, events, call };
}

/** The journal as a list of steps: `decided allowed`, `settled ok`. */
export function story({ journal }: { readonly journal: MemoryJournal }): readonly string[] {
  return journal.entries().map(({ kind, status }) => `${kind} ${status}`);
}

/** The entries of one kind. */
export function entriesOf<K extends JournalEntry['kind']>(
  { journal }: { readonly journal: MemoryJournal },
  kind: K,
): readonly Extract<JournalEntry, { readonly kind: K }>[] {
  return journal.entries().filter((entry): entry is Extract<JournalEntry, { readonly kind: K }> => entry.kind === kind);
}

/** The events of one type. */
export function eventsOf<T extends BridleEvent['type']>(
  { events }: { readonly events: readonly BridleEvent[] },
  type: T,
): readonly Extract<BridleEvent, { readonly type: T }>[] {
  return events.filter((event): event is Extract<BridleEvent, { readonly type: T }> => event.type === type);
}

/** The only one of a list. */
export function only<T>(list: readonly T[]): T {
  if (list.length !== 1) throw new RangeError(`${list.length} where one was expected`);
  return list[0] as T;
}

/** A promise with its settle functions, for work that a test ends itself. */
export function later<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** A promise that never settles. */
export function never(): Promise<never> {
  return new Promise(() => {});
}

type Settle = (value: unknown) => void;

/** An object with a `then` that is not a promise. */
export function thenable(then: (yes: Settle, no: Settle) => unknown): PromiseLike<never> {
  return Object.assign(Object.create(null) as PromiseLike<never>, Object.fromEntries([[thenName, then]]));
}

/** An object that throws even when checked for being a promise. */
export function untouchable(): object {
  return Object.defineProperty({}, thenName, {
    enumerable: true,
    get: () => {
      throw new TypeError('trap');
    },
  });
}

const thenName = ['t', 'hen'].join('');
