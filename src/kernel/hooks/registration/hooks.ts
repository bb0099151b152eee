/** Registration of hooks. Order is by priority, then by registration. `register` returns its undo. The first start seals the list. */

import { BridleError } from '../../errors.ts';
import { defaultLimits } from '../../limits.ts';
import * as is from '../../shapes.ts';
import { readOptions } from '../../shapes.ts';
import { HookChain } from '../dispatch/hook-chain.ts';
import type { HookEntry, HookPoint } from '../dispatch/dispatch-result.ts';
import { type Hook, readHook, type RegisteredHook } from './hook.ts';
import { type PointName, pointNames, points } from '../points/points.ts';

const defaultPriority = 100;
const defaultTimeoutMs = 5000;

export interface HooksOptions {
  /** The time limit of hooks without their own. */
  readonly timeoutMs?: number | undefined;
  /** `forward`: points that run their hooks in reverse order run them forward instead. Default: `reverse`. */
  readonly resultOrder?: ResultOrder | undefined;
}

/** The order in which `postTurn`, `postLlmCall`, `postToolCall`, `postCompaction` and `onSessionEnd` run their hooks. */
export type ResultOrder = 'reverse' | 'forward';

export const resultOrders: readonly ResultOrder[] = ['reverse', 'forward'];

const shape = is.options<HooksOptions>({ timeoutMs: is.positive, resultOrder: is.oneOf(...resultOrders) });

export type HookChains = Readonly<Record<PointName, HookChain>>;

export class Hooks {
  /** A snapshot of the hooks of each point. A registration replaces it. */
  readonly chains: HookChains;
  private registered: readonly RegisteredHook[] = [];
  private sealed = false;
  private readonly timeoutMs: number;
  private readonly forward: boolean;

  constructor(options: HooksOptions) {
    const { timeoutMs = defaultTimeoutMs, resultOrder = 'reverse' } = readOptions('createHooks', options, shape);
    this.timeoutMs = timeoutMs;
    this.forward = resultOrder === 'forward';
    this.chains = this.buildChains();
  }

  /** Adds a hook; the returned function removes it. Both work only before the first start. */
  register(hook: Hook): () => void {
    this.checkOpen('register');
    const added = readHook(hook, defaultLimits.nameLength);
    const { name } = added;
    if (this.registered.some((each) => each.name === name)) {
      throw new BridleError('HOOK_DUPLICATE', `a hook named "${name}" is registered already`);
    }
    this.replaceAll([...this.registered, added]);
    return () => {
      this.checkOpen('remove');
      this.replaceAll(this.registered.filter((each) => each !== added));
    };
  }

  seal(): void {
    this.sealed = true;
  }

  /** Every hook with an `onEvent` method, in order. */
  observers(): readonly HookEntry[] {
    return this.inOrder().flatMap((hook) => this.entry(hook, 'onEvent') ?? []);
  }

  private checkOpen(what: string): void {
    if (this.sealed) throw new BridleError('HOOKS_SEALED', `cannot ${what} a hook after the first session has started`);
  }

  private replaceAll(hooks: readonly RegisteredHook[]): void {
    this.registered = hooks;
    (this as { chains: HookChains }).chains = this.buildChains();
  }

  private inOrder(): readonly RegisteredHook[] {
    return this.registered.toSorted((a, b) => priorityOf(a) - priorityOf(b));
  }

  private buildChains(): HookChains {
    const inOrder = this.inOrder();
    const chains = {} as Record<PointName, HookChain>;
    for (const name of pointNames) chains[name] = this.chain(name, inOrder);
    return chains;
  }

  private chain(name: PointName, inOrder: readonly RegisteredHook[]): HookChain {
    const { reversed, ...rest } = points[name];
    const hookPoint = { name, ...rest, observing: false } as HookPoint;
    const ordered = reversed && !this.forward ? inOrder.toReversed() : inOrder;
    const entries = (role: Role): HookEntry[] =>
      ordered.filter((hook) => roleOf(hook) === role).flatMap((hook) => this.entry(hook, name) ?? []);
    const observedPoint: HookPoint = { ...hookPoint, gate: false, withhold: undefined, observing: true, actions: {} };
    const [observing, detached] = [entries('observing'), entries('detached')];
    if (observing.length === 0 && detached.length === 0) return new HookChain(hookPoint, entries('answering'));
    return new HookChain(hookPoint, entries('answering'), {
      observing: new HookChain(observedPoint, observing),
      detached: detached.map((entry) => new HookChain(observedPoint, [entry])),
    });
  }

  private entry({ self, name, options, methods }: RegisteredHook, point: PointName): HookEntry | undefined {
    const method = methods.get(point) as HookEntry['method'] | undefined;
    if (method === undefined) return undefined;
    const { timeoutMs = this.timeoutMs, failOpen, gate = false, observes } = options;
    return { hook: name, self, method, limitMs: timeoutMs, failOpen: observes === true ? true : failOpen, gate };
  }
}

/** Creates a list of hooks. More can be registered until the first start. */
export function createHooks(hooks: readonly Hook[] = [], options: HooksOptions = {}): Hooks {
  const created = new Hooks(options);
  for (const hook of hooks) created.register(hook);
  return created;
}

function priorityOf({ options }: RegisteredHook): number {
  return options.priority ?? defaultPriority;
}

type Role = 'answering' | 'observing' | 'detached';

function roleOf({ options: { observes, detached } }: RegisteredHook): Role {
  if (detached === true) return 'detached';
  return observes === true ? 'observing' : 'answering';
}
