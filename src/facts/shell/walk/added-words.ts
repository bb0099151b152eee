/** Words that xargs, `find -exec` and similar programs add to the commands they start (X08). */

import type { LineCommand } from '../commands/line-command.ts';
import type { CommandInput } from './line-state.ts';
import { namesForChild } from '../commands/printed-names.ts';
import type { ArgumentPart } from '../usage/program.ts';
import type { OpenWord, ShellWord } from '../words/shell-word.ts';
import type { KnownValue } from '../words/known-values.ts';

/** The words of a command that another command starts. */
export interface ChildWords {
  readonly argv: readonly ShellWord[];
  readonly more: boolean;
}

type CommandPart = ArgumentPart & { readonly type: 'command' };

/** The words of the `index`th command that a command starts, including added names where they are known. */
export function childCommandWords(
  command: LineCommand,
  part: CommandPart,
  { index, input }: { readonly index: number; readonly input: CommandInput },
): readonly ChildWords[] {
  const isFed = command.parsed?.stdin === 'words';
  if (command.firstWord?.includes('/') !== false) return [part];
  if (!isFed && !part.more && !part.argv.some(isPlaceholder)) return [part];
  const value = isFed ? wordsOfInput(command, input) : namesForChild(command, index);
  if (value === undefined) return [part];
  const hasPlaceholder = part.argv.some(isPlaceholder);
  const argv = part.argv.map((word) => (isPlaceholder(word) ? fillPlaceholder(word, value, part.more) : word));
  if (hasPlaceholder || !part.more) return [{ argv, more: false }];
  const whole = { argv: [...argv, listWord(value)], more: false };
  // Without any name, xargs still starts the command once.
  return isFed && !isGiven(command, '--no-run-if-empty') ? [whole, { argv, more: false }] : [whole];
}

function isPlaceholder(word: ShellWord): word is OpenWord {
  return word.type === 'open' && word.placeholder === true;
}

/** `several`: all names replace the placeholder, each as a word. */
function fillPlaceholder(word: OpenWord, value: KnownValue, several: boolean): ShellWord {
  const [before = '', after = '', ...rest] = word.knownPieces;
  if (rest.length > 0 || (several && before + after !== '')) return word;
  const choices = value.map((choice) =>
    choice.type === 'text'
      ? { ...choice, value: before + choice.value + after }
      : { ...choice, before: before + choice.before, after: choice.after + after },
  );
  return { ...word, splits: several, choices };
}

function listWord(value: KnownValue): OpenWord {
  return { type: 'open', knownPieces: ['', ''], splits: true, text: '{}', choices: value };
}

function isGiven({ parsed }: LineCommand, name: string): boolean {
  return parsed?.parts.some((part) => part.type === 'option' && part.name === name) === true;
}

const supportedOptions = new Set(
  `--null --delimiter -I --replace --max-args --max-lines -L --max-procs --no-run-if-empty --max-chars --verbose --exit`.split(
    ' ',
  ),
);

/** The words that xargs makes from its input. Undefined if not known. */
function wordsOfInput(command: LineCommand, input: CommandInput): KnownValue | undefined {
  const parts = command.parsed?.parts ?? [];
  if (parts.some((part) => part.type === 'option' && !supportedOptions.has(part.name))) return undefined;
  const delimiter = parts.find((part) => part.type === 'option' && part.name === '--delimiter');
  const value = delimiter?.type === 'option' ? delimiter.value : undefined;
  const isLines = value?.type === 'literal' && /^(?:\n|\\n)$/.test(value.value);
  if (delimiter !== undefined && !isLines) return undefined;
  const isNul = isGiven(command, '--null');
  if (input.type === 'text' && !isNul && !isLines) return wordsOfText(input.text);
  const printed = input.type === 'names' ? input.printed() : undefined;
  if (printed === undefined || printed.nul !== isNul || (isNul && isLines)) return undefined;
  const plain = isNul ? false : isLines ? 'line' : true;
  const isSplit = (text: string): boolean => plain === true && !plainText.test(text);
  if (printed.names.some((choice) => choice.type === 'text' && isSplit(choice.value))) return undefined;
  return printed.names.map((choice) => (choice.type === 'name' ? { ...choice, plain } : choice));
}

const plainText = /^[^\s"'\\]+$/;

function wordsOfText(text: string): KnownValue | undefined {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.length > 0 && words.length <= 64 && words.every((word) => plainText.test(word))
    ? words.map((value) => ({ type: 'text', value }))
    : undefined;
}
