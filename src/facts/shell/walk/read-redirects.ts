/** The redirections of a command: the files they open, and the input of the command. */

import type { HereDoc, Redirect, Redirection } from 'unbash';
import { assign, assignWord } from './assign-variable.ts';
import type { FileRedirect } from '../commands/line-command.ts';
import { unknownInput, type CommandInput, type LineState } from './line-state.ts';
import { readSingleWord } from '../words/read-word.ts';
import { couldStartWith, literal } from '../words/shell-word.ts';
import { checkUnparsed, walkParts, walkWord } from './walk-word.ts';

export interface CommandRedirects {
  readonly files: readonly FileRedirect[];
  readonly out: boolean;
  /** Undefined: standard input is not redirected. */
  readonly input: CommandInput | undefined;
}

export const noRedirects: CommandRedirects = { files: [], out: false, input: undefined };
const descriptor = /^(?:\d+-?|-)$/;

export function readRedirects(state: LineState, redirects: readonly Redirection[]): CommandRedirects {
  if (redirects.length === 0) return noRedirects;
  const files: FileRedirect[] = [];
  let out = false;
  let input: CommandInput | undefined;
  for (const redirect of redirects) {
    if (redirect.descriptor?.type === 'FileDescriptorVariable') assignDescriptor(state, redirect.descriptor.name);
    const file = redirect.type === 'Redirect' ? readFile(state, redirect) : undefined;
    if (file !== undefined) files.push(file);
    if (file !== undefined && file.mode !== 'read' && !isNull(file)) out = true;
    if (file !== undefined && mayConnect(file)) {
      out = true;
      if (file.word.type === 'literal') state.markOpaque('the line opens a network connection');
    }
    if (isInput(redirect)) input = readInput(state, redirect, file);
    else if (redirect.type !== 'Redirect') readInput(state, redirect, undefined);
  }
  return { files, out, input };
}

/** `{name}< file` stores a descriptor number in a variable. */
function assignDescriptor(state: LineState, name: string): void {
  if (/^\w+$/.test(name)) assign(state, name, undefined);
  else assignWord(state, literal(name));
}

function isNull({ word }: FileRedirect): boolean {
  return word.type === 'literal' && word.value === '/dev/null';
}

/** bash itself connects to the host in such a name. */
function mayConnect({ word }: FileRedirect): boolean {
  return couldStartWith(word, '/dev/tcp/') || couldStartWith(word, '/dev/udp/');
}

/** The file it opens. Undefined for a descriptor. */
function readFile(state: LineState, { operator, target }: Redirect): FileRedirect | undefined {
  if (target === undefined) return undefined;
  walkWord(state, target);
  const word = readSingleWord(target, state.variables.current);
  const duplicates = operator === '>&' || operator === '<&';
  if (duplicates && word.type === 'literal' && descriptor.test(word.value)) return undefined;
  if (operator === '<>') return { mode: 'either', word };
  return { mode: operator.startsWith('<') ? 'read' : 'write', word };
}

function isInput(redirect: Redirection): boolean {
  const fd = redirect.descriptor;
  if (fd !== undefined) return fd.type === 'FileDescriptor' && fd.value === 0;
  return redirect.operator.startsWith('<');
}

function readInput(state: LineState, redirect: Redirection, file: FileRedirect | undefined): CommandInput {
  if (redirect.type === 'HereDoc') return readHereDoc(state, redirect);
  if (redirect.type === 'HereString') {
    const { target } = redirect;
    if (target === undefined) return unknownInput;
    walkWord(state, target);
    const word = readSingleWord(target, state.variables.current);
    return word.type === 'literal' ? { type: 'text', text: `${word.value}\n`, piped: false } : unknownInput;
  }
  const named = file?.word.type === 'literal' && !/^\/(?:dev|proc)\//.test(file.word.value);
  return redirect.operator === '<' && named ? { type: 'file' } : unknownInput;
}

function readHereDoc(state: LineState, { operator, delimiter, body }: HereDoc): CommandInput {
  const { parts } = body;
  // The parser may decode `$'…'` differently from bash, and then find another end.
  if (delimiter?.text.includes("$'") === true) state.markUnknown('the end of a here-document cannot be parsed');
  if (delimiter?.text.includes('$') === true) state.markOtherShell();
  if (parts !== undefined) walkParts(state, parts, true);
  else if (delimiter?.quoted !== true) checkUnparsed(state, body.text);
  if (parts?.some((part) => part.type !== 'Literal') === true) {
    // bash does both before it reads substitutions, regardless of quotes and nested here-documents.
    if (body.text.includes('\\\n')) state.markUnknown('bash joins lines of a here-document with substitutions');
    if (operator === '<<-' && body.text.includes('\n\t'))
      state.markUnknown('bash removes tabs from a here-document with substitutions');
    return unknownInput;
  }
  const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
  const quoted = delimiter?.quoted === true;
  return { type: 'text', text: quoted ? text : text.replace(/\\([$`\\\n])/g, unescape), piped: false };
}

function unescape(_match: string, character: string): string {
  return character === '\n' ? '' : character;
}
