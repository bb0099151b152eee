/** Which programs a rule may name: those of the table that read files and do nothing else. */

import { programTables } from '../../facts/shell/programs/find-program.ts';
import type { Program } from '../../facts/shell/usage/program.ts';
import type { ProgramUsage } from '../../facts/shell/usage/program-usage.ts';

/** What the programs of other themes reach, machines and services, no folder bounds. */
const themes = ['files', 'git', 'search', 'text'] as const;
/** Of what bash does itself, most changes something for the commands that follow. */
const harmlessBuiltins: ReadonlySet<string> = new Set(['echo', 'printf', 'pwd', 'true', 'false', 'type']);

/** What they show is found by names that are not only paths: a page, an address, whatever the machine has. */
const lookupPrograms: ReadonlySet<string> = new Set(['man', 'whatis', 'info', 'tldr', 'locate', 'xmllint']);

/** True of a program that works on files, or shows what it is given. */
export function worksOnFiles({ names }: Program, name: string): boolean {
  const key = names.join(', ');
  if (names.some((each) => lookupPrograms.has(each))) return false;
  if (Object.hasOwn(programTables.builtins, key)) return harmlessBuiltins.has(name);
  return themes.some((theme) => Object.hasOwn(programTables[theme], key));
}

/**
 * True if nothing it is usually given does harm. It is false of shells, interpreters and wrappers, which run what they
 * are told to, and of what changes files: a rule for one of these would stand for more than the person has seen.
 */
export function onlyReads({ operands, stdin, words, implied, with: overlays }: ProgramUsage): boolean {
  if (stdin !== 'data' || Array.from(words).some((word) => word !== 'safe' && word !== 'repository')) return false;
  if (implied.some((kind) => kind !== 'reads')) return false;
  const given = [...operands, ...Array.from(overlays.values()).flatMap((overlay) => overlay.operands)];
  // Files to format are written, and what git adds it keeps.
  const isRead = ({ role, reach }: (typeof given)[number]): boolean => role !== 'writes' && reach !== 'unignored';
  return given.every((operand) => operand.harmless && operand.of === undefined && isRead(operand));
}
