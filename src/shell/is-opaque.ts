/** Whether a line leaves open what is done (X04). */

import { unknown, type Truth, type Unknown } from '../truth.ts';
import type { CommandAnalysis } from './command-analysis.ts';
import type { Entry } from './entry.ts';
import type { FoundAnalysis } from './found-analysis.ts';
import type { FoundCommand } from './found-command.ts';
import { isNamed } from './runs-only.ts';
import { isSourceAssignment, isUsualAssignment } from './variables.ts';

export function isOpaque(analysis: CommandAnalysis): Truth {
  if (analysis.opaque !== undefined) return true;
  return analysis.unknown === undefined ? false : unknown(analysis.unknown);
}

/** They start a program as it is: nothing but time, priority and the variables that the line shows are changed. */
const plainWrappers: ReadonlySet<string> = new Set(['env', 'nice', 'nohup', 'stdbuf', 'time', 'timeout']);

/** The same, but for commands that some entries name: yes if anything else hides what it does. */
export function isOpaqueBeside(analysis: FoundAnalysis, entries: readonly Entry[]): Truth {
  if (analysis.opaque === undefined) return isOpaque(analysis);
  if (analysis.opaqueBeside !== undefined || analysis.tunes !== undefined) return true;
  let doubt: Unknown | undefined = analysis.unknown === undefined ? undefined : unknown(analysis.unknown);
  const wrappers = new Set<string>();
  for (const command of analysis.commands) {
    if (!command.hides) {
      // It may run the sources of the project then, and no entry says that it may.
      if (command.assignments.some(isSourceAssignment)) return true;
      continue;
    }
    for (const name of command.via) wrappers.add(name);
    const named = command.assignments.every(isUsualAssignment) && isNamed(command, entries);
    if (named === false) return true;
    if (named !== true) doubt ??= named;
  }
  for (const command of analysis.commands) {
    if (!isWrapper(command, wrappers)) continue;
    const named = isNamed(command, entries);
    if (named === false) return true;
    if (named !== true) doubt ??= named;
  }
  return doubt ?? false;
}

/** True if it may decide which program an entry's name means: `npx --package=x vitest`. */
function isWrapper({ name, hides }: FoundCommand, wrappers: ReadonlySet<string>): boolean {
  return !hides && name !== undefined && wrappers.has(name) && !plainWrappers.has(name);
}
