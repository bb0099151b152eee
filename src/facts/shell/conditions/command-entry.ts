/** A command entry of a rule: a program with its subcommands and options, as a user would type them. */

import { parse } from 'unbash';
import { BridleError } from '../../../kernel/errors.ts';
import { lazy } from '../../../kernel/lazy.ts';
import { analyseLine } from '../analysis/analyse-command.ts';
import type { LineCommand } from '../commands/line-command.ts';
import { RecentCache } from '../words/recent-cache.ts';

/** An entry, parsed as a line with one command. */
export interface CommandEntry {
  readonly text: string;
  /** The words without quotes. */
  readonly words: readonly string[];
  /** The first word, to compare with the first word of a command. */
  readonly firstWord: string | undefined;
  /** The base name of the program. */
  readonly name: string;
  /** The command itself, followed by the commands it starts if it is a wrapper. */
  readonly commands: readonly [LineCommand, ...LineCommand[]];
}

const maxEntry = 4096;
const cache = new RecentCache<CommandEntry>(1024);

/** Throws OPTION_INVALID if the text is not a single command of literal words. */
export function parseEntry(text: string): CommandEntry {
  if (typeof text !== 'string') throw invalid(String(text), 'is not a string');
  const known = cache.get(text);
  if (known !== undefined) return known;
  const entry = isPlainEntry(text) ? plainEntry(text) : analyseEntry(text);
  cache.set(text, entry);
  return entry;
}

/** True if every character is literal and the first word is not a shell keyword. */
function isPlainEntry(text: string): boolean {
  return text.length <= maxEntry && /^[a-z][\w-]*(?: [\w./:@-]+)*$/.test(text) && !isKeyword(text);
}

function isKeyword(text: string): boolean {
  const keywords = /^(?:case|coproc|do|done|elif|else|esac|fi|for|function|if|in|select|then|time|until|while)(?: |$)/;
  return keywords.test(text);
}

/** The commands are analysed lazily: usually even the command name differs. */
function plainEntry(text: string): CommandEntry {
  const words = text.split(' ');
  const [name = ''] = words;
  const commands = lazy(() => analyseEntry(text).commands);
  return {
    text,
    words,
    firstWord: name,
    name,
    get commands() {
      return commands();
    },
  };
}

function analyseEntry(text: string): CommandEntry {
  if (!isOneCommand(text)) throw invalid(text, 'is not a single command');
  const [first, ...inner] = analyseLine(text).commands;
  const words = first?.argv.flatMap((word) => (word.type === 'literal' ? [word.value] : [])) ?? [];
  if (first?.name === undefined || first.name === '' || words.length !== first.argv.length) {
    throw invalid(text, 'does not consist of literal words');
  }
  return { text, words, firstWord: first.firstWord, name: first.name, commands: [first, ...inner] };
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
    `The command ${JSON.stringify(text)} ${why}; write plain words, such as "git push --force".`,
  );
}
