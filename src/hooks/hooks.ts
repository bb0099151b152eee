/** Registering hooks: order is priority, then registration; registering returns its own undo; a start seals the list. */

import { BridleError } from '../errors.ts';
import { defaultLimits } from '../limits.ts';
import { Chain } from './chain.ts';
import type { Entry, Flowing } from './dispatched.ts';
import { checkHook, type Hook } from './hook.ts';
import { type PointName, pointNames, points } from './points.ts';

const defaultPriority = 100;
const defaultTimeoutMs = 5000;

export interface HooksOptions {
  /** The time limit of hooks that name none. */
  readonly timeoutMs?: number | undefined;
}

/** The hooks of an agent, ready to be dispatched. */
export class Hooks {
  private registered: readonly Hook[] = [];
  private chains: Readonly<Record<PointName, Chain>>;
  private sealed = false;
  private readonly timeoutMs: number;

  constructor(options: HooksOptions) {
    this.timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.chains = this.link();
  }

  /** Adds a hook; the returned function removes it again. Both only before the start. */
  register(hook: Hook): () => void {
    this.checkOpen('register');
    checkHook(hook, defaultLimits.nameLength);
    const { name } = hook;
    if (this.registered.some((each) => each.name === name)) {
      throw new BridleError('HOOK_DUPLICATE', `a hook named "${name}" is registered already`);
    }
    this.registered = [...this.registered, hook];
    this.chains = this.link();
    return () => {
      this.checkOpen('undo');
      this.registered = this.registered.filter((each) => each !== hook);
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
    return this.inOrder()
      .filter((hook) => hook.onEvent !== undefined)
      .map((hook) => this.entry(hook, 'onEvent'));
  }

  /** True if a hook with `gate: true` stands at this point. */
  hasGate(point: PointName): boolean {
    return this.registered.some((hook) => hook.gate === true && hook[point] !== undefined);
  }

  private checkOpen(what: string): void {
    if (this.sealed)
      throw new BridleError('HOOKS_SEALED', `${what} of a hook after the start; hooks are fixed by then`);
  }

  private inOrder(): readonly Hook[] {
    return this.registered.toSorted((a, b) => priorityOf(a) - priorityOf(b));
  }

  private link(): Readonly<Record<PointName, Chain>> {
    const inOrder = this.inOrder();
    const chains = {} as Record<PointName, Chain>;
    for (const name of pointNames) chains[name] = this.chain(name, inOrder);
    return chains;
  }

  private chain(name: PointName, inOrder: readonly Hook[]): Chain {
    const { reversed, ...rest } = points[name];
    const flowing = { name, ...rest } as Flowing;
    const here = inOrder.filter((hook) => hook[name] !== undefined);
    if (reversed) here.reverse();
    const beside = here.filter((hook) => hook.detached === true);
    const inline = here.filter((hook) => hook.detached !== true);
    const observing: Flowing = { ...flowing, answers: {} };
    return new Chain(
      flowing,
      inline.map((hook) => this.entry(hook, name)),
      beside.map((hook) => new Chain(observing, [this.entry(hook, name)], [])),
    );
  }

  private entry(hook: Hook, point: PointName): Entry {
    return {
      hook: hook.name,
      self: hook,
      method: hook[point] as Entry['method'],
      limitMs: hook.timeoutMs ?? this.timeoutMs,
      failOpen: hook.failOpen,
      gate: hook.gate === true,
    };
  }
}

/** A list of hooks to register in and dispatch from. */
export function createHooks(hooks: readonly Hook[] = [], options: HooksOptions = {}): Hooks {
  const created = new Hooks(options);
  for (const hook of hooks) created.register(hook);
  return created;
}

function priorityOf(hook: Hook): number {
  return hook.priority ?? defaultPriority;
}
