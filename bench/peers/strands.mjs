/**
 * The hook registry of the Strands SDK, always asynchronous; answers are fields a callback sets on the event.
 * The event is made once, where an agent makes one per dispatch.
 */

import { BeforeToolCallEvent, HookRegistry } from '@strands-agents/sdk';

export const strands = {
  name: 'strands',
  setup({ hooks }) {
    const registry = new HookRegistry();
    for (const fn of hooks) registry.addCallback(BeforeToolCallEvent, fn);
    const toolUse = { name: 'view_file', toolUseId: 'call-1', input: {} };
    const event = new BeforeToolCallEvent({ agent: {}, toolUse, tool: undefined, invocationState: {} });
    return () => registry.invokeCallbacks(event);
  },
};
