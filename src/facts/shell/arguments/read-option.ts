/** Reads one option in the spelling of its program. */

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

/** Reads the option a word is; the words that are its values are taken with it. */
export function readOption(reading: ArgumentReader, word: ShellWord): void {
  const pattern = patternValue(reading, word);
  if (pattern !== undefined) return giveOption(reading, pattern.option, { inline: pattern.value });
  if (maySplit(word)) markUnsure(reading, `${displayWord(word)} may be several words`);
  const text = prefixOf(word);
  const { style, options } = reading.usage;
  const number = isNumber(text) ? options.get(`${text.slice(0, 1)}NUM`) : undefined;
  if (number !== undefined && word.type === 'literal') addOption(reading, number, { value: undefined, exact: true });
  else if (style === 'dash') readDashed(reading, word);
  else if (text.startsWith('--')) readLong(reading, word);
  else if (word.type === 'literal' && text.length !== 2 && options.has(text))
    giveOption(reading, options.get(text), {});
  else if (text.startsWith('+') && options.has('+*'))
    giveOption(reading, options.get('+*'), { inline: withoutPrefix(word, 1) });
  else readCluster(reading, word);
}

/** `--include=*.ts`: the disk tells whether bash finds a file of that name; if not, it is the pattern. */
function patternValue(
  reading: ArgumentReader,
  word: ShellWord,
): { readonly option: OptionUsage; readonly value: ShellWord } | undefined {
  if (word.type === 'literal' || word.glob === undefined || /[\\/]/u.test(word.glob)) return undefined;
  const at = word.glob.indexOf('=');
  const option = word.glob.startsWith('--') && at > 0 ? reading.usage.options.get(word.glob.slice(0, at)) : undefined;
  if (option?.takes !== 'value' || option.value.role !== 'text' || option.value.syntax !== undefined) return undefined;
  reading.unsureGlob ??= `${displayWord(word)} may be several words`;
  reading.parts.push({ type: 'operand', word, role: 'reads', harmless: true, reach: 'itself' });
  return { option, value: literal(word.glob.slice(at + 1), word.text) };
}

/** Most options do not end with a digit. */
function isNumber(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 48 && last <= 57 && /^(?:--?|\+)\d+$/u.test(text);
}

interface OptionSpelling {
  readonly inline?: ShellWord | undefined;
  readonly abbreviated?: boolean;
}

/** Gives an option its value, from its own word or from those that follow. */
function giveOption(
  reading: ArgumentReader,
  option: OptionUsage | undefined,
  { inline, abbreviated = false }: OptionSpelling,
): void {
  if (option === undefined) return;
  const exact = !abbreviated;
  if (option.takes === 'until') return readUntil(reading, option, inline);
  if (option.marks.has('rest')) return readRest(reading, option, inline);
  if (option.takes === 'nothing' && inline !== undefined) markUnsure(reading, `${option.name} takes no value`);
  const value = option.takes === 'value' ? (inline ?? takeValue(reading)) : inline;
  addOption(reading, option, { value, exact: exact && (option.takes !== 'nothing' || inline === undefined) });
  if (option.marks.size > 0 && option.marks.has('split')) splitOptionValue(reading, value);
  if (option.second === undefined) return;
  const word = takeValue(reading);
  const { role, harmless, reach } = option.second;
  if (word !== undefined) reading.parts.push({ type: 'operand', word, role, harmless, reach });
}

/** `python -m pytest -q`: the value and all words after it are another command. */
function readRest(reading: ArgumentReader, option: OptionUsage, inline: ShellWord | undefined): void {
  const argv = [...(inline === undefined ? [] : [inline]), ...reading.words.slice(reading.at)];
  reading.at = reading.words.length;
  addOption(reading, option, { value: undefined, exact: true });
  if (argv.length > 0) reading.parts.push({ type: 'command', argv, more: false });
  else markUnsure(reading, 'an option lacks its value');
}

/** Puts the words of a text in the place of the option that held it. */
function splitOptionValue(reading: ArgumentReader, value: ShellWord | undefined): void {
  const words = value?.type === 'literal' ? splitText(value.value) : undefined;
  if (words === undefined) markUnsure(reading, 'the words of an option are not known');
  reading.words = [...(words ?? []), ...reading.words.slice(reading.at)];
  reading.at = 0;
}

/** `-exec rm {} ;`: all words up to the end are another command. */
function readUntil(reading: ArgumentReader, option: OptionUsage, inline: ShellWord | undefined): void {
  const start = reading.at;
  const rest = reading.words.slice(start);
  const finds = reading.usage.style === 'dash';
  const end = rest.findIndex((word, index) => {
    const before = prefixOf(rest[index - 1] ?? word);
    return word.type === 'literal' && (word.value === ';' || (finds && word.value === '+' && before === '{}'));
  });
  const words = end < 0 ? rest : rest.slice(0, end);
  reading.at = end < 0 ? reading.words.length : start + end + 1;
  if (words.some((word) => word.type === 'open' && (word.splits || couldBe(word, ';'))))
    markUnsure(reading, `a word after ${option.name} may end it`);
  addOption(reading, option, { value: undefined, exact: true });
  const started = inline === undefined ? words : [inline, ...words];
  const argv = withPlaceholders(reading, started).map((word) => replaceWithUnknown(word, /\{[./]*\}/u));
  if (argv.length > 0)
    reading.parts.push({ type: 'command', argv, more: !finds || reading.words[start + end]?.text === '+' });
}

/** `--lines=5`, `--lines 5`, `--li 5`. */
function readLong(reading: ArgumentReader, word: ShellWord): void {
  const text = prefixOf(word);
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  const inline = at < 0 ? undefined : withoutPrefix(word, at + 1);
  if (word.type === 'open' && inline === undefined) return addUnknownWord(reading, word);
  const exact = reading.usage.options.get(name);
  if (exact !== undefined) return giveOption(reading, exact, { inline });
  const close = abbreviated(reading, name);
  const [option] = close;
  if (close.length === 1) return giveOption(reading, option, { inline, abbreviated: true });
  if (close.length > 1) markUnsure(reading, `${name} may be several options`);
  addUnknownOption(reading, name, inline);
}

function abbreviated({ usage: { options } }: ArgumentReader, name: string): readonly OptionUsage[] {
  if (name.length < 3) return [];
  const found: OptionUsage[] = [];
  for (const [known, option] of options) {
    if (known.startsWith(name) && !found.some((other) => other.name === option.name)) found.push(option);
  }
  return found;
}

function addUnknownWord(reading: ArgumentReader, word: ShellWord): void {
  markUnsure(reading, `${displayWord(word)} may be any option`);
  reading.parts.push({ type: 'option', name: prefixOf(word), value: word, role: 'harmful', harmless: false });
}

/** `-rf`, `-n5`, `-n 5`; `-eo pipefail` for a shell. */
function readCluster(reading: ArgumentReader, word: ShellWord): void {
  const text = prefixOf(word);
  const sign = text.slice(0, 1);
  for (let index = 1; index < text.length; index += 1) {
    const name = `${sign}${text.charAt(index)}`;
    const listed = reading.usage.options.get(name);
    const option = listed ?? (/\d/u.test(name) ? reading.usage.options.get(`${sign}NUM`) : undefined);
    const last = index === text.length - 1 && word.type === 'literal';
    const inline = last ? undefined : withoutPrefix(word, index + 1);
    if (option === undefined) return addUnlistedLetters(reading, word, index);
    const fromNext = reading.usage.style === 'shell' && option.takes === 'value';
    if (fromNext && !last) markUnsure(reading, `the value of ${name} may stand in two places`);
    const takes = option.takes === 'nothing' || fromNext ? undefined : inline;
    giveOption(reading, option, { inline: takes });
    if (takes !== undefined || option.takes === 'until') return;
  }
  if (word.type === 'open') addUnknownWord(reading, word);
}

/** Letters nobody knows, and what follows a `=` among them: `-var-file=x` of a program that spells options so. */
function addUnlistedLetters(reading: ArgumentReader, word: ShellWord, index: number): void {
  const text = prefixOf(word);
  const isLast = index === text.length - 1 && word.type === 'literal';
  addUnknownOption(reading, text.charAt(0) + text.charAt(index), isLast ? undefined : withoutPrefix(word, index + 1));
  const at = text.indexOf('=', index + 2);
  if (at > 0) addUnknownOption(reading, text.slice(0, at), withoutPrefix(word, at + 1));
}

/** `-name x`, `-name=x`, `--name=x`, `-Wall` where `-W*` is listed. */
function readDashed(reading: ArgumentReader, word: ShellWord): void {
  const { options } = reading.usage;
  const text = prefixOf(word);
  const at = text.indexOf('=');
  const spelled = at < 0 ? text : text.slice(0, at);
  const found = options.get(spelled) ?? options.get(spelled.replace(/^--/u, '-')) ?? options.get(`-${spelled}`);
  if (found !== undefined && found.takes !== 'joined' && (word.type === 'literal' || at >= 0)) {
    return giveOption(reading, found, { inline: at < 0 ? undefined : withoutPrefix(word, at + 1) });
  }
  const joined = Array.from(options.keys())
    .filter((name) => name.endsWith('*') && text.startsWith(name.slice(0, -1)))
    .toSorted((one, other) => other.length - one.length)[0];
  const option = options.get(joined ?? '');
  if (option !== undefined) giveOption(reading, option, { inline: withoutPrefix(word, (joined ?? '').length - 1) });
  else if (word.type === 'open') addUnknownWord(reading, word);
  else addUnknownOption(reading, spelled, at < 0 ? undefined : withoutPrefix(word, at + 1));
}
