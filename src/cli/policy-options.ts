/** What every command about policies is told: which file, for which folder. */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import type { LoadedPolicy } from '../documents/loaded-policy.ts';
import { loadPolicy } from '../documents/load-policy.ts';
import { policyNames } from '../documents/own-files.ts';
import { wasTrusted } from '../documents/trust.ts';
import { messageOf } from '../errors.ts';
import { safeDefaults } from '../policy/builders.ts';
import { declareBuiltins } from '../tools/declare-builtins.ts';
import { documentCache } from './document-cache.ts';
import { higherLayers } from './higher-layers.ts';
import type { OwnCache } from './own-cache.ts';
import { stateHome } from './state-home.ts';
import { wrong } from './wrong-use.ts';

export interface PolicyOptions {
  readonly policy?: string | undefined;
  readonly cwd?: string | undefined;
  readonly json?: boolean | undefined;
}

/** What a command may look at beside its options. */
export interface PolicySurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where policies that were read before are kept; none if not given. */
  readonly cache?: OwnCache | undefined;
  /** Tells the person something that is no answer. */
  readonly note: (text: string) => void;
}

export interface NamedPolicy {
  /** Absolute. */
  readonly file: string;
  readonly cwd: string;
  /** True: nobody named it, it was found in the folder. */
  readonly found: boolean;
}

export function findPolicy(options: PolicyOptions, { note }: PolicySurroundings): NamedPolicy {
  const cwd = readFolder(options.cwd ?? '.');
  if (options.policy !== undefined) return { file: namedFile(options.policy), cwd, found: false };
  const file = policyNames.map((name) => join(cwd, name)).find((path) => existsSync(path));
  if (file === undefined) {
    const hint = 'name one with --policy, or write one with bridle init';
    throw wrong(`there is no ${policyNames.join(', ')} in ${cwd}: ${hint}`);
  }
  note(`policy ${file}`);
  return { file, cwd, found: true };
}

/** What is no policy file by its name is better told so than read as YAML. */
function namedFile(given: string): string {
  const shown = JSON.stringify(given);
  const kind = extname(given).toLowerCase();
  if (given === '-') throw wrong('a policy cannot be read from stdin: name a file');
  if (['.mjs', '.js', '.cjs', '.mts', '.ts'].includes(kind))
    throw wrong(`${shown} is a module, and only bridle chat takes modules: name a policy file, YAML or JSON`);
  if (kind === '.toml') throw wrong(`${shown} is TOML: a policy file is YAML or JSON`);
  return resolve(given);
}

/** The policy as an agent with the built-in tools has it: one that was only found may not open anything unless trusted. */
export function openPolicy({ file, cwd, found }: NamedPolicy, { env, cache, note }: PolicySurroundings): LoadedPolicy {
  const home = stateHome(env);
  const policy = loadPolicy(file, {
    cwd,
    home,
    tools: declareBuiltins(),
    cache: cache && documentCache(cache),
    higher: higherLayers(home),
    untrusted: found ? safeDefaults() : undefined,
  });
  if (!policy.trusted) {
    const why = wasTrusted(home, file) ? 'the policy has changed since you trusted it' : 'the policy is not trusted';
    note(`${why}, so it can only tighten the safe defaults: trust it with bridle trust, or name it with --policy`);
  }
  return policy;
}

/** The policy as its file says, for looking it over. */
export function readPolicy({ file, cwd }: NamedPolicy, { env }: PolicySurroundings): LoadedPolicy {
  return loadPolicy(file, { cwd, home: stateHome(env), tools: declareBuiltins() });
}

export function readFolder(given: string): string {
  try {
    const folder = realpathSync(given);
    if (statSync(folder).isDirectory()) return folder;
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === 'ENOENT';
    throw wrong(
      `--cwd ${JSON.stringify(given)} ${isMissing ? 'does not exist' : `cannot be used: ${messageOf(error)}`}`,
    );
  }
  throw wrong(`--cwd ${JSON.stringify(given)} is not a folder`);
}

export { policyNames };
