/** Finds the policy and the store of a session by the folder in which the host was started. */

import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { policyFileNames } from '../../policy-files/own-file-rules.ts';
import { defaultStorePath } from '../../store/database/store-address.ts';

export interface PolicyPlace {
  /** Absolute; undefined if neither the project nor the user has a policy. */
  readonly file: string | undefined;
  /** True if the file was found in the project: it then needs trust. */
  readonly isProjects: boolean;
  /** Absolute and real: the folder that the policy is for. */
  readonly root: string;
  /** Absolute: the path of the store. */
  readonly store: string;
  /** Paths that would be found before the policy if they existed. Nobody may create them. */
  readonly shadowing: readonly string[];
}

/**
 * The nearest policy file in the folder or above it, otherwise the user's own policy. Sessions that start in a subfolder
 * of a project follow the project's policy.
 */
export function findPolicyPlace(project: string, home: string): PolicyPlace {
  const start = realpathSync(project);
  const shadowing: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    const candidates = policyFileNames.map((name) => join(folder, name));
    const file = candidates.find((candidate) => existsSync(candidate));
    shadowing.push(...candidates.slice(0, file === undefined ? undefined : candidates.indexOf(file)));
    if (file !== undefined) {
      return { file, isProjects: true, root: folder, store: join(folder, defaultStorePath), shadowing };
    }
    if (dirname(folder) === folder) break;
  }
  const own = join(home, 'policy.yaml');
  const isThere = existsSync(own);
  const store = isThere ? join(home, 'store.db') : join(start, defaultStorePath);
  return { file: isThere ? own : undefined, isProjects: false, root: start, store, shadowing };
}
