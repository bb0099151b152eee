/** The code of hook processes, bundled into one file. */

import type { Invocation } from '../command/command-row.ts';
import type { PrivateCache } from '../../policy-files/read/private-cache.ts';
import { hosts } from '../../hosts/handler/hosts.ts';
import { runHook } from '../../hosts/handler/hook-process.ts';
import type { HostEnv } from '../../hosts/host.ts';
import { withExportedFunctions } from '../../hosts/shell-environment.ts';

/** Undefined if the arguments ask for help. */
export async function run(
  argv: readonly string[],
  { env, cache }: { readonly env: HostEnv; readonly cache?: PrivateCache | undefined },
): Promise<number | undefined> {
  if (argv.includes('--help') || argv.includes('-h')) return undefined;
  return runHook(argv, { env: withExportedFunctions(env), cache, hosts });
}

/** For the table of commands: `bridle hook` usually starts from its bundle. */
export async function hookCommand({ env, positionals }: Invocation): Promise<number> {
  return (await run(positionals, { env })) ?? 2;
}
