/** The policy and the store of a session, found by the folder in which the host was started. */

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { higherLayers } from '../../files/bridle-home.ts';
import { BridleError } from '../../kernel/errors.ts';
import type { PolicySource } from '../../kernel/guard/guard-options.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { ask, safeDefaults } from '../../kernel/policy/rules/builders.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import { type OpenPolicy, openPolicy } from '../../policy-files/load/open-policy.ts';
import { isTrusted } from '../../policy-files/load/trust.ts';
import { policyFileNames } from '../../policy-files/own-file-rules.ts';
import { documentCache, type PrivateCache } from '../../policy-files/read/private-cache.ts';
import { readPolicyFiles } from '../../policy-files/read/read-policy-files.ts';
import { readyMadeHooks } from '../../ready-made/hook-makers.ts';
import { defaultStorePath } from '../../store/database/store-address.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import type { HostEvent, HostName } from '../host.ts';

/** A call writes about 16 KB, and every process reads the whole write-ahead log. */
const maxLogBytes = 96 * 1024;

/** How a hook process was started. */
export interface HandlerOptions {
  readonly host: HostName;
  /** Bridle's own folder. */
  readonly home: string;
  /** Records what would be decided, and never blocks anything. */
  readonly observes: boolean;
  /** Aborted shortly before the host's time limit. */
  readonly deadline: AbortSignal;
  readonly cache: PrivateCache | undefined;
}

/** The policy of an event: undefined in `file` if there is none. */
export class HostPolicy {
  readonly place: PolicyPlace;
  private readonly source: OpenPolicy | undefined;

  constructor(
    event: Pick<HostEvent, 'project'>,
    private readonly options: Pick<HandlerOptions, 'home' | 'cache' | 'observes'>,
  ) {
    const { home, cache } = options;
    this.place = findPolicyPlace(event.project, options);
    const { file, root, isProjects } = this.place;
    this.source =
      file === undefined
        ? undefined
        : openPolicy(file, {
            cwd: root,
            home,
            higher: higherLayers(home).filter((each) => each !== file),
            untrusted: isProjects ? untrustedRules(file) : undefined,
            cache: cache && documentCache(cache),
          });
  }

  /** False if a person has not trusted the policy of the project yet. */
  get isTrusted(): boolean {
    return this.source?.trusted !== false;
  }

  async hooks(): Promise<readonly Hook[]> {
    return (await this.source?.loadHooks?.(readyMadeHooks)) ?? [];
  }

  /** Without a policy, nothing is allowed; an observing process records what the safe defaults would decide. */
  rules(extra: Rules): Rules | PolicySource {
    const { source } = this;
    if (source !== undefined)
      // A policy is for all hosts: it may have rules for servers that this one does not have.
      return {
        ...source,
        compileFor: (catalog, options) => source.compileFor(catalog, { ...options, servers: undefined }, extra),
      };
    this.check();
    return [safeDefaults(), extra];
  }

  /** Throws if there is no policy, unless the process only observes. */
  check(): void {
    if (this.source !== undefined || this.options.observes) return;
    throw new BridleError(
      'POLICY_FILE',
      `there is no policy for ${this.place.root}, so no tool may run; a person can write one there with: npx bridle init`,
    );
  }

  hasStore(): boolean {
    return existsSync(this.place.store);
  }

  async openStore(): Promise<Store> {
    return openStore({ at: this.place.store, keys: join(this.options.home, 'keys') }, { maxLogBytes });
  }
}

/** True if a policy that cannot be opened may name hooks. */
export function mayHaveHooks(event: Pick<HostEvent, 'project'>, options: HandlerOptions): boolean {
  try {
    const { file } = findPolicyPlace(event.project, options);
    const files = [...(file === undefined ? [] : [file]), ...higherLayers(options.home)];
    return files.some((each) => existsSync(each) && /hooks|extends/.test(readFileSync(each, 'utf8')));
  } catch {
    return true;
  }
}

interface PolicyPlace {
  /** Absolute; undefined if neither the project nor the user has a policy. */
  readonly file: string | undefined;
  /** True if the file was found in the project: it then needs trust. */
  readonly isProjects: boolean;
  /** Absolute and real: the folder that the policy is for. */
  readonly root: string;
  /** Absolute and real: the folder in which the session was started, which is in `root`. */
  readonly start: string;
  /** Absolute: the path of the store. */
  readonly store: string;
  /** Paths that would be found before the policy if they existed. Nobody may create them. */
  readonly shadowing: readonly string[];
}

/** Until a person trusts the policy of a project, every call is asked about: a repository may have brought it. */
function untrustedRules(file: string): Rules {
  return [
    ask('*', {
      name: 'not_trusted',
      reason: `${file} is not trusted. To trust it, run: npx bridle trust. Allow this call?`,
    }),
  ];
}

/** A file that cannot be read is not trusted. It is reported when it is used. */
function hasTrust({ file, root }: PolicyPlace, { home, cache }: Pick<HandlerOptions, 'home' | 'cache'>): boolean {
  try {
    return isTrusted(home, readPolicyFiles(file ?? '', { cwd: root, cache: cache && documentCache(cache) }));
  } catch {
    return false;
  }
}

/**
 * The nearest trusted policy file in the folder or above it, otherwise the nearest one, otherwise the user's own policy:
 * sessions in a subfolder of a project follow the project's policy, and a file without trust does not hide a trusted one.
 */
function findPolicyPlace(project: string, options: Pick<HandlerOptions, 'home' | 'cache'>): PolicyPlace {
  const start = realpathSync(project);
  const shadowing: string[] = [];
  const found: PolicyPlace[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    const candidates = policyFileNames.map((name) => join(folder, name));
    const file = candidates.find((candidate) => existsSync(candidate));
    shadowing.push(...candidates.slice(0, file === undefined ? undefined : candidates.indexOf(file)));
    if (file !== undefined) {
      const store = join(folder, defaultStorePath);
      found.push({ file, isProjects: true, root: folder, start, store, shadowing: [...shadowing] });
    }
    if (dirname(folder) === folder) break;
  }
  const [nearest] = found;
  if (nearest === undefined) return userPolicyPlace(start, options.home, shadowing);
  // The trust of a single file is checked when it is opened.
  return (found.length === 1 ? undefined : found.find((place) => hasTrust(place, options))) ?? nearest;
}

function userPolicyPlace(start: string, home: string, shadowing: readonly string[]): PolicyPlace {
  const file = join(home, 'policy.yaml');
  const place = { isProjects: false, root: start, start, shadowing };
  if (existsSync(file)) return { ...place, file, store: join(home, 'store.db') };
  return { ...place, file: undefined, store: join(start, defaultStorePath) };
}
