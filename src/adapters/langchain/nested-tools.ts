/** Refuses tools of agents that run inside a guarded tool without a guard of their own (B03). */

import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';

/** The calls that run guarded now, in any agent. */
const guarded = new Set<string>();

/** Identifies a call and the task of the graph that runs it. */
export function taskKey(namespace: unknown, id: string | undefined): string {
  return JSON.stringify([String(namespace), id ?? '']);
}

/** Runs a guarded call. `callbacks` are those of LangChain, with one more that watches what runs inside. */
export async function whileGuarded<T>(
  { namespace, id }: { readonly namespace: unknown; readonly id: string | undefined },
  callbacks: unknown,
  run: (callbacks: unknown) => Promise<T>,
): Promise<T> {
  const key = taskKey(namespace, id);
  guarded.add(key);
  try {
    return await run(withHandler(callbacks, watcher(namespace)));
  } finally {
    guarded.delete(key);
  }
}

/** An error in this handler stops the tool. */
function watcher(namespace: unknown): object {
  return {
    name: 'bridle',
    awaitHandlers: true,
    raiseError: true,
    // eslint-disable-next-line max-params -- The parameters are LangChain's.
    handleToolStart(...[, , , , , metadata, name, id]: readonly unknown[]) {
      const own = (metadata as { langgraph_checkpoint_ns?: unknown } | undefined)?.langgraph_checkpoint_ns;
      // A tool that calls another function or tool by itself is one call.
      if (id === undefined || own === undefined || own === namespace) return;
      if (guarded.has(taskKey(own, id as string))) return;
      throw new BridleError(
        'TOOL_INVALID',
        `${quoteName(String(name))} belongs to an agent without a guard: add guardMiddleware to that agent`,
      );
    },
  };
}

interface CallbackManager {
  copy(): CallbackManager;
  addHandler(handler: object, inherit: boolean): void;
}

function withHandler(callbacks: unknown, handler: object): unknown {
  if (Array.isArray(callbacks)) return [...(callbacks as unknown[]), handler];
  if (typeof (callbacks as Partial<CallbackManager> | undefined)?.copy !== 'function') return [handler];
  const copy = (callbacks as CallbackManager).copy();
  copy.addHandler(handler, true);
  return copy;
}
