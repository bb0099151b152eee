/** Runs the bundle of the quick commands, which starts several times faster with what V8 has compiled of it before. */

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Script } from 'node:vm';
import { PrivateCache } from './options/private-cache.ts';
import { policyExitCodes } from './exit/policy-exit-codes.ts';
import type { runQuickCommand } from './quick-command.ts';
import { bridleHome } from './options/bridle-home.ts';

interface QuickExports {
  runQuickCommand?: typeof runQuickCommand;
}

/** The bundle is one function, whose arguments stand for what a module has and for the clock. */
type Bundle = (...given: readonly [(name: string) => unknown, QuickExports, string, { now: () => number }]) => void;

/** The exit code; undefined if there is no bundle, or if it leaves this command line to the long way. */
export async function runQuickBundle(bundle: string, argv: readonly string[]): Promise<number | undefined> {
  const source = readSource(bundle);
  if (source === undefined) return undefined;
  const { env, version, arch, execArgv } = process;
  const cache = new PrivateCache(bridleHome(env));
  // The bundle begins with its own hash in a comment.
  const key = [version, arch, hashText(JSON.stringify([execArgv, env['NODE_OPTIONS']])), source.slice(2, 18)];
  const name = `code-${key.join('-')}`;
  const cachedData = cache.read(name);
  const script = new Script(source, { filename: bundle, cachedData });
  const made: QuickExports = {};
  (script.runInThisContext() as Bundle)(loaderFor(bundle), made, dirname(bundle), { now });
  const code = await made.runQuickCommand?.(argv, { env, cache });
  const isKnown = cachedData !== undefined && script.cachedDataRejected !== true;
  // Afterwards, so that it holds the functions that were used; not those for reading a policy for the first time.
  if (!isKnown && !cache.hasWritten && code !== policyExitCodes.invalid)
    cache.write(name, script.createCachedData(), 4);
  return code;
}

/** The bundle is ASCII, which is the fastest to read. */
function readSource(bundle: string): string | undefined {
  try {
    return readFileSync(bundle, 'latin1');
  } catch {
    return undefined;
  }
}

/** A short name for the flags of V8, which its code depends on; V8 itself checks that they fit. */
function hashText(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36);
}

/** Modules of Node, and files beside the bundle. */
function loaderFor(bundle: string): (name: string) => unknown {
  const getBuiltinModule = process.getBuiltinModule.bind(process);
  return (name) =>
    name.startsWith('./') ? getBuiltinModule('module').createRequire(bundle)(name) : getBuiltinModule(name);
}

function now(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
