/** Runs a bundle of code that must start quickly. Without V8's cached bytecode, a start needs almost twice the CPU time. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { bridleHome } from '../files/bridle-home.ts';
import { importModule } from '../files/import-module.ts';
import { exitCodes } from './command/exit-codes.ts';
import { PrivateCache } from '../policy-files/read/private-cache.ts';
import { loadLibsql } from '../store/sqlite/libsql-package.ts';

/** Every bundle exports this function. It returns the exit code; undefined if it does not handle these arguments. */
interface QuickExports {
  run?: (argv: readonly string[], context: BundleContext) => Promise<number | undefined>;
}

interface BundleContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cache: PrivateCache;
}

/** The bundle is one function; it receives `require`, `exports`, `__dirname` and a clock. */
type Bundle = (...given: readonly [(name: string) => unknown, QuickExports, string, { now: () => number }]) => void;

/** Returns the exit code; undefined if there is no bundle or it does not handle these arguments. */
export async function runQuickBundle(
  bundle: string,
  argv: readonly string[],
  home = bridleHome(process.env),
): Promise<number | undefined> {
  const source = readSource(bundle);
  if (source === undefined) return undefined;
  const { env, version, arch, execArgv } = process;
  // The bundle starts with its own hash in a comment.
  const build = source.slice(2, 18);
  const cache = new PrivateCache(home, build);
  const key = [version, arch, hashText(JSON.stringify([execArgv, env['NODE_OPTIONS']])), build];
  const name = `code-${key.join('-')}`;
  const cachedData = cache.read(name);
  const script = new Script(source, { filename: bundle, cachedData });
  const exported: QuickExports = {};
  (script.runInThisContext() as Bundle)(loaderFor(bundle), exported, dirname(bundle), { now });
  const code = await exported.run?.(argv, { env, cache });
  const isKnown = cachedData !== undefined && script.cachedDataRejected !== true;
  // Written after the run, so it contains the functions that were used, but not after reading a policy for the first time.
  if (!isKnown && !cache.hasWritten && code !== exitCodes.usage) cache.write(name, script.createCachedData(), 4);
  return code;
}

/** The bundle is ASCII; latin1 is the fastest encoding to read it. */
function readSource(bundle: string): string | undefined {
  try {
    return readFileSync(bundle, 'latin1');
  } catch {
    return undefined;
  }
}

/** A short hash of the V8 flags, which cached bytecode depends on. V8 also checks that they match. */
function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** Loads Node's built-in modules, files next to the bundle, and libsql if it is installed next to Bridle. */
function loaderFor(bundle: string): (name: string) => unknown {
  const getBuiltinModule = process.getBuiltinModule.bind(process);
  const load = (name: string): unknown => getBuiltinModule('module').createRequire(bundle)(name);
  return (name) => {
    // Code that V8 compiles as a script has no import().
    if (name === './import-module.js') return { importModule };
    if (name === './libsql.node') return loadNative(join(dirname(bundle), name));
    if (name === 'libsql') return loadLibsql(join(dirname(bundle), '../..'));
    return name.startsWith('./') ? load(name) : getBuiltinModule(name);
  };
}

/** Undefined if there is no such file: only an installed hook handler has its own copy. */
function loadNative(path: string): unknown {
  if (!existsSync(path)) return undefined;
  const native = { exports: {} };
  process.dlopen(native, path);
  return native.exports;
}

function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
