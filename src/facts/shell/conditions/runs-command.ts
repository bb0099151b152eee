/** Whether a line runs a command (X02, X04, X07). */

import type { LineAnalysis } from '../analysis/line-analysis.ts';
import type { LineCommand } from '../commands/line-command.ts';
import type { CommandEntry } from './command-entry.ts';
import { matchArguments, matchCommand, matchWords } from './match-arguments.ts';
import { type ShellWord, couldBe } from '../words/shell-word.ts';
import { type Truth, type Unknown, unknownBecause } from '../../truth.ts';

/** True if one command certainly matches. Unknown if one may match, or if commands may be missing. */
export function runsCommand(analysis: LineAnalysis, entry: CommandEntry): Truth {
  let doubt: Unknown | undefined = analysis.unknown === undefined ? undefined : unknownBecause(analysis.unknown);
  for (const command of analysis.commands) {
    const match = matchOne(command, entry);
    if (match === true) return true;
    if (match !== false) doubt ??= match;
    else if (doubt === undefined && couldStart(command, entry)) {
      doubt = unknownBecause(`${command.name} may start ${entry.name}`);
    }
  }
  if (doubt !== undefined) return doubt;
  const named = (text: string): boolean => textMentionsCommand(text, entry.name);
  if (!analysis.foreign.some(named) && !analysis.passedValues.some(named)) return false;
  return unknownBecause(`${entry.name} appears in code or in a value that may be run`);
}

function matchOne(command: LineCommand, entry: CommandEntry): Truth {
  const { name } = command;
  if (name === undefined) return false;
  if (name !== entry.name) {
    const alike = name.length === entry.name.length && name.toLowerCase() === entry.name.toLowerCase();
    return alike ? unknownBecause(`${name} may be ${entry.name} on a case-insensitive file system`) : false;
  }
  if (entry.words.length === 1) return true;
  const [wanted] = entry.commands;
  const { parsed, argv } = command;
  if (parsed !== undefined && wanted.parsed !== undefined) return matchArguments(parsed, wanted.parsed);
  return matchWords(argv.slice(1), wanted.argv.slice(1));
}

/** An unlisted program may start what one of its words names. So may a program with a word of unknown use. */
function couldStart(command: LineCommand, entry: CommandEntry): boolean {
  // A command that passes the quick scan has no word of unknown use.
  if (!command.couldName(entry.name) || command.quickScan() === 'nothing') return false;
  const { argv, parsed, more } = command;
  if (argv.length === 0) return false;
  if (parsed === undefined)
    return more || argv.some((_word, index) => index > 0 && couldStartAt(argv.slice(index), entry));
  return parsed.parts.some((part) => {
    if (part.type !== 'option' && part.type !== 'operand') return false;
    const word = part.type === 'option' ? part.value : part.word;
    return part.role === 'harmful' && word !== undefined && wordMentionsCommand(word, entry.name);
  });
}

/** If a word is exactly the name, it would start that command with the words after it. */
function couldStartAt(words: readonly ShellWord[], entry: CommandEntry): boolean {
  const [word] = words;
  if (word === undefined || !wordMentionsCommand(word, entry.name)) return false;
  const alone = word.type === 'literal' && word.value.slice(word.value.lastIndexOf('/') + 1) === entry.name;
  return !alone || matchCommand(words, entry.commands[0].argv) !== false;
}

/** Characters that can surround a command name in code of any language. */
const separators = /[\s;&|()<>`$"'={},:/\\[\]!@*?#%^~]+/;

function textMentionsCommand(text: string, name: string): boolean {
  return text.includes(name) && text.split(separators).includes(name);
}

/** True if the word may be the name, a path to it, or code that contains it (X04). */
function wordMentionsCommand(word: ShellWord, name: string): boolean {
  if (word.type === 'literal') return textMentionsCommand(word.value, name);
  return (
    couldBe(word, name) ||
    couldEndWith(word, `/${name}`) ||
    word.knownPieces.some((piece) => textMentionsCommand(piece, name))
  );
}

function couldEndWith(word: ShellWord & { type: 'open' }, end: string): boolean {
  const last = word.knownPieces.at(-1) ?? '';
  return last.endsWith(end) || end.endsWith(last);
}
