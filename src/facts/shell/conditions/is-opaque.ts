/** Whether a line leaves open what is done (X04). */

import { unknownBecause, type Truth, type Unknown } from '../../../kernel/policy/conditions/truth.ts';
import type { CommandAnalysis } from '../commands/command-analysis.ts';
import type { CommandEntry } from './command-entry.ts';
import type { LineAnalysis } from '../analysis/line-analysis.ts';
import type { LineCommand } from '../commands/line-command.ts';
import { isNamed } from './runs-only-commands.ts';
import { isSourceAssignment, isUsualAssignment } from '../words/variable-effects.ts';

export function isOpaque(analysis: CommandAnalysis): Truth {
  if (analysis.opaque !== undefined) return true;
  return analysis.unknown === undefined ? false : unknownBecause(analysis.unknown);
}

/** They start a program as it is: nothing but time, priority and the variables that the line shows are changed. */
const plainWrappers: ReadonlySet<string> = new Set(['env', 'nice', 'nohup', 'stdbuf', 'time', 'timeout']);

/** The same, but for commands that some entries name: yes if anything else hides what it does. */
export function isOpaqueExcept(analysis: LineAnalysis, entries: readonly CommandEntry[]): Truth {
  if (analysis.opaque === undefined) return isOpaque(analysis);
  if (analysis.opaqueOutsideCommands !== undefined || analysis.projectVariable !== undefined) return true;
  let doubt: Unknown | undefined = analysis.unknown === undefined ? undefined : unknownBecause(analysis.unknown);
  const wrappers = new Set<string>();
  for (const command of analysis.commands) {
    if (!command.hidesWork) {
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
    if (!choosesProgram(command, wrappers)) continue;
    const named = isNamed(command, entries);
    if (named === false) return true;
    if (named !== true) doubt ??= named;
  }
  return doubt ?? false;
}

/** True if it may decide which program an entry's name means: `npx --package=x vitest`. */
function choosesProgram({ name, hidesWork: hides }: LineCommand, wrappers: ReadonlySet<string>): boolean {
  return !hides && name !== undefined && wrappers.has(name) && !plainWrappers.has(name);
}
