/** Reads one option in the style of its program. */

import {
  addOption,
  addUnknownOption,
  withPlaceholders,
  markUnsure,
  takeValue,
  type ArgumentReader,
} from './argument-reader.ts';
import { couldBe, literal, type ShellWord, displayWord } from '../words/shell-word.ts';
import type { OptionUsage } from '../usage/parse-usage.ts';
import { prefixOf, replaceWithUnknown, splitText, maySplit, withoutPrefix } from '../words/inspect-word.ts';

/** Reads the option of a word, and the words that are its values. */
export function readOption(reader: ArgumentReader, word: ShellWord): void {
  const pattern = patternValue(reader, word);
  if (pattern !== undefined) return giveOption(reader, pattern.option, { inline: pattern.value });
  if (maySplit(word)) markUnsure(reader, `${displayWord(word)} may expand to several words`);
  const text = prefixOf(word);
  const { style, options } = reader.usage;
  const number = isNumber(text) ? options.get(`${text.slice(0, 1)}NUM`) : undefined;
  if (number !== undefined && word.type === 'literal') addOption(reader, number, { value: undefined, exact: true });
  else if (style === 'dash') readDashed(reader, word);
  else if (text.startsWith('--')) readLong(reader, word);
  else if (word.type === 'literal' && text.length !== 2 && options.has(text)) giveOption(reader, options.get(text), {});
  else if (text.startsWith('+') && options.has('+*'))
    giveOption(reader, options.get('+*'), { inline: withoutPrefix(word, 1) });
  else readCluster(reader, word);
}

/** `--include=*.ts`: the files on the disk decide whether bash expands it. If no file matches, it is the pattern. */
function patternValue(
  reader: ArgumentReader,
  word: ShellWord,
): { readonly option: OptionUsage; readonly value: ShellWord } | undefined {
  if (word.type === 'literal' || word.glob === undefined || /[\\/]/u.test(word.glob)) return undefined;
  const at = word.glob.indexOf('=');
  const option = word.glob.startsWith('--') && at > 0 ? reader.usage.options.get(word.glob.slice(0, at)) : undefined;
  if (option?.takes !== 'value' || option.value.role !== 'text' || option.value.syntax !== undefined) return undefined;
  reader.unsureGlob ??= `${displayWord(word)} may expand to several words`;
  reader.parts.push({ type: 'operand', word, role: 'reads', harmless: true, reach: 'itself' });
  return { option, value: literal(word.glob.slice(at + 1), word.text) };
}

/** Most options do not end in a digit. */
function isNumber(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 48 && last <= 57 && /^(?:--?|\+)\d+$/u.test(text);
}

interface OptionSpelling {
  readonly inline?: ShellWord | undefined;
  readonly abbreviated?: boolean;
}

/** Gives an option its value, from the same word or from the next ones. */
function giveOption(
  reader: ArgumentReader,
  option: OptionUsage | undefined,
  { inline, abbreviated = false }: OptionSpelling,
): void {
  if (option === undefined) return;
  const exact = !abbreviated;
  if (option.takes === 'until') return readUntil(reader, option, inline);
  if (option.marks.has('rest')) return readRest(reader, option, inline);
  if (option.takes === 'nothing' && inline !== undefined) markUnsure(reader, `${option.name} does not take a value`);
  const value = option.takes === 'value' ? (inline ?? takeValue(reader)) : inline;
  addOption(reader, option, { value, exact: exact && (option.takes !== 'nothing' || inline === undefined) });
  if (option.marks.size > 0 && option.marks.has('split')) splitOptionValue(reader, value);
  if (option.second === undefined) return;
  const word = takeValue(reader);
  const { role, harmless, reach } = option.second;
  if (word !== undefined) reader.parts.push({ type: 'operand', word, role, harmless, reach });
}

/** `python -m pytest -q`: the value and all following words are another command. */
function readRest(reader: ArgumentReader, option: OptionUsage, inline: ShellWord | undefined): void {
  const argv = [...(inline === undefined ? [] : [inline]), ...reader.words.slice(reader.at)];
  reader.at = reader.words.length;
  addOption(reader, option, { value: undefined, exact: true });
  if (argv.length > 0) reader.parts.push({ type: 'command', argv, more: false });
  else markUnsure(reader, 'the value of an option is missing');
}

/** Replaces an option by the words of its value. */
function splitOptionValue(reader: ArgumentReader, value: ShellWord | undefined): void {
  const words = value?.type === 'literal' ? splitText(value.value) : undefined;
  if (words === undefined) markUnsure(reader, 'the words in the value of an option are not known');
  reader.words = [...(words ?? []), ...reader.words.slice(reader.at)];
  reader.at = 0;
}

/** `-exec rm {} ;`: all words up to the end are another command. */
function readUntil(reader: ArgumentReader, option: OptionUsage, inline: ShellWord | undefined): void {
  const start = reader.at;
  const rest = reader.words.slice(start);
  const finds = reader.usage.style === 'dash';
  const end = rest.findIndex((word, index) => {
    const before = prefixOf(rest[index - 1] ?? word);
    return word.type === 'literal' && (word.value === ';' || (finds && word.value === '+' && before === '{}'));
  });
  const words = end < 0 ? rest : rest.slice(0, end);
  reader.at = end < 0 ? reader.words.length : start + end + 1;
  if (words.some((word) => word.type === 'open' && (word.splits || couldBe(word, ';'))))
    markUnsure(reader, `a word after ${option.name} may end its command`);
  addOption(reader, option, { value: undefined, exact: true });
  const started = inline === undefined ? words : [inline, ...words];
  const argv = withPlaceholders(reader, started).map((word) => replaceWithUnknown(word, /\{[./]*\}/u));
  if (argv.length > 0)
    reader.parts.push({ type: 'command', argv, more: !finds || reader.words[start + end]?.text === '+' });
}

/** `--lines=5`, `--lines 5`, `--li 5`. */
function readLong(reader: ArgumentReader, word: ShellWord): void {
  const text = prefixOf(word);
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  const inline = at < 0 ? undefined : withoutPrefix(word, at + 1);
  if (word.type === 'open' && inline === undefined) return addUnknownWord(reader, word);
  const exact = reader.usage.options.get(name);
  if (exact !== undefined) return giveOption(reader, exact, { inline });
  const close = abbreviated(reader, name);
  const [option] = close;
  if (close.length === 1) return giveOption(reader, option, { inline, abbreviated: true });
  if (close.length > 1) markUnsure(reader, `${name} may be short for several options`);
  addUnknownOption(reader, name, inline);
}

function abbreviated({ usage: { options } }: ArgumentReader, name: string): readonly OptionUsage[] {
  if (name.length < 3) return [];
  const found: OptionUsage[] = [];
  for (const [known, option] of options) {
    if (known.startsWith(name) && !found.some((other) => other.name === option.name)) found.push(option);
  }
  return found;
}

function addUnknownWord(reader: ArgumentReader, word: ShellWord): void {
  markUnsure(reader, `${displayWord(word)} may be any option`);
  reader.parts.push({ type: 'option', name: prefixOf(word), value: word, role: 'harmful', harmless: false });
}

/** `-rf`, `-n5`, `-n 5`; `-eo pipefail` for a shell. */
function readCluster(reader: ArgumentReader, word: ShellWord): void {
  const text = prefixOf(word);
  const sign = text.slice(0, 1);
  for (let index = 1; index < text.length; index += 1) {
    const name = `${sign}${text.charAt(index)}`;
    const listed = reader.usage.options.get(name);
    const option = listed ?? (/\d/u.test(name) ? reader.usage.options.get(`${sign}NUM`) : undefined);
    const last = index === text.length - 1 && word.type === 'literal';
    const inline = last ? undefined : withoutPrefix(word, index + 1);
    if (option === undefined) return addUnlistedLetters(reader, word, index);
    const fromNext = reader.usage.style === 'shell' && option.takes === 'value';
    if (fromNext && !last) markUnsure(reader, `the value of ${name} may be in one of two places`);
    const takes = option.takes === 'nothing' || fromNext ? undefined : inline;
    giveOption(reader, option, { inline: takes });
    if (takes !== undefined || option.takes === 'until') return;
  }
  if (word.type === 'open') addUnknownWord(reader, word);
}

/** Unknown letters, and the value after a `=` among them: `-var-file=x` in a program with that style. */
function addUnlistedLetters(reader: ArgumentReader, word: ShellWord, index: number): void {
  const text = prefixOf(word);
  const isLast = index === text.length - 1 && word.type === 'literal';
  addUnknownOption(reader, text.charAt(0) + text.charAt(index), isLast ? undefined : withoutPrefix(word, index + 1));
  const at = text.indexOf('=', index + 2);
  if (at > 0) addUnknownOption(reader, text.slice(0, at), withoutPrefix(word, at + 1));
}

/** `-name x`, `-name=x`, `--name=x`, or `-Wall` if `-W*` is listed. */
function readDashed(reader: ArgumentReader, word: ShellWord): void {
  const { options } = reader.usage;
  const text = prefixOf(word);
  const at = text.indexOf('=');
  const spelled = at < 0 ? text : text.slice(0, at);
  const found = options.get(spelled) ?? options.get(spelled.replace(/^--/u, '-')) ?? options.get(`-${spelled}`);
  if (found !== undefined && found.takes !== 'joined' && (word.type === 'literal' || at >= 0)) {
    return giveOption(reader, found, { inline: at < 0 ? undefined : withoutPrefix(word, at + 1) });
  }
  const joined = Array.from(options.keys())
    .filter((name) => name.endsWith('*') && text.startsWith(name.slice(0, -1)))
    .toSorted((one, other) => other.length - one.length)[0];
  const option = options.get(joined ?? '');
  if (option !== undefined) giveOption(reader, option, { inline: withoutPrefix(word, (joined ?? '').length - 1) });
  else if (word.type === 'open') addUnknownWord(reader, word);
  else addUnknownOption(reader, spelled, at < 0 ? undefined : withoutPrefix(word, at + 1));
}
