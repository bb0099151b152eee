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
import { checkPolicyOptions } from './check-policy-options.ts';
import { type InForce, LivePolicy } from './live-policy.ts';
import type { PolicyFileOptions } from './policy-file-options.ts';
import { higherFiles, type PolicyFileRead, readPolicyFiles } from './policy-files.ts';
import { isTrusted, trustFileIn } from './trust.ts';
import { printAt } from './watched-files.ts';

export type { PolicyFileOptions };

export interface PolicyFile extends PolicySource {
  /** Absolute. */
  readonly file: string;
  /** False: it may only tighten, until its content is trusted. */
  readonly trusted: boolean;
  readonly watch: (listen: (change: PolicyChange) => void) => () => void;
}

/** Opens a policy file, for `createGuard({ policy })`; an error with every problem and its place if it is not valid. */
export function openPolicy(file: string, options: PolicyFileOptions = {}): PolicyFile {
  checkPolicyOptions(file, options);
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
