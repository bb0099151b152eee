/** An agent from a JavaScript module of the user's. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import type { AgentSource } from '../../fleet/agent-source.ts';
import { kindOf } from '../../kernel/kind-of.ts';

/**
 * The default export of `file`: the options of an agent, or a function that gets the store and gives options or an agent
 * that is not started. What goes wrong in the function is told with the name of the file.
 */
export async function loadAgentSource(file: string): Promise<AgentSource> {
  const path = resolve(file);
  if (!existsSync(path)) throw agentModuleError(file, 'does not exist');
  const exported = await withFileName(file, async () => {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    return module.default;
  });
  if (typeof exported === 'function') {
    const make = exported as Extract<AgentSource, (...given: never[]) => unknown>;
    return (given) => withFileName(file, async () => make(given));
  }
  if (typeof exported === 'object' && exported !== null) return exported as AgentSource;
  const fault = exported === undefined ? 'has no default export' : `exports ${kindOf(exported)} as its default`;
  throw agentModuleError(file, `${fault}; export the options of an agent, or a function ({ store }) => options`);
}

async function withFileName<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw agentModuleError(file, `cannot be used: ${messageOf(error)}`, error);
  }
}

function agentModuleError(file: string, problem: string, cause?: unknown): BridleError {
  return new BridleError('OPTION_INVALID', `the agent module ${file} ${problem}`, cause === undefined ? {} : { cause });
}
