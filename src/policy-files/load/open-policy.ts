/**
 * A policy file that is in force and reloads when it changes. If a change cannot be read, the last valid policy stays
 * in force (D02). A change that is not trusted can only make the policy stricter (D12).
 */

import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Catalog } from '../../kernel/catalog/catalog.ts';
import type { PolicyChange, PolicySource } from '../../kernel/guard/guard-options.ts';
import type { CompileOptions } from '../../kernel/policy/compiler/compile-options.ts';
import type { GuardPolicy } from '../../kernel/policy/evaluator/policy.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import { type ActiveFiles, LivePolicy } from './live-policy.ts';
import {
  keepInCache,
  type PolicyFileCache,
  type PolicyFileOnDisk,
  readHigherFiles,
  readPolicyFiles,
  stampAt,
} from '../read/read-policy-files.ts';
import { OpenedHooks } from './policy-hooks.ts';
import { isTrusted, trustFilePath } from './trust.ts';
import { BridleError } from '../../kernel/errors.ts';
import { homeFolder } from '../../files/home-folder.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import * as is from '../../kernel/shapes.ts';
import { readOptions } from '../../kernel/shapes.ts';

export interface OpenPolicyOptions {
  /** The folder the agent works in. Default: the current folder of the process. */
  readonly cwd?: string | undefined;
  /** The folder of Bridle's own files. Default: `~/.bridle`. */
  readonly home?: string | undefined;
  /**
   * The rules that apply until the file is trusted, for a file that the user did not name. Until then, the file can
   * only make decisions stricter.
   */
  readonly untrusted?: Rules | undefined;
  /** Files of higher layers, the highest first: of an organisation or the user. They need no trust. */
  readonly higher?: readonly string[] | undefined;
  /**
   * `trusted` (default): a change can loosen the policy only if its contents are trusted. `replace`: every change takes
   * effect, so everyone who can write the file is trusted.
   */
  readonly reload?: 'trusted' | 'replace' | undefined;
  /** True for an additional layer: if no rule matches, it abstains instead of using its default. */
  readonly abstains?: boolean | undefined;
  /** @internal Files that were parsed and checked by earlier processes. */
  readonly cache?: PolicyFileCache | undefined;
}

export interface OpenPolicy extends PolicySource {
  /** Absolute path. */
  readonly file: string;
  /** False if the contents are not trusted yet: the file can then only make decisions stricter. */
  readonly trusted: boolean;
  /** Absolute paths of the modules that the file names in `hooks`. */
  readonly hookModules: readonly string[];
  readonly watch: (listen: (change: PolicyChange) => void) => () => void;
  /**
   * Loads the hooks that the files name, as they were when the policy was opened. Hooks of a file that is not trusted
   * are left out. Until they are loaded, every call is denied. An agent calls this when it starts. A module that exports
   * a function gets `helpers`, next to the actions.
   */
  readonly loadHooks: (helpers?: object) => Promise<readonly Hook[]>;
}

/**
 * Opens a policy file for `createGuard({ policy })`. Throws an error with every problem and its position if it is
 * invalid.
 */
export function openPolicy(file: string, given: OpenPolicyOptions = {}): OpenPolicy {
  const options = checkOptions(file, given);
  const cwd = realpathSync(resolve(options.cwd ?? process.cwd()));
  const home = options.home ?? join(homeFolder(), '.bridle');
  const path = resolve(cwd, file);
  const read = (): readonly PolicyFileOnDisk[] => readPolicyFiles(path, { cwd, cache: options.cache });
  const files = read();
  const higher = (): readonly PolicyFileOnDisk[] =>
    readHigherFiles(options.higher ?? [], { path, cwd, cache: options.cache });
  const trustStamp = stampAt(trustFilePath(home));
  const trusted = options.untrusted === undefined || isTrusted(home, files);
  const start: ActiveFiles = { full: trusted ? files : [], tightening: trusted ? [] : files, trustStamp };
  const listeners = new Set<(change: PolicyChange) => void>();
  const livePolicies: LivePolicy[] = [];
  const hooks = new OpenedHooks(higher, start.full);
  const plan = {
    ...options,
    cwd,
    home,
    read,
    higher,
    hooks,
    isTrusted: (content: readonly PolicyFileOnDisk[]) => options.reload === 'replace' || isTrusted(home, content),
    notify: (change: PolicyChange): void => {
      for (const listen of listeners) listen(change);
    },
  };
  return {
    type: 'policy-source',
    file: path,
    trusted,
    hookModules: files.flatMap((each) => each.hooks.map((module) => module.path)),
    compileFor: (catalog: Catalog, compileOptions: CompileOptions, extraRules: Rules = []): GuardPolicy => {
      const policy = new LivePolicy(start, plan, { catalog, options: compileOptions, extraRules });
      livePolicies.push(policy);
      for (const each of files) keepInCache(each, options.cache);
      return policy;
    },
    loadHooks: (helpers) => hooks.load(helpers),
    watch(listen) {
      listeners.add(listen);
      const stop = refreshRegularly(livePolicies);
      return () => {
        stop();
        listeners.delete(listen);
      };
    },
  };
}

/** Notices changes even while no call is decided. */
function refreshRegularly(policies: readonly LivePolicy[]): () => void {
  const timer = setInterval(() => policies.forEach((policy) => policy.refresh()), 500);
  timer.unref();
  return () => clearInterval(timer);
}

const optionsShape = is.options<OpenPolicyOptions>({
  cwd: is.text,
  home: is.text,
  // Checked when it is compiled with the rest of the policy.
  untrusted: is.any,
  higher: is.nameList,
  reload: is.oneOf('trusted', 'replace'),
  abstains: is.flag,
  cache: is.any,
});

/** Plain JavaScript could pass unknown options unnoticed. Throws `OPTION_INVALID` with every problem. */
function checkOptions(file: unknown, options: unknown): OpenPolicyOptions {
  if (typeof file !== 'string' || file === '') {
    const given = file === '' ? 'an empty string' : kindOf(file);
    throw new BridleError('OPTION_INVALID', `openPolicy takes the path of a policy file, not ${given}`);
  }
  return readOptions('openPolicy', options, optionsShape);
}
