/** Loads the hooks of `--hook`: modules that the person chose, so they may import whatever they need. */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importModule } from '../../files/import-module.ts';
import * as actions from '../../kernel/hooks/points/actions.ts';
import * as hookMakers from '../../kernel/hooks/registration/hook.ts';
import { type Hook, readHook } from '../../kernel/hooks/registration/hook.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { readyMadeHooks } from '../../ready-made/hook-makers.ts';
import { usageError } from '../command/command-row.ts';
import { moduleErrorText } from '../command/module-error.ts';

/**
 * The hooks of a module. Its default export is a hook, a list of hooks, or a function that gets the actions, the makers
 * of hooks and the ready-made hooks, and returns one of these. Without a default export, every named object is a hook.
 */
export async function loadHookModule(file: string): Promise<readonly Hook[]> {
  const path = resolve(file);
  if (!existsSync(path)) throw usageError(`the hook module ${file} does not exist`);
  try {
    const module = await importModule(pathToFileURL(path).href);
    const named = Object.values(module).filter((each) => typeof each === 'object' && each !== null);
    const exports = 'default' in module ? [module['default']] : named;
    const hooks = (await Promise.all(exports.map(hooksOf))).flat();
    if (hooks.length === 0) throw usageError('exports no hook; export a hook, or a list of hooks');
    for (const hook of hooks) readHook(hook, defaultLimits.nameLength);
    return hooks;
  } catch (error) {
    throw usageError(`the hook module ${file} cannot be used: ${moduleErrorText(error, file)}`);
  }
}

async function hooksOf(exported: unknown): Promise<readonly Hook[]> {
  const helpers = { ...readyMadeHooks, ...actions, ...hookMakers };
  const given: unknown = typeof exported === 'function' ? await exported(helpers) : exported;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  const wrong = list.find((each) => typeof each !== 'object' || each === null);
  if (wrong === undefined) return list as readonly Hook[];
  throw usageError(
    `it exports ${kindOf(wrong)}, not a hook; export a hook, a list of hooks, or a function that returns them`,
  );
}
