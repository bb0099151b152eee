/** Registering hooks: order is priority, then registration; registering returns its own undo; a start seals the list. */

import { positive } from '../catalog/check-fields.ts';
import { BridleError } from '../errors.ts';
import { defaultLimits } from '../limits.ts';
import { Chain } from './chain.ts';
import type { Entry, Flowing } from './dispatched.ts';
import { type Hook, readHook, type Registered } from './hook.ts';
import { type PointName, pointNames, points } from './points.ts';

const defaultPriority = 100;
const defaultTimeoutMs = 5000;

export interface HooksOptions {
  /** The time limit of hooks that name none. */
  readonly timeoutMs?: number | undefined;
  /** `forward`: points that run their hooks in reverse run them forward as well. `reverse` if not given. */
  readonly resultOrder?: ResultOrder | undefined;
}

/** The order in which `postTurn`, `postLlmCall`, `postToolCall`, `postCompaction` and `onSessionEnd` run their hooks. */
export type ResultOrder = 'reverse' | 'forward';

export const resultOrders: readonly ResultOrder[] = ['reverse', 'forward'];

/** The hooks of an agent, ready to be dispatched. */
export class Hooks {
  private registered: readonly Registered[] = [];
  private chains: Readonly<Record<PointName, Chain>>;
  private sealed = false;
  private readonly timeoutMs: number;
  private readonly forward: boolean;

  constructor(options: HooksOptions) {
    const { timeoutMs = defaultTimeoutMs, resultOrder = 'reverse' } = options;
    const problem = positive(timeoutMs);
    if (problem !== undefined) throw new BridleError('OPTION_INVALID', `the timeoutMs of hooks ${problem}`);
    if (!resultOrders.includes(resultOrder)) {
      throw new BridleError('OPTION_INVALID', `the resultOrder of hooks is none of ${resultOrders.join(', ')}`);
    }
    this.timeoutMs = timeoutMs;
    this.forward = resultOrder === 'forward';
    this.chains = this.link();
  }

  /** Adds a hook; the returned function removes it again. Both only before the start. */
  register(hook: Hook): () => void {
    this.checkOpen('register');
    const added = readHook(hook, defaultLimits.nameLength);
    const { name } = added;
    if (this.registered.some((each) => each.name === name)) {
      throw new BridleError('HOOK_DUPLICATE', `a hook named "${name}" is registered already`);
    }
    this.registered = [...this.registered, added];
    this.chains = this.link();
    return () => {
      this.checkOpen('undo');
      this.registered = this.registered.filter((each) => each !== added);
      this.chains = this.link();
    };
  }

  seal(): void {
    this.sealed = true;
  }

  /** The hooks of a point as they are now; a later registration does not change what this returns. */
  at(point: PointName): Chain {
    return this.chains[point];
  }

  /** Every hook that wants events, in order. */
  observers(): readonly Entry[] {
    return this.inOrder().flatMap((hook) => this.entry(hook, 'onEvent') ?? []);
  }

  private checkOpen(what: string): void {
    if (this.sealed)
      throw new BridleError('HOOKS_SEALED', `${what} of a hook after the start; hooks are fixed by then`);
  }

  private inOrder(): readonly Registered[] {
    return this.registered.toSorted((a, b) => priorityOf(a) - priorityOf(b));
  }

  private link(): Readonly<Record<PointName, Chain>> {
    const inOrder = this.inOrder();
    const chains = {} as Record<PointName, Chain>;
    for (const name of pointNames) chains[name] = this.chain(name, inOrder);
    return chains;
  }

  private chain(name: PointName, inOrder: readonly Registered[]): Chain {
    const { reversed, ...rest } = points[name];
    const flowing = { name, ...rest, observing: false } as Flowing;
    const ordered = reversed && !this.forward ? inOrder.toReversed() : inOrder;
    const entries = (role: Role): Entry[] =>
      ordered.filter((hook) => roleOf(hook) === role).flatMap((hook) => this.entry(hook, name) ?? []);
    const watched: Flowing = { ...flowing, gate: false, withheld: undefined, observing: true, answers: {} };
    const [observing, detached] = [entries('observing'), entries('detached')];
    if (observing.length === 0 && detached.length === 0) return new Chain(flowing, entries('answering'));
    return new Chain(flowing, entries('answering'), {
      observing: new Chain(watched, observing),
      detached: detached.map((entry) => new Chain(watched, [entry])),
    });
  }

  private entry({ self, name, options, methods }: Registered, point: PointName): Entry | undefined {
    const method = methods.get(point) as Entry['method'] | undefined;
    if (method === undefined) return undefined;
    const { timeoutMs = this.timeoutMs, failOpen, gate = false, observes } = options;
    return { hook: name, self, method, limitMs: timeoutMs, failOpen: observes === true ? true : failOpen, gate };
  }
}

/** A list of hooks to register in and dispatch from. */
export function createHooks(hooks: readonly Hook[] = [], options: HooksOptions = {}): Hooks {
  const created = new Hooks(options);
  for (const hook of hooks) created.register(hook);
  return created;
}

function priorityOf({ options }: Registered): number {
  return options.priority ?? defaultPriority;
}

type Role = 'answering' | 'observing' | 'detached';

function roleOf({ options: { observes, detached } }: Registered): Role {
  if (detached === true) return 'detached';
  return observes === true ? 'observing' : 'answering';
}
