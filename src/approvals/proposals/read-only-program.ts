/** Decides which programs a rule can name: those that only read files. */

import { programTables } from '../../facts/shell/programs/find-program.ts';
import type { Program } from '../../facts/shell/usage/program.ts';
import type { ProgramUsage } from '../../facts/shell/usage/program-usage.ts';

/** Programs of other groups access machines and services, which a folder does not limit. */
const themes = ['files', 'git', 'search', 'text'] as const;
/** Most other bash builtins affect the commands that follow. */
const harmlessBuiltins: ReadonlySet<string> = new Set(['echo', 'printf', 'pwd', 'true', 'false', 'type']);

/** These look up names that are not paths: manual pages, addresses, anything on the machine. */
const lookupPrograms: ReadonlySet<string> = new Set(['man', 'whatis', 'info', 'tldr', 'locate', 'xmllint']);

/** True if a program only works on files or prints its arguments. */
export function worksOnFiles({ names }: Program, name: string): boolean {
  const key = names.join(', ');
  if (names.some((each) => lookupPrograms.has(each))) return false;
  if (Object.hasOwn(programTables.builtins, key)) return harmlessBuiltins.has(name);
  return themes.some((theme) => Object.hasOwn(programTables[theme], key));
}

/**
 * True if none of the program's usual arguments does harm. False for shells, interpreters and wrappers, which run other
 * programs, and for programs that change files: a rule for them would cover more than the person has seen.
 */
export function onlyReads({ operands, stdin, words, implied, with: overlays }: ProgramUsage): boolean {
  if (stdin !== 'data' || Array.from(words).some((word) => word !== 'safe' && word !== 'repository')) return false;
  if (implied.some((kind) => kind !== 'reads')) return false;
  const given = [...operands, ...Array.from(overlays.values()).flatMap((overlay) => overlay.operands)];
  // Formatters write their operands, and `git add` stores them.
  const isRead = ({ role, reach }: (typeof given)[number]): boolean => role !== 'writes' && reach !== 'unignored';
  return given.every((operand) => operand.harmless && operand.of === undefined && isRead(operand));
}
