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
import { isUtf8 } from 'node:buffer';
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { isUtf16 } from '../../files/line-reader.ts';

/** Policy files that were parsed and checked before, by name and full text. `get` must return what `set` was given. */
export interface PolicyFileCache {
  readonly get: (key: string) => PolicyFile | undefined;
  readonly set: (key: string, policyFile: PolicyFile) => void;
}

/** A module that a policy file names in `hooks`. */
export interface HookModuleOnDisk {
  /** Absolute. */
  readonly path: string;
  /** The path as messages show it. */
  readonly file: string;
  readonly text: string;
  /** The file's stamp from before it was read. */
  readonly stamp: string;
}

export interface PolicyFileOnDisk {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  /** The file's stamp from before it was read. */
  readonly stamp: string;
  /** Hash of the text and of its hook modules, computed on first use. */
  readonly hash: string;
  readonly policyFile: PolicyFile;
  readonly hooks: readonly HookModuleOnDisk[];
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

/** Every file that the policies consist of: the policy files and their hook modules. */
export function partsOf(files: readonly PolicyFileOnDisk[]): readonly (PolicyFileOnDisk | HookModuleOnDisk)[] {
  return files.flatMap((file) => [file, ...file.hooks]);
}

/** Hash of the contents of the hook modules; undefined if there are none. */
export function hooksHash(files: readonly Pick<PolicyFileOnDisk, 'hooks'>[]): string | undefined {
  const modules = files.flatMap(({ hooks }) => hooks);
  return modules.length === 0 ? undefined : sha256(JSON.stringify(modules.map(({ text }) => sha256(text))));
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
  const { text, stamp } = readText(path, { displayPath, kind: 'policy file' }, unreadableError);
  const known = cache?.get(cacheKey(displayPath, text));
  const policyFile = known ?? parsePolicyFile(text, displayPath);
  const hooks = readHookModules(path, policyFile, cwd);
  return {
    path,
    text,
    stamp,
    policyFile,
    hooks,
    cached: known !== undefined,
    // Loading the crypto module takes longer than everything else about a small policy.
    get hash() {
      return hooks.length === 0 ? sha256(text) : sha256(JSON.stringify([sha256(text), hooksHash([{ hooks }])]));
    },
  };
}

function readText(path: string, source: TextSource, unreadableError: ReadState['unreadableError']): PolicyText {
  try {
    return readPolicyText(path, source);
  } catch (error) {
    throw unreadableError === undefined ? error : unreadableError(messageOf(error));
  }
}

/** Reads the text only. The code that runs later is exactly this text, and so is the text that is trusted. */
function readHookModules(path: string, policyFile: PolicyFile, cwd: string): readonly HookModuleOnDisk[] {
  return (policyFile.hooks ?? []).map(({ text: named, at }) => {
    const module = extendedPath(path, named);
    const file = displayPathOf(module, cwd);
    const unreadableError = (problem: string): BridleError =>
      fileError(policyFile, at, `the hook module ${quoteText(named)} cannot be read: ${problem}`);
    return { path: module, file, ...readText(module, { displayPath: file, kind: 'hook module' }, unreadableError) };
  });
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

/** Larger than any policy a person could review. */
const maxBytes = 1024 * 1024;

/** The text of a policy file, and the file's stamp from before it was read. */
interface PolicyText {
  readonly text: string;
  readonly stamp: string;
}

/** What is read, for messages. */
interface TextSource {
  readonly displayPath: string;
  readonly kind: 'policy file' | 'hook module';
}

/** Reads a regular UTF-8 file of limited size. */
function readPolicyText(file: string, { displayPath, kind }: TextSource): PolicyText {
  let handle: number | undefined;
  try {
    // If the path is a pipe, opening it must not block.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = checkFile(handle, { displayPath, kind });
    const buffer = Buffer.alloc(Number(stats.size) + 1);
    const read = readSync(handle, buffer, 0, buffer.length, 0);
    return { text: decode(buffer.subarray(0, read), displayPath), stamp: stampOf(stats) };
  } catch (error) {
    if (error instanceof BridleError) throw error;
    throw new BridleError('POLICY_FILE', `The ${kind} ${displayPath} ${readErrorText(error)}.`, { cause: error });
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Messages of the operating system repeat the path, so they are replaced. */
function readErrorText(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'ENOTDIR') return 'does not exist, because its parent is not a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied';
  return `cannot be read: ${messageOf(error)}`;
}

function checkFile(handle: number, { displayPath, kind }: TextSource): BigIntStats {
  const stats = fstatSync(handle, { bigint: true });
  if (stats.isDirectory()) throw new BridleError('POLICY_FILE', `${displayPath} is a folder; name a ${kind}`);
  if (!stats.isFile()) throw new BridleError('POLICY_FILE', `${displayPath} is not a file`);
  if (stats.size > maxBytes)
    throw new BridleError('POLICY_FILE', `${displayPath} is larger than ${maxBytes} bytes, the limit for a ${kind}`);
  return stats;
}

function decode(bytes: Buffer, displayPath: string): string {
  if (isUtf16(bytes)) throw new BridleError('POLICY_FILE', `${displayPath} is UTF-16 text; save it as UTF-8`);
  if (!isUtf8(bytes)) throw new BridleError('POLICY_FILE', `${displayPath} is not UTF-8 text`);
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** The file's current stamp, which changes with its contents. */
export function stampAt(path: string): string {
  return stampOf(statSync(path, { bigint: true, throwIfNoEntry: false }));
}

function stampOf(stats: BigIntStats | undefined): string {
  return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
