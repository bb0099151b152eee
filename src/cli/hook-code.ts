/** The code of hook processes, bundled into one file. */

import type { PrivateCache } from '../policy-files/read/private-cache.ts';
import { hosts } from '../hosts/handler/hosts.ts';
import { runHook } from '../hosts/handler/hook-process.ts';
import type { HostEnv } from '../hosts/host.ts';
import { withExportedFunctions } from '../hosts/shell-environment.ts';

export function run(
  argv: readonly string[],
  { env, cache }: { readonly env: HostEnv; readonly cache: PrivateCache },
): Promise<number> {
  return runHook(argv, { env: withExportedFunctions(env), cache, hosts });
}
