/**
 * A policy file in force: read when opened, read again when it changes. A change that cannot be read keeps the last good
 * policy (D02). A change that nobody has trusted can only tighten what was in force before (D12).
 */

import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Catalog } from '../catalog/catalog.ts';
import type { PolicyChange, PolicySource } from '../guard/guard.ts';
import type { CompileOptions } from '../policy/compile-options.ts';
import type { GuardPolicy } from '../policy/policy.ts';
import type { Rules } from '../policy/rule.ts';
import { type InForce, LivePolicy } from './live-policy.ts';
import { higherFiles, type PolicyFileRead, readPolicyFiles } from './policy-files.ts';
import { isTrusted, trustFileIn } from './trust.ts';
import { printAt } from './watched-files.ts';

export interface PolicyFileOptions {
  /** The folder the agent works in; the folder of the process if not given. */
  readonly cwd?: string | undefined;
  /** The folder of Bridle's own files; `~/.bridle` if not given. */
  readonly home?: string | undefined;
  /** The rules that hold until the file is trusted, if the user has not named it: then it may only tighten them. */
  readonly untrusted?: Rules | undefined;
  /** Files of higher layers, the highest first: of an organisation, of the user. They need no trust. */
  readonly higher?: readonly string[] | undefined;
  /** `trusted`: a change loosens only if its content is trusted. `replace`: whoever can write the file is trusted. */
  readonly reload?: 'trusted' | 'replace' | undefined;
  /** True for a further layer: where no rule matches, it has no say, whatever its default is. */
  readonly abstains?: boolean | undefined;
}

export interface PolicyFile extends PolicySource {
  /** Absolute. */
  readonly file: string;
  /** False: it may only tighten, until its content is trusted. */
  readonly trusted: boolean;
  readonly watch: (listen: (change: PolicyChange) => void) => () => void;
}

/** Opens a policy file, for `createGuard({ policy })`; an error with every problem and its place if it is not valid. */
export function openPolicy(file: string, options: PolicyFileOptions = {}): PolicyFile {
  const cwd = realpathSync(resolve(options.cwd ?? process.cwd()));
  const home = options.home ?? join(homedir(), '.bridle');
  const path = resolve(cwd, file);
  const read = (): readonly PolicyFileRead[] => readPolicyFiles(path, { cwd });
  const files = read();
  const higher = (): readonly PolicyFileRead[] => higherFiles(options.higher ?? [], { path, cwd });
  const trustPrint = printAt(trustFileIn(home));
  const trusted = options.untrusted === undefined || isTrusted(home, files);
  const start: InForce = trusted
    ? { full: files, tightening: [], trustPrint }
    : { full: [], tightening: files, trustPrint };
  const listeners = new Set<(change: PolicyChange) => void>();
  const live: LivePolicy[] = [];
  const plan = {
    ...options,
    cwd,
    home,
    read,
    higher,
    trusts: (content: readonly PolicyFileRead[]) => options.reload === 'replace' || isTrusted(home, content),
    tell: (change: PolicyChange): void => {
      for (const listen of listeners) listen(change);
    },
  };
  return {
    type: 'policy-source',
    file: path,
    trusted,
    compileFor: (catalog: Catalog, surroundings: CompileOptions, above: Rules = []): GuardPolicy => {
      const policy = new LivePolicy(start, plan, { catalog, options: surroundings, above });
      live.push(policy);
      return policy;
    },
    watch(listen) {
      listeners.add(listen);
      // So that a change is told also while no call is decided.
      const timer = setInterval(() => live.forEach((policy) => policy.refresh()), 500);
      timer.unref();
      return () => {
        clearInterval(timer);
        listeners.delete(listen);
      };
    },
  };
}
