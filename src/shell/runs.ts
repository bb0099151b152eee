/** Whether a line runs a command (X02, X04, X07). */

import { unknown, type Truth, type Unknown } from '../truth.ts';
import type { Entry } from './entry.ts';
import type { FoundAnalysis } from './found-analysis.ts';
import type { FoundCommand } from './found-command.ts';
import { matchArguments, matchCommand, matchWords } from './match-arguments.ts';
import { textMentions, wordMentions } from './mentions.ts';
import type { ShellWord } from './shell-word.ts';

/** Yes if one command surely is it; unknown if one may be, or if there may be others. */
export function runs(analysis: FoundAnalysis, entry: Entry): Truth {
  let doubt: Unknown | undefined = analysis.unknown === undefined ? undefined : unknown(analysis.unknown);
  for (const command of analysis.commands) {
    const match = matchOne(command, entry);
    if (match === true) return true;
    if (match !== false) doubt ??= match;
    else if (doubt === undefined && mayStart(command, entry)) {
      doubt = unknown(`${command.name} may start ${entry.name}`);
    }
  }
  if (doubt !== undefined) return doubt;
  const named = (text: string): boolean => textMentions(text, entry.name);
  if (!analysis.foreign.some(named) && !analysis.values.some(named)) return false;
  return unknown(`${entry.name} is named in code or a value that may be run`);
}

function matchOne(command: FoundCommand, entry: Entry): Truth {
  const { name } = command;
  if (name === undefined) return false;
  if (name !== entry.name) {
    const alike = name.length === entry.name.length && name.toLowerCase() === entry.name.toLowerCase();
    return alike ? unknown(`${name} is ${entry.name} where the file system ignores case`) : false;
  }
  if (entry.words.length === 1) return true;
  const [wanted] = entry.commands;
  const { read, argv } = command;
  if (read !== undefined && wanted.read !== undefined) return matchArguments(read, wanted.read);
  return matchWords(argv.slice(1), wanted.argv.slice(1));
}

/** An unlisted program may start what one of its words names, and so may one with a word nobody knows the use of. */
function mayStart(command: FoundCommand, entry: Entry): boolean {
  // Nothing that is seen at a glance is a word that nobody knows the use of.
  if (!command.mayName(entry.name) || command.glance() === 'nothing') return false;
  const { argv, read, more } = command;
  if (argv.length === 0) return false;
  if (read === undefined) return more || argv.some((_word, index) => index > 0 && mayStartAt(argv.slice(index), entry));
  return read.parts.some((part) => {
    if (part.type !== 'option' && part.type !== 'operand') return false;
    const word = part.type === 'option' ? part.value : part.word;
    return part.role === 'harmful' && word !== undefined && wordMentions(word, entry.name);
  });
}

/** A word that is just the name would start that command with the words after it. */
function mayStartAt(words: readonly ShellWord[], entry: Entry): boolean {
  const [word] = words;
  if (word === undefined || !wordMentions(word, entry.name)) return false;
  const alone = word.type === 'literal' && word.value.slice(word.value.lastIndexOf('/') + 1) === entry.name;
  return !alone || matchCommand(words, entry.commands[0].argv) !== false;
}
