/** Loads an agent from the user's JavaScript module. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BridleError } from '../../kernel/errors.ts';
import type { AgentSource } from '../../fleet/agent-source.ts';
import { moduleErrorText } from '../command/module-error.ts';
import { kindOf } from '../../kernel/kind-of.ts';

/**
 * Returns the default export of `file`: agent options, or a function that receives the store and returns options or an
 * agent that is not started. Errors thrown by the module or the function name the file.
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
  throw agentModuleError(file, `${fault}; export agent options, or a function ({ store }) => options`);
}

async function withFileName<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw agentModuleError(file, `cannot be loaded: ${moduleErrorText(error, file)}`, error);
  }
}

function agentModuleError(file: string, problem: string, cause?: unknown): BridleError {
  return new BridleError('OPTION_INVALID', `the agent module ${file} ${problem}`, cause === undefined ? {} : { cause });
}
