/** What a rule asks for: a program, its subcommands and its options, as they would be typed. */

import { parse } from 'unbash';
import { BridleError } from '../errors.ts';
import { findAnalysis } from './analyse-command.ts';
import type { FoundCommand } from './found-command.ts';
import { RecentlyUsed } from './recently-used.ts';

/** An entry, read as a line of one command. */
export interface Entry {
  readonly text: string;
  /** The words after quote removal. */
  readonly words: readonly string[];
  /** The base name of the program. */
  readonly name: string;
  /** The command itself, and what it starts if it is a wrapper. */
  readonly commands: readonly [FoundCommand, ...FoundCommand[]];
}

const maxEntry = 4096;
const read = new RecentlyUsed<Entry>(1024);

/** Throws OPTION_INVALID if the text is not a single command of literal words. */
export function readEntry(text: string): Entry {
  if (typeof text !== 'string') throw invalid(String(text), 'is not text');
  const known = read.get(text);
  if (known !== undefined) return known;
  if (!isOneCommand(text)) throw invalid(text, 'is not one command of plain words');
  const [first, ...inner] = findAnalysis(text).commands;
  const words = first?.argv.flatMap((word) => (word.type === 'literal' ? [word.value] : [])) ?? [];
  if (first?.name === undefined || first.name === '' || words.length !== first.argv.length) {
    throw invalid(text, 'is not literal');
  }
  const entry: Entry = { text, words, name: first.name, commands: [first, ...inner] };
  read.set(text, entry);
  return entry;
}

function isOneCommand(text: string): boolean {
  if (text.length > maxEntry || text.includes('\0')) return false;
  const { commands, errors } = parse(text);
  const [statement] = commands;
  if (errors !== undefined || commands.length !== 1 || statement?.background === true) return false;
  const command = statement?.command;
  return command?.type === 'Command' && command.prefix.length === 0 && command.redirects.length === 0;
}

function invalid(text: string, why: string): BridleError {
  return new BridleError(
    'OPTION_INVALID',
    `The command ${JSON.stringify(text)} ${why}; write it as words: "git push --force".`,
  );
}
