/** Reads a policy file and the files it extends, from the highest layer to the lowest. */

import { createHash } from 'node:crypto';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { homeFolder } from '../../files/home-folder.ts';
import { cutText } from '../../kernel/json.ts';
import { parseCondition } from '../cel/syntax/parse-condition.ts';
import { treeToJson } from '../cel/syntax/syntax-tree.ts';
import type { FilePosition, PolicyFile } from '../policy-file.ts';
import { parsePolicyFile } from './parse-policy-file.ts';
import { type PolicyText, readPolicyText } from './read-policy-text.ts';

/** Policy files that were parsed and checked before, by name and full text. `get` must return what `set` was given. */
export interface PolicyFileCache {
  readonly get: (key: string) => PolicyFile | undefined;
  readonly set: (key: string, policyFile: PolicyFile) => void;
}

export interface PolicyFileOnDisk {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** The file's stamp from before it was read. */
  readonly stamp: string;
  /** Hash of the text, computed on first use. */
  readonly hash: string;
  readonly policyFile: PolicyFile;
  /** True if it came from the cache, so it was checked before. */
  readonly cached: boolean;
}

const maxFiles = 16;

export interface PolicyReadOptions {
  /** Absolute. Relative paths start here, and messages show paths relative to it. */
  readonly cwd: string;
  readonly cache?: PolicyFileCache | undefined;
}

/** Reads a file and the files it extends. A file that is reached twice counts once, at its first position. */
export function readPolicyFiles(file: string, options: PolicyReadOptions): readonly PolicyFileOnDisk[] {
  const filesRead = new Map<string, PolicyFileOnDisk>();
  readWithExtended(resolve(options.cwd, file), { options, filesRead, extendedBy: [] });
  return [...filesRead.values()];
}

/** Reads the files above the one at `path`, each once and without `path` itself. */
export function readHigherFiles(
  files: readonly string[],
  { path, ...options }: PolicyReadOptions & { readonly path: string },
): readonly PolicyFileOnDisk[] {
  const others = files.filter((file) => resolve(options.cwd, file) !== path);
  const read = others.flatMap((file) => readPolicyFiles(file, options));
  return [...new Map(read.map((each) => [each.path, each])).values()];
}

/** The hash that `bridle trust` stores: of the contents of all files, regardless of their paths. */
export function contentHash(files: readonly Pick<PolicyFileOnDisk, 'hash'>[]): string {
  return sha256(JSON.stringify(files.map(({ hash }) => hash)));
}

interface ReadState {
  readonly options: PolicyReadOptions;
  readonly filesRead: Map<string, PolicyFileOnDisk>;
  /** The chain of files that extend this one. */
  readonly extendedBy: readonly string[];
  /** Creates an error at the place that names the file, if it cannot be read. */
  readonly unreadableError?: ((problem: string) => BridleError) | undefined;
}

function readWithExtended(path: string, { options, filesRead, extendedBy, unreadableError }: ReadState): void {
  const read = readOneFile(path, options, unreadableError);
  for (const { text, at } of read.policyFile.extends) {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text))
      throw fileError(read.policyFile, at, `extends ${quoteText(text)}, which is a URL; only files can be extended`);
    const extended = extendedPath(path, text);
    const chain = [...extendedBy, path];
    if (chain.includes(extended))
      throw fileError(read.policyFile, at, `extends ${quoteText(text)}, which extends this file`);
    if (filesRead.size + chain.length >= maxFiles)
      throw fileError(read.policyFile, at, `more than ${maxFiles} files in one policy`);
    const unreadableErrorHere = (problem: string): BridleError =>
      fileError(read.policyFile, at, `extends ${quoteText(text)}, which cannot be read: ${problem}`);
    if (!filesRead.has(extended))
      readWithExtended(extended, { options, filesRead, extendedBy: chain, unreadableError: unreadableErrorHere });
  }
  filesRead.set(path, read);
}

function readOneFile(
  path: string,
  { cwd, cache }: PolicyReadOptions,
  unreadableError: ReadState['unreadableError'],
): PolicyFileOnDisk {
  const displayPath = displayPathOf(path, cwd);
  const { text, stamp } = readText(path, displayPath, unreadableError);
  const known = cache?.get(cacheKey(displayPath, text));
  return {
    path,
    text,
    stamp,
    policyFile: known ?? parsePolicyFile(text, displayPath),
    cached: known !== undefined,
    // Loading the crypto module takes longer than everything else about a small policy.
    get hash() {
      return sha256(text);
    },
  };
}

function readText(path: string, displayPath: string, unreadableError: ReadState['unreadableError']): PolicyText {
  try {
    return readPolicyText(path, displayPath);
  } catch (error) {
    throw unreadableError === undefined ? error : unreadableError(messageOf(error));
  }
}

export function keepInCache({ text, policyFile, cached }: PolicyFileOnDisk, cache: PolicyFileCache | undefined): void {
  if (!cached) cache?.set(cacheKey(policyFile.file, text), withSyntaxTrees(policyFile));
}

/** Parsing conditions is most of the startup time, so the cache keeps their syntax trees. */
function withSyntaxTrees(policyFile: PolicyFile): PolicyFile {
  const rules = policyFile.rules.map((rule) => {
    const { when } = rule;
    const parsed = when === undefined ? undefined : parseCondition(when.text);
    if (when === undefined || parsed === undefined || parsed.problem !== undefined) return rule;
    return { ...rule, when: { ...when, tree: treeToJson(parsed.ast) } };
  });
  return { ...policyFile, rules };
}

function cacheKey(displayPath: string, text: string): string {
  return `${displayPath}\n${text}`;
}

function extendedPath(path: string, text: string): string {
  return text.startsWith('~/') ? resolve(homeFolder(), text.slice(2)) : resolve(dirname(path), text);
}

function displayPathOf(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? path : inside;
}

function quoteText(text: string): string {
  return JSON.stringify(cutText(text, 200));
}

function fileError({ file }: PolicyFile, { line, column }: FilePosition, problem: string): BridleError {
  return new BridleError('POLICY_FILE', `${file}:${line}:${column}: ${problem}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
