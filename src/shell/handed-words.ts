/** The words that xargs, `find -exec` and the like add to what they start (X08). */

import type { FoundCommand } from './found-command.ts';
import type { Input } from './line-state.ts';
import { handedNames } from './printed-names.ts';
import type { ArgumentPart } from './program.ts';
import type { OpenWord, ShellWord } from './shell-word.ts';
import type { ShownValue } from './shown-values.ts';

/** A command as it is started. */
export interface StartedWords {
  readonly argv: readonly ShellWord[];
  readonly more: boolean;
}

type CommandPart = ArgumentPart & { readonly type: 'command' };

/** What is started by a command as the `index`th, with the names it is given where they are known. */
export function handedWords(
  command: FoundCommand,
  part: CommandPart,
  { index, input }: { readonly index: number; readonly input: Input },
): readonly StartedWords[] {
  const isFed = command.read?.stdin === 'words';
  if (command.called?.includes('/') !== false) return [part];
  if (!isFed && !part.more && !part.argv.some(isHole)) return [part];
  const value = isFed ? wordsOfInput(command, input) : handedNames(command, index);
  if (value === undefined) return [part];
  const holds = part.argv.some(isHole);
  const argv = part.argv.map((word) => (isHole(word) ? filled(word, value, part.more) : word));
  if (holds || !part.more) return [{ argv, more: false }];
  const whole = { argv: [...argv, listWord(value)], more: false };
  // Without any name, xargs starts it all the same.
  return isFed && !isGiven(command, '--no-run-if-empty') ? [whole, { argv, more: false }] : [whole];
}

function isHole(word: ShellWord): word is OpenWord {
  return word.type === 'open' && word.hole === true;
}

/** `several`: all names stand there, each a word. */
function filled(word: OpenWord, value: ShownValue, several: boolean): ShellWord {
  const [before = '', after = '', ...rest] = word.pieces;
  if (rest.length > 0 || (several && before + after !== '')) return word;
  const among = value.map((choice) =>
    choice.type === 'text'
      ? { ...choice, value: before + choice.value + after }
      : { ...choice, before: before + choice.before, after: choice.after + after },
  );
  return { ...word, splits: several, among };
}

function listWord(value: ShownValue): OpenWord {
  return { type: 'open', pieces: ['', ''], splits: true, text: '{}', among: value };
}

function isGiven({ read }: FoundCommand, name: string): boolean {
  return read?.parts.some((part) => part.type === 'option' && part.name === name) === true;
}

const usual = new Set(
  `--null --delimiter -I --replace --max-args --max-lines -L --max-procs --no-run-if-empty --max-chars --verbose --exit`.split(
    ' ',
  ),
);

/** What xargs makes of its input; undefined where that is not known. */
function wordsOfInput(command: FoundCommand, input: Input): ShownValue | undefined {
  const parts = command.read?.parts ?? [];
  if (parts.some((part) => part.type === 'option' && !usual.has(part.name))) return undefined;
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
  if (printed.value.some((choice) => choice.type === 'text' && isSplit(choice.value))) return undefined;
  return printed.value.map((choice) => (choice.type === 'name' ? { ...choice, plain } : choice));
}

const plainText = /^[^\s"'\\]+$/;

function wordsOfText(text: string): ShownValue | undefined {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return words.length > 0 && words.length <= 64 && words.every((word) => plainText.test(word))
    ? words.map((value) => ({ type: 'text', value }))
    : undefined;
}
