/** Refuses tools of agents that run inside a guarded tool without a guard of their own (B03). */

import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import { callbackContext } from './native.ts';

/** The tasks of graphs in which a guarded call runs now, in any agent, with the number of calls. */
const guardedTasks = new Map<unknown, number>();
const handlerName = 'bridle';

/** Runs a guarded call in a task of a graph. A callback handler of LangChain sees each tool that starts inside. */
export async function whileGuarded<T>(task: unknown, run: () => Promise<T>): Promise<T> {
  const { registerConfigureHook, setContextVariable } = await callbackContext();
  // Both count for what this function calls only.
  registerConfigureHook({ contextVar: handlerName });
  setContextVariable(handlerName, watcher);
  guardedTasks.set(task, (guardedTasks.get(task) ?? 0) + 1);
  try {
    return await run();
  } finally {
    const left = (guardedTasks.get(task) ?? 1) - 1;
    if (left > 0) guardedTasks.set(task, left);
    else guardedTasks.delete(task);
  }
}

/** An error in this handler stops the tool. */
const watcher = {
  name: handlerName,
  copy: (): object => watcher,
  awaitHandlers: true,
  raiseError: true,
  handleToolStart(...[, , , , , metadata, name, callId]: readonly unknown[]): void {
    const task = (metadata as { langgraph_checkpoint_ns?: unknown } | undefined)?.langgraph_checkpoint_ns;
    // A tool that runs another tool by itself, without a model's call, is one call.
    if (callId === undefined || task === undefined || guardedTasks.has(task)) return;
    throw new BridleError(
      'TOOL_INVALID',
      `${quoteName(String(name))} belongs to an agent without a guard: add guardMiddleware to that agent`,
    );
  },
};
