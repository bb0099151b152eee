/** Finds the files that a command touches through its redirections and its arguments. */

import { changeAccesses } from './change-accesses.ts';
import type { FileAccess } from '../commands/command-analysis.ts';
import { unordered, type LineCommand } from '../commands/line-command.ts';
import { unknownFolderReason, workingLocation } from '../walk/change-folder.ts';
import type { ArgumentPart, OperandPart, OptionPart, ParsedArguments } from '../usage/program.ts';
import type { FolderReach, ImpliedAccess, ValueRole } from '../usage/value-role.ts';
import { literalPath, wordsIn } from '../words/inspect-word.ts';
import { isPipe, literal, type OpenWord, type ShellWord } from '../words/shell-word.ts';
import { lineStart, type ShellLocation } from '../commands/shell-location.ts';

type Mode = FileAccess['mode'];

const modes: Partial<Record<ValueRole, Mode>> = {
  reads: 'read',
  entry: 'read',
  folder: 'read',
  script: 'read',
  writes: 'write',
  either: 'either',
  harmful: 'either',
};

export function fileAccesses(command: LineCommand): readonly FileAccess[] {
  const { location, redirects, parsed, argv } = command;
  const opened = redirects.flatMap(({ mode, word, insideFolder }) =>
    accessesOfWord(mode, word, { from: location.folders, reach: insideFolder === true ? undefined : 'itself' }),
  );
  const named = argv.length === 0 ? [] : parsed === undefined ? unlistedAccesses(command) : listedAccesses(command);
  return markRepeated(markUnknownStart([...opened, ...named], location), command);
}

/** A command that runs again may meet files that it created earlier. */
function markRepeated(accesses: readonly FileAccess[], { order }: LineCommand): readonly FileAccess[] {
  if (order < unordered || !accesses.some(({ mode }) => mode === 'write')) return accesses;
  return changeAccesses(accesses, (each) => (each.mode === 'write' ? { ...each, repeated: true } : each));
}

/** Records how certain the start of relative paths is. */
function markUnknownStart(accesses: readonly FileAccess[], location: ShellLocation): readonly FileAccess[] {
  if (location === lineStart) return accesses;
  const lost = location.folders === undefined ? location.why : undefined;
  return changeAccesses(accesses, (each) => ({ fromUnknown: lost, enteredBy: location.entered, ...each }));
}

/** Why a program may touch files that its arguments do not name. `read`: it would only read them. */
export function missingFiles(
  commands: readonly LineCommand[],
): { readonly why: string; readonly read: boolean } | undefined {
  let why: string | undefined;
  for (const command of commands) {
    const missing = whyMissing(command);
    if (missing === undefined) continue;
    if (command.parsed?.readsOnly !== true) return { why: missing, read: false };
    why ??= missing;
  }
  return why === undefined ? undefined : { why, read: true };
}

function whyMissing({ parsed, more, name, input, program }: LineCommand): string | undefined {
  if (input === 'unknown') return 'code on standard input may use any file';
  return (
    parsed?.unsureFiles ??
    (more && program?.usage.namesNoFile !== true
      ? `${name ?? 'a command'} may get more arguments than the line shows`
      : undefined)
  );
}

function listedAccesses(command: LineCommand): readonly FileAccess[] {
  const { parsed, location } = command;
  if (parsed === undefined) return [];
  const working = parsed.changesFolder ? location : workingLocation(location, command, parsed);
  const inner = working.folders;
  const own = namedAccesses(command, parsed, inner);
  const named = parsed.repository ? [...own, ...repositoryAccess(inner)] : own;
  const { implied } = parsed;
  if (implied.length === 0) return markUnknownStart(filtered(named, parsed), working);
  const chosen = parsed.changesFolder ? undefined : chosenFolders(location.folders, inner, parsed.parts);
  const sent = hasFolderOption(parsed.parts);
  const unnamed = implied.map((kind) => impliedAccess(resolveHistory(kind, sent), chosen ?? inner));
  return markUnknownStart(filtered([...named, ...unnamed], parsed), working);
}

/** Another folder may belong to another repository, whose settings can start programs. */
function repositoryAccess(from: FileAccess['from']): readonly FileAccess[] {
  if (from?.every((folder) => folder === '') === true) return [];
  return [{ mode: 'either', path: '.', text: '', from, implied: true, unnamed: 'repository' }];
}

function filtered(accesses: readonly FileAccess[], parsed: ParsedArguments): readonly FileAccess[] {
  const { filters, excludeOption, conditional } = parsed;
  if (filters.length === 0 && excludeOption === undefined && !conditional) return accesses;
  const added = {
    ...(filters.length === 0 ? {} : { filters }),
    ...(excludeOption === undefined ? {} : { excludeOption }),
  };
  return changeAccesses(accesses, (each) => {
    if (each.reach === 'itself' || each.reach === undefined) return each;
    return { ...each, ...added, ...(conditional && each.mode !== 'read' ? { uncertain: true } : {}) };
  });
}

function namedAccesses(
  command: LineCommand,
  parsed: ParsedArguments,
  inner: FileAccess['from'],
): readonly FileAccess[] {
  const { input } = command;
  const parts = input === 'unknown' || input.length === 0 ? parsed.parts : [...parsed.parts, ...input];
  const files = parts.filter(namesFile);
  const target = files.find(isDestination);
  const sources = target === undefined ? files : files.filter((part) => part !== target);
  // The target of a symbolic link is relative to the folder of the link.
  const linked = target?.reach === 'link' && isSymbolic(parts) ? linkStartFolders(inner, wordOf(target)) : inner;
  const others = sources.flatMap((part) => {
    const mode = modes[part.role];
    const word = wordOf(part);
    if (mode === undefined || word === undefined) return [];
    // A program works inside its working folder, so the folder itself is only entered.
    if (part.role === 'folder') return enteredFolder(command, word, mode);
    if (part.role === 'harmful') {
      const named = [word, ...wordsIn(word)].flatMap((each) => accessesOfWord(mode, each, { from: inner }));
      return 'uncertain' in part ? named.map((each) => ({ ...each, uncertain: true })) : named;
    }
    const named = accessesOfWord(mode, word, { from: linked, reach: part.reach });
    if (part.role === 'entry') return named.map((each) => ({ ...each, metadataOnly: true }));
    return target?.reach === 'link' ? named.map((each) => ({ ...each, linkOnly: true })) : named;
  });
  if (target === undefined) return others;
  return [...others, ...destination(target, { from: inner, sources, others, isAll: !hasText(parts) })];
}

/** The folder in which a command works, or to which it changes. */
function enteredFolder(command: LineCommand, word: ShellWord, mode: Mode): readonly FileAccess[] {
  const { parsed, location } = command;
  const entered = accessesOfWord(mode, word, { from: location.folders, reach: 'itself' });
  if (parsed?.changesFolder !== true) return entered;
  if (isOfStack(word)) return [];
  return entered.map((each) =>
    each.path === undefined ? { ...each, fromUnknown: unknownFolderReason(command) } : each,
  );
}

function isDestination({ reach }: WordPart): boolean {
  return reach === 'into' || reach === 'onto' || reach === 'sync' || reach === 'link';
}

/** True if an operand is not a local file, for example a file on another machine. */
function hasText(parts: readonly ArgumentPart[]): boolean {
  return parts.some((part) => part.type === 'operand' && modes[part.role] === undefined);
}

interface Sources {
  readonly from: FileAccess['from'];
  readonly sources: readonly WordPart[];
  readonly others: readonly FileAccess[];
  readonly isAll: boolean;
}

function destination(target: WordPart, { from, sources, others, isAll }: Sources): readonly FileAccess[] {
  const mode = modes[target.role];
  const word = wordOf(target);
  if (mode === undefined || word === undefined) return [];
  const { reach } = target;
  const isOnly = isAll && sources.every(({ type }) => type === 'operand');
  return accessesOfWord(mode, word, { from, reach }).map((each) => ({ ...each, sources: isOnly ? others : undefined }));
}

function isSymbolic(parts: readonly ArgumentPart[]): boolean {
  return parts.some((part) => part.type === 'option' && /^(?:-s|--symbolic)$/.test(part.name));
}

/** `cd -`, `pushd +1`. */
function isOfStack(word: ShellWord): boolean {
  return word.type === 'literal' && /^(?:-|[-+]\d+)$/.test(word.value);
}

function resolveHistory(kind: ImpliedAccess, sent: boolean): ImpliedAccess {
  if (kind !== 'history') return kind;
  return sent ? 'worktree' : 'writes';
}

function hasFolderOption(parts: readonly ArgumentPart[]): boolean {
  return parts.some((part) => part.type === 'option' && part.role === 'folder');
}

/** The folders in which a program works if an option sends it there before any operand. */
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

/** The same start folders, plus the folder of the link itself. */
function linkStartFolders(from: FileAccess['from'], word: ShellWord | undefined): FileAccess['from'] {
  if (word?.type !== 'literal' || from === undefined) return undefined;
  const { value } = word;
  const folder = value.replace(/\/*[^/]*\/*$/, '');
  if (folder === '') return value.startsWith('/') ? [...from, '/'] : from;
  return [...new Set([...from, ...from.map((start) => (start === '' ? folder : joined(start, folder)))])];
}

function joined(start: string, folder: string): string {
  return folder.startsWith('/') ? folder : `${start}/${folder}`;
}

type WordPart = OptionPart | OperandPart;

function namesFile(part: ArgumentPart): part is WordPart {
  return (part.type === 'option' || part.type === 'operand') && modes[part.role] !== undefined;
}

function wordOf(part: WordPart): ShellWord | undefined {
  return part.type === 'option' ? part.value : part.word;
}

function impliedAccess(implied: ImpliedAccess, from: FileAccess['from']): FileAccess {
  const folder = { path: '.', text: '.', from };
  switch (implied) {
    case 'lists':
      return { ...folder, mode: 'read', reach: 'itself' };
    case 'searches':
      return { ...folder, mode: 'read', reach: 'tree' };
    case 'sweeps':
      return { ...folder, mode: 'write', reach: 'tree' };
    case 'walked':
    case 'visible':
      return { ...folder, mode: 'read', reach: implied };
    case 'unignored':
      return { ...folder, mode: 'read', reach: implied, unnamed: 'worktree' };
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

/** Any word of an unknown program may name a file: all of it, or the text after `=` or an option letter. */
function unlistedAccesses({ argv, location }: LineCommand): readonly FileAccess[] {
  const from = location.folders;
  return argv.slice(1).flatMap((word) => {
    if (word.type === 'open') return accessesOfWord('either', withoutParts(word), { from });
    const { value, text } = word;
    const equal = value.indexOf('=');
    const paths = value.startsWith('-') ? [] : [value];
    if (equal !== -1) paths.push(value.slice(equal + 1));
    else if (/^-[^-].*[./~]/s.test(value)) paths.push(value.slice(2));
    const within = wordsIn(word).map(({ value: part }) => part);
    const all = new Set([...paths.filter((path) => path !== ''), ...within]);
    return Array.from(all).flatMap((path) => accessesOfWord('either', literal(path, text), { from }));
  });
}

/** If a name has text before it, any part of it may be the path. */
function withoutParts(word: OpenWord): OpenWord {
  return word.knownPieces[0] === '' ? word : { ...word, choices: undefined };
}

interface AccessStart {
  readonly from: FileAccess['from'];
  readonly reach?: FolderReach | undefined;
}

/** The accesses of a word that names files. A pipe has none. */
function accessesOfWord(mode: Mode, word: ShellWord, { from, reach }: AccessStart): readonly FileAccess[] {
  if (reach === 'filled') {
    const picked = accessesOfWord(mode, word, { from, reach: 'picked' });
    return picked.map((each) => ({ ...each, unnamed: 'folder' }));
  }
  const { text } = word;
  if (word.type === 'literal') return [{ mode, path: literalPath(word.value), text, from, reach }];
  const base = { mode, text, from, reach };
  if (word.home !== undefined) return [{ ...base, path: word.home }];
  if (isPipe(word)) return [];
  const last = word.knownPieces.at(-1) ?? '';
  const pathEnd = last === '' ? undefined : last;
  if (word.choices === undefined) return [{ ...base, path: undefined, pathEnd, glob: word.glob }];
  return word.choices.map((choice) => {
    if (choice.type === 'text') return { ...base, path: literalPath(choice.value) };
    if (choice.type === 'glob') return { ...base, path: undefined, pathEnd, glob: choice.glob };
    return { ...base, path: undefined, pathEnd, diskName: choice };
  });
}
