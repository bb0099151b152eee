/** Finds and loads the policy that a policy command works on. */

import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import type { LoadedPolicy } from '../../policy-files/loaded-policy.ts';
import { loadPolicy } from '../../policy-files/load/load-policy.ts';
import { readPolicyFiles } from '../../policy-files/read/read-policy-files.ts';
import { policyFileNames } from '../../policy-files/own-file-rules.ts';
import { isTrusted, wasTrusted } from '../../policy-files/load/trust.ts';
import { messageOf } from '../../kernel/errors.ts';
import { safeDefaults } from '../../kernel/policy/rules/builders.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { declareBuiltins } from '../../tools/declare-builtins.ts';
import { bridleHome, higherLayers } from '../../files/bridle-home.ts';
import { writeNote } from './command-report.ts';
import { type CommandEnv, usageError } from './command-row.ts';
import { documentCache, type PrivateCache } from '../../policy-files/read/private-cache.ts';

export interface PolicyOptions {
  readonly policy?: string | undefined;
  readonly cwd?: string | undefined;
  readonly json?: boolean | undefined;
}

export interface PolicyLocation {
  /** Absolute. */
  readonly file: string;
  readonly cwd: string;
  /** True if the file was found in the folder, false if `--policy` names it. */
  readonly found: boolean;
}

/** `otherwise`: how the command names a policy in another place. */
export function findPolicy(options: PolicyOptions, otherwise = 'name one with --policy'): PolicyLocation {
  const cwd = readCwd(options.cwd);
  if (options.policy !== undefined) return { file: readPolicyPath(options.policy), cwd, found: false };
  const [name] = policyFilesIn(cwd);
  if (name === undefined) {
    const hint = `write one with npx bridle init, or ${otherwise}`;
    throw usageError(`there is no policy in ${cwd} (${policyFileNames.join(', ')}): ${hint}`);
  }
  const file = join(cwd, name);
  writeNote(`policy ${file}`);
  return { file, cwd, found: true };
}

/** The names of the policy files in a folder; the first one is used. */
export function policyFilesIn(folder: string): readonly string[] {
  return policyFileNames.filter((name) => existsSync(join(folder, name)));
}

/** Refuses files that can't be policy files by their extension; reading them as YAML would give a confusing error. */
function readPolicyPath(given: string): string {
  const shown = JSON.stringify(given);
  const kind = extname(given).toLowerCase();
  if (given === '-') throw usageError('--policy does not read from stdin: name a file');
  if (['.mjs', '.js', '.cjs', '.mts', '.ts'].includes(kind))
    throw usageError(`${shown} is a module, which only bridle chat supports: name a policy file (YAML or JSON)`);
  if (kind === '.toml') throw usageError(`${shown} is TOML: a policy file must be YAML or JSON`);
  return resolve(given);
}

/**
 * Loads the policy as an agent with the built-in tools would: with the higher layers, and restricted to tightening the
 * safe defaults if it was found in the folder and is not trusted.
 */
export function loadEffectivePolicy(options: PolicyOptions, env: CommandEnv, cache?: PrivateCache): LoadedPolicy {
  const { file, cwd, found } = findPolicy(options);
  const home = bridleHome(env);
  const higher = higherLayers(home);
  const policy = loadPolicy(file, {
    cwd,
    home,
    tools: declareBuiltins(),
    cache: cache && documentCache(cache),
    higher,
    untrusted: found ? safeDefaults() : undefined,
  });
  if (!policy.trusted) {
    const why = wasTrusted(home, file) ? 'the policy has changed since you trusted it' : 'the policy is not trusted';
    writeNote(`${why}, so ${untrustedEffect(higher)}. To trust it: npx bridle trust; or name it with --policy`);
  }
  noteHooks(policy);
  return policy;
}

/** The effect of a policy that is not trusted, below the policies in `higher`. */
export function untrustedEffect(higher: readonly string[]): string {
  return higher.length === 0
    ? 'calls with side effects are asked about even if it allows them'
    : `it cannot allow calls that ${higher.join(' and ')} ${higher.length === 1 ? 'does' : 'do'} not allow`;
}

/** Loads only the policy file and what it extends, without higher layers and without regard to trust. */
export function loadPolicyAlone(
  options: PolicyOptions,
  env: CommandEnv,
  tools: readonly ToolDeclaration[] = declareBuiltins(),
): LoadedPolicy {
  const { file, cwd, found } = findPolicy(options);
  const home = bridleHome(env);
  const policy = loadPolicy(file, { cwd, home, tools });
  const trusted = policy.hookModules.length === 0 || !found || isTrusted(home, readPolicyFiles(file, { cwd }));
  noteHooks({ hookModules: policy.hookModules, trusted });
  return policy;
}

/** Hooks are code, so the commands about policies do not run them. */
function noteHooks({ hookModules, trusted }: Pick<LoadedPolicy, 'hookModules' | 'trusted'>): void {
  if (hookModules.length === 0) return;
  const names = hookModules.map((path) => basename(path)).join(', ');
  const untrusted = trusted ? '' : '; agents do not load those of a policy that is not trusted';
  writeNote(`this command does not run the hooks of the policy (${names})${untrusted}`);
}

/** The real path of `--cwd`. */
export function readCwd(given = '.'): string {
  try {
    const folder = realpathSync(given);
    if (statSync(folder).isDirectory()) return folder;
  } catch (error) {
    const isMissing = (error as { readonly code?: unknown }).code === 'ENOENT';
    throw usageError(
      `--cwd ${JSON.stringify(given)} ${isMissing ? 'does not exist' : `cannot be used: ${messageOf(error)}`}`,
    );
  }
  throw usageError(`--cwd ${JSON.stringify(given)} is not a folder`);
}
