/**
 * Loads the hooks that policy files name in `hooks` (D12). What runs is exactly the text that was read, so a file that
 * is swapped after its hash was compared changes nothing. A module can import only Node's own modules: code in other
 * files would decide too, but would be neither hashed nor protected from the agent.
 */

import { extname } from 'node:path';
import { importModule } from '../../files/import-module.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import * as actions from '../../kernel/hooks/points/actions.ts';
import * as hookMakers from '../../kernel/hooks/registration/hook.ts';
import { type Hook, readHook } from '../../kernel/hooks/registration/hook.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { type HookModuleOnDisk, hooksHash, type PolicyFileOnDisk } from '../read/read-policy-files.ts';

interface LoadHooksOptions {
  /** The time limit for loading one module. Default: 5 seconds. */
  readonly timeoutMs?: number | undefined;
  /** More names for a module that exports a function, such as ready-made hooks. */
  readonly helpers?: object | undefined;
}

/**
 * The hooks of these files, those of the highest layer first. Call it only with files that are fully in force. Throws
 * `POLICY_FILE` for a module that cannot be used: without it, the policy is incomplete.
 */
export async function loadPolicyHooks(
  files: readonly Pick<PolicyFileOnDisk, 'policyFile' | 'hooks'>[],
  { timeoutMs = 5000, helpers }: LoadHooksOptions = {},
): Promise<readonly Hook[]> {
  const loaded = new Map<string, Hook>();
  for (const { policyFile, hooks } of files) {
    for (const [index, module] of hooks.entries()) {
      const { line, column } = policyFile.hooks?.[index]?.at ?? { line: 1, column: 1 };
      const problemAt = `${policyFile.file}:${line}:${column}: the hook module ${module.file}`;
      try {
        for (const hook of await hooksOf(module, { timeoutMs, helpers })) addHook(hook, loaded);
      } catch (error) {
        throw new BridleError('POLICY_FILE', `${problemAt} ${problemOf(error)}`, { cause: error });
      }
    }
  }
  return [...loaded.values()];
}

/** The hooks of an opened policy. They stay as they were when it was opened. */
export class OpenedHooks {
  areLoaded = false;

  /** `own` are the files that are fully in force; those above need no trust. */
  constructor(
    private readonly higher: () => readonly PolicyFileOnDisk[],
    private readonly own: readonly PolicyFileOnDisk[],
  ) {}

  async load(helpers?: object): Promise<readonly Hook[]> {
    const hooks = await loadPolicyHooks([...this.higher(), ...this.own], { helpers });
    this.areLoaded = true;
    return hooks;
  }

  /** True if other contents of the own files have the same hooks. */
  areSame(files: readonly PolicyFileOnDisk[]): boolean {
    return hooksHash(files) === hooksHash(this.own);
  }
}

function addHook(hook: Hook, loaded: Map<string, Hook>): void {
  const { name } = readHook(hook, defaultLimits.nameLength);
  if (loaded.has(name)) throw moduleError(`exports a hook named "${name}", and there is one with that name already`);
  loaded.set(name, hook);
}

async function hooksOf(
  module: HookModuleOnDisk,
  { timeoutMs, helpers }: { readonly timeoutMs: number; readonly helpers: object | undefined },
): Promise<readonly Hook[]> {
  const exported = await withTimeout(defaultExportOf(module, helpers), timeoutMs);
  const list: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  if (list.length === 0) throw moduleError('exports an empty list; export a hook, or remove the module from hooks');
  const wrong = list.findIndex((each) => typeof each !== 'object' || each === null);
  if (wrong === -1) return list as readonly Hook[];
  const what = exported === undefined ? 'has no default export' : `exports ${kindOf(list[wrong])}, not a hook`;
  throw moduleError(`${what}; export a hook, a list of hooks, or a function that returns them`);
}

async function defaultExportOf(module: HookModuleOnDisk, helpers: object | undefined): Promise<unknown> {
  const code = `${javascriptOf(module)}\n//# sourceURL=${encodeURI(module.file)}\n`;
  const url = `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`;
  const { default: exported } = await importModule(url);
  // A function gets the helpers that it cannot import: `({ preToolCall, reject }) => …`.
  return typeof exported === 'function' ? exported({ ...helpers, ...actions, ...hookMakers }) : exported;
}

/** Removes types with Node's own function. */
function javascriptOf({ path, text }: HookModuleOnDisk): string {
  if (!/^\.m?ts$/i.test(extname(path))) return text;
  const { stripTypeScriptTypes: strip } = (process.getBuiltinModule?.('node:module') ?? {}) as {
    readonly stripTypeScriptTypes?: (code: string) => string;
  };
  if (strip === undefined)
    throw moduleError(`is TypeScript, which needs Node 22.13 or later (this is ${process.version}); use a .mjs file`);
  const original = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  try {
    // It warns that it is experimental, which would appear on every call of an agent.
    process.emitWarning = () => undefined;
    return strip(text);
  } finally {
    if (original !== undefined) Object.defineProperty(process, 'emitWarning', original);
  }
}

/** An import that never ends would otherwise delay every call up to the host's limit. */
async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(moduleError(`did not load within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function moduleError(problem: string): BridleError {
  return new BridleError('POLICY_FILE', problem);
}

function problemOf(error: unknown): string {
  if (error instanceof BridleError)
    return error.code === 'POLICY_FILE' ? error.message : `is invalid: ${error.message}`;
  const specifier = /module specifier "([^"]*)"/.exec(messageOf(error))?.[1];
  if ((error as { readonly code?: unknown } | null)?.code !== 'ERR_UNSUPPORTED_RESOLVE_REQUEST')
    return `cannot be loaded: ${messageOf(error)}`;
  const why = "a hook module can import only Node's own modules, so that its own text is all the code that is trusted";
  const advice = /^bridle(?:\/|$)/.test(specifier ?? '')
    ? "Export a function, which gets Bridle's helpers: export default ({ preToolCall, reject }) => …"
    : 'Bundle it into one file';
  return `imports ${JSON.stringify(specifier ?? 'another file')}; ${why}. ${advice}`;
}
