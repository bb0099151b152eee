/**
 * hookable stays synchronous until a hook returns a promise; it has no answers, so it cannot bail. Its usual class
 * tags every hook for asynchronous stack traces, which Node makes dear; its core class does not.
 */

import { createHooks, HookableCore } from 'hookable';

const contestant = (name, create) => ({
  name,
  setup({ hooks, payload, ctx }) {
    const registry = create();
    for (const fn of hooks) registry.hook('preToolCall', fn);
    return () => registry.callHook('preToolCall', payload, ctx);
  },
});

export const hookable = contestant('hookable', createHooks);
export const hookableCore = contestant('hookable core', () => new HookableCore());
