/** Whether a line hides what it does (X04). */

import { unknownBecause, type Truth, type Unknown } from '../../../kernel/policy/conditions/truth.ts';
import type { CommandAnalysis } from '../commands/command-analysis.ts';
import type { CommandEntry } from './command-entry.ts';
import type { LineAnalysis } from '../analysis/line-analysis.ts';
import type { LineCommand } from '../commands/line-command.ts';
import { isNamed } from './runs-only-commands.ts';
import { isSourceAssignment, isHarmlessAssignment } from '../words/variable-effects.ts';

export function isOpaque(analysis: CommandAnalysis): Truth {
  if (analysis.opaque !== undefined) return true;
  return analysis.unknown === undefined ? false : unknownBecause(analysis.unknown);
}

/**
 * Wrappers that start a program unchanged: they only set its time limit, priority, buffering, or variables that the
 * line shows.
 */
const plainWrappers: ReadonlySet<string> = new Set(['env', 'nice', 'nohup', 'stdbuf', 'time', 'timeout']);

/** Like `isOpaque`, but trusts the commands that the entries name. True if anything else hides its work. */
export function isOpaqueExcept(analysis: LineAnalysis, entries: readonly CommandEntry[]): Truth {
  if (analysis.opaque === undefined) return isOpaque(analysis);
  if (analysis.opaqueOutsideCommands !== undefined || analysis.projectVariable !== undefined) return true;
  let doubt: Unknown | undefined = analysis.unknown === undefined ? undefined : unknownBecause(analysis.unknown);
  const wrappers = new Set<string>();
  for (const command of analysis.commands) {
    if (!command.hidesWork) {
      // It may run sources of the project, and no entry allows that.
      if (command.assignments.some(isSourceAssignment)) return true;
      continue;
    }
    for (const name of command.via) wrappers.add(name);
    const named = command.assignments.every(isHarmlessAssignment) && isNamed(command, entries);
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

/** True if the wrapper may decide which program a name refers to: `npx --package=x vitest`. */
function choosesProgram({ name, hidesWork }: LineCommand, wrappers: ReadonlySet<string>): boolean {
  return !hidesWork && name !== undefined && wrappers.has(name) && !plainWrappers.has(name);
}
