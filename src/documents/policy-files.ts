/** The files of a policy: one, and what it extends, from the highest layer to the lowest. */

import { createHash } from 'node:crypto';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { BridleError, messageOf } from '../errors.ts';
import { homeFolder } from '../home-folder.ts';
import { cutText } from '../json.ts';
import { parseCondition } from './cel/parse.ts';
import { writeTree } from './cel/syntax-tree.ts';
import type { Place, PolicyDocument } from './document.ts';
import { readDocument } from './read-document.ts';
import { type PolicyText, readPolicyText } from './read-policy-text.ts';

/** Documents that were read and checked before, by name and whole text. What it gives must be what it was given. */
export interface DocumentCache {
  readonly get: (key: string) => PolicyDocument | undefined;
  readonly set: (key: string, document: PolicyDocument) => void;
}

export interface PolicyFileRead {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** What the file looked like before it was read. */
  readonly print: string;
  /** Of the text; made when it is asked for. */
  readonly hash: string;
  readonly document: PolicyDocument;
  /** True: it came from the cache, so it was checked before. */
  readonly cached: boolean;
}

const mostFiles = 16;

export interface FileReading {
  /** Absolute: where relative names start, and what messages are relative to. */
  readonly cwd: string;
  readonly cache?: DocumentCache | undefined;
}

/** Reads a file and what it extends. A file that is reached twice counts once, where it is reached first. */
export function readPolicyFiles(file: string, reading: FileReading): readonly PolicyFileRead[] {
  const found = new Map<string, PolicyFileRead>();
  descend(resolve(reading.cwd, file), { reading, found, inside: [] });
  return [...found.values()];
}

/** Files above the one at `path`: every one once, and none above itself. */
export function higherFiles(
  files: readonly string[],
  { path, ...reading }: FileReading & { readonly path: string },
): readonly PolicyFileRead[] {
  const others = files.filter((file) => resolve(reading.cwd, file) !== path);
  const read = others.flatMap((file) => readPolicyFiles(file, reading));
  return [...new Map(read.map((each) => [each.path, each])).values()];
}

/** What a person trusts when trusting a policy: the content of all its files, wherever they lie. */
export function contentHash(files: readonly Pick<PolicyFileRead, 'hash'>[]): string {
  return sha256(JSON.stringify(files.map(({ hash }) => hash)));
}

interface Descent {
  readonly reading: FileReading;
  readonly found: Map<string, PolicyFileRead>;
  /** The files that led here. */
  readonly inside: readonly string[];
  /** Says that the file cannot be read, where it was named. */
  readonly unreadable?: ((problem: string) => BridleError) | undefined;
}

function descend(path: string, { reading, found, inside, unreadable }: Descent): void {
  const read = readOne(path, reading, unreadable);
  for (const { text, at } of read.document.extends) {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text))
      throw wrong(read.document, at, `extends ${quoted(text)}, which is a URL; only files can be extended`);
    const upper = upperPath(path, text);
    const way = [...inside, path];
    if (way.includes(upper)) throw wrong(read.document, at, `extends ${quoted(text)}, which extends this file`);
    if (found.size + way.length >= mostFiles)
      throw wrong(read.document, at, `more than ${mostFiles} files in one policy`);
    const unreadableHere = (problem: string): BridleError =>
      wrong(read.document, at, `extends ${quoted(text)}, which cannot be read: ${problem}`);
    if (!found.has(upper)) descend(upper, { reading, found, inside: way, unreadable: unreadableHere });
  }
  found.set(path, read);
}

function readOne(path: string, { cwd, cache }: FileReading, unreadable: Descent['unreadable']): PolicyFileRead {
  const shown = shownPath(path, cwd);
  const { text, print } = textOf(path, shown, unreadable);
  const known = cache?.get(cacheKey(shown, text));
  return {
    path,
    text,
    print,
    document: known ?? readDocument(text, shown),
    cached: known !== undefined,
    // Loading the library for it takes longer than everything else about a small policy.
    get hash() {
      return sha256(text);
    },
  };
}

function textOf(path: string, shown: string, unreadable: Descent['unreadable']): PolicyText {
  try {
    return readPolicyText(path, shown);
  } catch (error) {
    throw unreadable === undefined ? error : unreadable(messageOf(error));
  }
}

export function keepInCache({ text, document, cached }: PolicyFileRead, cache: DocumentCache | undefined): void {
  if (!cached) cache?.set(cacheKey(document.file, text), withTrees(document));
}

/** Reading conditions is most of the work of the next start. */
function withTrees(document: PolicyDocument): PolicyDocument {
  const rules = document.rules.map((rule) => {
    const { when } = rule;
    const parsed = when === undefined ? undefined : parseCondition(when.text);
    if (when === undefined || parsed === undefined || parsed.problem !== undefined) return rule;
    return { ...rule, when: { ...when, tree: writeTree(parsed.ast) } };
  });
  return { ...document, rules };
}

function cacheKey(shown: string, text: string): string {
  return `${shown}\n${text}`;
}

function upperPath(path: string, text: string): string {
  return text.startsWith('~/') ? resolve(homeFolder(), text.slice(2)) : resolve(dirname(path), text);
}

function shownPath(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}

function quoted(text: string): string {
  return JSON.stringify(cutText(text, 200));
}

function wrong({ file }: PolicyDocument, { line, column }: Place, problem: string): BridleError {
  return new BridleError('POLICY_FILE', `${file}:${line}:${column}: ${problem}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
