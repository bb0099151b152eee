/** Which files a command touches by its redirections and by those of its words that name files. */

import type { FileAccess } from './command-analysis.ts';
import type { FoundCommand } from './found-command.ts';
import { placeIn, workingFolders } from './move.ts';
import type { ArgumentPart, Implied, OperandPart, OptionPart, Reach, Role } from './program.ts';
import { isPipe, literal, type LiteralWord, type OpenWord, type ShellWord } from './shell-word.ts';

type Mode = FileAccess['mode'];

const modes: Partial<Record<Role, Mode>> = {
  reads: 'read',
  folder: 'read',
  script: 'read',
  writes: 'write',
  either: 'either',
  harmful: 'either',
};

export function fileAccesses(command: FoundCommand): readonly FileAccess[] {
  const { from, redirects, read, argv } = command;
  const opened = redirects.flatMap(({ mode, word, inside }) =>
    access(mode, word, { from, reach: inside === true ? undefined : 'itself' }),
  );
  if (argv.length === 0) return opened;
  return read === undefined ? [...opened, ...unlistedAccesses(command)] : [...opened, ...listedAccesses(command)];
}

/** Why programs may touch files that their words do not name; `read`: they would only be read. */
export function missingFiles(
  commands: readonly FoundCommand[],
): { readonly why: string; readonly read: boolean } | undefined {
  let why: string | undefined;
  for (const command of commands) {
    const missing = whyMissing(command);
    if (missing === undefined) continue;
    if (command.read?.readsOnly !== true) return { why: missing, read: false };
    why ??= missing;
  }
  return why === undefined ? undefined : { why, read: true };
}

function whyMissing({ read, more, name, input, program }: FoundCommand): string | undefined {
  if (input === 'unseen') return 'code on standard input may use any file';
  return (
    read?.unsureFiles ??
    (more && program?.usage.namesNoFile !== true ? `${name ?? 'a command'} is given further words` : undefined)
  );
}

function listedAccesses({ read, from, input }: FoundCommand): readonly FileAccess[] {
  if (read === undefined) return [];
  const inner = read.moves ? from : workingFolders(from, read.parts);
  const parts = input === 'unseen' || input.length === 0 ? read.parts : [...read.parts, ...input];
  const files = parts.filter(namesFile);
  const target = files.find(({ reach }) => reach === 'into' || reach === 'onto');
  const sources = files.filter((part) => part !== target);
  // What a link says is relative to where the link stands.
  const linked = target?.reach === 'onto' ? beside(inner, wordOf(target)) : inner;
  const named = files.flatMap((part) => {
    const mode = modes[part.role];
    const word = wordOf(part);
    if (mode === undefined || word === undefined) return [];
    if (part === target)
      return access(mode, word, { from: inner, reach: part.reach }).map((each) => ({
        ...each,
        names: namesOf(sources),
      }));
    // What is done in a folder that a program works in, it does inside.
    if (part.role === 'folder') return access(mode, word, { from, reach: 'itself' });
    if (part.role === 'harmful') return [word, ...wordsIn(word)].flatMap((each) => access(mode, each, { from: inner }));
    return access(mode, word, { from: part.reach === undefined ? linked : inner, reach: part.reach });
  });
  const { implied } = read;
  if (implied.length === 0) return named;
  const chosen = read.moves ? undefined : chosenFolders(from, inner, read.parts);
  const sent = isSent(read.parts);
  return [...named, ...implied.map((kind) => impliedAccess(placed(kind, sent), chosen ?? inner))];
}

function placed(kind: Implied, sent: boolean): Implied {
  if (kind !== 'history') return kind;
  return sent ? 'worktree' : 'writes';
}

function isSent(parts: readonly ArgumentPart[]): boolean {
  return parts.some((part) => part.type === 'option' && part.role === 'folder');
}

/** Where a program does its work that was sent to a folder before anything else was said. */
function chosenFolders(
  from: FileAccess['from'],
  inner: FileAccess['from'],
  parts: readonly ArgumentPart[],
): FileAccess['from'] {
  const first = parts.find((part) => part.type === 'operand' || (part.type === 'option' && part.role === 'folder'));
  if (first?.type !== 'option' || from === undefined) return undefined;
  const folders = inner?.filter((folder) => !from.includes(folder));
  return folders?.length === 0 ? undefined : folders;
}

/** The same start folders, and those that the path's own folder is. */
function beside(from: FileAccess['from'], word: ShellWord | undefined): FileAccess['from'] {
  if (word?.type !== 'literal') return undefined;
  const folder = word.value.replace(/\/*[^/]*\/*$/, '');
  return folder === '' && !word.value.startsWith('/') ? from : placeIn(from, literal(folder === '' ? '/' : folder));
}

type WordPart = OptionPart | OperandPart;

function namesFile(part: ArgumentPart): part is WordPart {
  return (part.type === 'option' || part.type === 'operand') && modes[part.role] !== undefined;
}

function wordOf(part: WordPart): ShellWord | undefined {
  return part.type === 'option' ? part.value : part.word;
}

/** The names that the other operands would get in a folder; undefined if some are not known. */
function namesOf(sources: readonly WordPart[]): readonly string[] | undefined {
  const names = sources.map((part) => {
    const word = wordOf(part);
    return word?.type === 'literal' ? word.value.replace(/\/+$/, '').split('/').at(-1) : undefined;
  });
  return names.every((name) => name !== undefined && !/^\.*$/.test(name)) ? (names as string[]) : undefined;
}

function impliedAccess(implied: Implied, from: FileAccess['from']): FileAccess {
  const folder = { path: '.', text: '.', from };
  switch (implied) {
    case 'lists':
      return { ...folder, mode: 'read', reach: 'itself' };
    case 'searches':
      return { ...folder, mode: 'read', reach: 'tree' };
    case 'reads':
      return { ...folder, mode: 'read', implied: true };
    case 'writes':
    case 'history':
      return { ...folder, mode: 'write', implied: true };
    case 'anything':
      return { ...folder, mode: 'write', implied: true, unnamed: 'folder' };
    case 'worktree':
      return { ...folder, mode: 'write', implied: true, unnamed: 'worktree' };
    case 'elsewhere':
      return { mode: 'either', path: undefined, text: '', from: undefined, implied: true };
    default:
      return implied satisfies never;
  }
}

/** Any word of a program nobody knows may name a file, whole or after `=` or an option's letter. */
function unlistedAccesses({ argv, from }: FoundCommand): readonly FileAccess[] {
  return argv.slice(1).flatMap((word) => {
    if (word.type === 'open') return access('either', withoutParts(word), { from });
    const { value, text } = word;
    const equal = value.indexOf('=');
    const paths = value.startsWith('-') ? [] : [value];
    if (equal !== -1) paths.push(value.slice(equal + 1));
    else if (/^-[^-].*[./~]/s.test(value)) paths.push(value.slice(2));
    const within = wordsIn(word).map(({ value: part }) => part);
    const all = new Set([...paths.filter((path) => path !== ''), ...within]);
    return Array.from(all).flatMap((path) => access('either', literal(path, text), { from }));
  });
}

/** Of a name with text before it nobody knows which part is the path. */
function withoutParts(word: OpenWord): OpenWord {
  return word.pieces[0] === '' ? word : { ...word, among: undefined };
}

/** What may be a path within a word nobody knows the use of: `body=@file`, `type=bind,src=file`, `file:/inside`. */
function wordsIn(word: ShellWord): readonly LiteralWord[] {
  if (word.type === 'open' || !/[=@,:]/u.test(word.value) || /^[\w+.-]*:\/\//u.test(word.value)) return [];
  const parts = word.value.split(/[@,:]/u).flatMap((part) => (part.includes('=') ? part.split('=').slice(1) : [part]));
  return parts.filter((part) => part !== '').map((part) => literal(part, word.text));
}

interface Place {
  readonly from: FileAccess['from'];
  readonly reach?: Reach | undefined;
}

/** What is done by a word that names files: none, for a pipe. */
function access(mode: Mode, word: ShellWord, { from, reach }: Place): readonly FileAccess[] {
  const { text } = word;
  const base = { mode, text, from, reach };
  if (word.type === 'literal') return [{ ...base, path: literalPath(word.value) }];
  if (word.home !== undefined) return [{ ...base, path: word.home }];
  if (isPipe(word)) return [];
  const last = word.pieces.at(-1) ?? '';
  const ends = last === '' ? undefined : last;
  if (word.among === undefined) return [{ ...base, path: undefined, ends, glob: word.glob }];
  return word.among.map((choice) => {
    if (choice.type === 'text') return { ...base, path: literalPath(choice.value) };
    if (choice.type === 'glob') return { ...base, path: undefined, ends, glob: choice.glob };
    return { ...base, path: undefined, ends, listed: choice };
  });
}

/** Only an unquoted `~` is a home folder. */
function literalPath(value: string): string {
  return value.startsWith('~') ? `./${value}` : value;
}
