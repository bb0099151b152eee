/**
 * Rules that protect the files that control the agent: its policy and its state (D11). Put them in a layer of their
 * own, so that no allow rule is evaluated before them.
 *
 * Two gaps remain, which file permissions close: the rules do not see what a program or script does internally, and of
 * a word that is not literal they compare only the known end, so they miss a link that it may name.
 */

import { posix } from 'node:path';
import { type ProtectedEntry, type ProtectedFile, ProtectedPaths } from './protected-paths.ts';
import type { PathLocation } from '../resolve/path-location.ts';
import { quote } from '../resolve/path-refusal.ts';
import { filesOfCall } from '../touched-files/files-of-call.ts';
import type { TouchedFile, TouchedFiles } from '../touched-files/touched-files.ts';
import type { RuleCheckResult, ToolCall } from '../../../kernel/call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import { lazy } from '../../../kernel/lazy.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';

export type { ProtectedFile };

/** A rule returned by {@link protectFiles}. */
export interface ProtectionRule {
  readonly type: 'rule';
  readonly effect: 'forbid' | 'ask';
  readonly target: { readonly type: 'all' };
  readonly name: string;
  readonly fingerprint: string;
  readonly unanswerable?: string | undefined;
  readonly check: (call: ToolCall, tool: ToolDeclaration) => RuleCheckResult;
  readonly concerns: (tool: ToolDeclaration) => boolean;
}

/** Forbids calls that write the files, whether the files exist or not, and asks if Bridle can't tell. */
export function protectFiles(files: () => readonly ProtectedFile[]): readonly ProtectionRule[] {
  const protectedSets = cacheProtected(files);
  const base = { type: 'rule', target: { type: 'all' }, concerns, fingerprint: 'protected files' } as const;
  const forbids: ProtectionRule = {
    ...base,
    effect: 'forbid',
    name: 'protected_files',
    check: (call, tool) => {
      const found = filesOfCall(call, tool);
      return finding(found.parts.length === 0 ? undefined : firstReason(found, protectedSets(), refusal));
    },
  };
  const asks: ProtectionRule = {
    ...base,
    effect: 'ask',
    name: 'protected_files_unsure',
    unanswerable: 'There is nobody to ask. A person can run it outside of the session.',
    check: (call, tool) => {
      const found = filesOfCall(call, tool);
      const current = protectedSets();
      return finding(firstReason(found, current, doubt) ?? doubtAboutUnlisted(found, current));
    },
  };
  return [Object.freeze(forbids), Object.freeze(asks)];
}

/** Built when a call first touches something to compare with. */
interface ProtectedSets {
  readonly written: () => ProtectedPaths;
  readonly secret: () => ProtectedPaths;
  readonly hasSecrets: boolean;
}

/** Only forbidden calls and outside changes can move these files, so refreshing twice a second is enough. */
const cacheMs = 500;

function cacheProtected(files: () => readonly ProtectedFile[]): () => ProtectedSets {
  let latest:
    | { readonly given: readonly ProtectedFile[]; readonly at: number; readonly protectedSets: ProtectedSets }
    | undefined;
  return () => {
    const given = files();
    const now = performance.now();
    if (latest?.given === given && now - latest.at < cacheMs) return latest.protectedSets;
    const all = given.map((file) => (typeof file === 'string' ? { path: file } : file));
    const secret = all.filter((file) => 'secret' in file && file.secret === true);
    const protectedSets = {
      written: protectedPathsOf(all),
      secret: protectedPathsOf(secret),
      hasSecrets: secret.length > 0,
    };
    latest = { given, at: now, protectedSets };
    return protectedSets;
  };
}

/** Throws if the list is unusable. That denies the call, because nothing would be protected. */
function protectedPathsOf(files: readonly ProtectedEntry[]): () => ProtectedPaths {
  const wrong = files.find(({ path }) => typeof path !== 'string' || !posix.isAbsolute(path));
  if (wrong !== undefined) throw new BridleError('OPTION_INVALID', 'A protected file is not an absolute path.');
  return lazy(() => new ProtectedPaths(files));
}

function concerns({ paths = [], commands = [], touches = {} }: ToolDeclaration): boolean {
  return paths.length + commands.length + (touches.bash ?? []).length > 0;
}

const nothing: RuleCheckResult = Object.freeze({ matched: false });

function finding(reason: string | undefined): RuleCheckResult {
  return reason === undefined ? nothing : { matched: true, reason };
}

/** Reads are checked only if some files are secret. */
function firstReason(
  found: TouchedFiles,
  protectedSets: ProtectedSets,
  problem: (file: TouchedFile, protectedSets: ProtectedSets) => string | undefined,
): string | undefined {
  for (const file of protectedSets.hasSecrets ? found.files : found.withMode('write')) {
    const reason = problem(file, protectedSets);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Checks what is not in the list of files. */
function doubtAboutUnlisted(found: TouchedFiles, { written, hasSecrets }: ProtectedSets): string | undefined {
  for (const text of found.mentions) {
    const named = written().mentionedIn(text);
    if (named !== undefined) return doubtText(`its code or words mention ${quote(named)}`);
  }
  const isMissing = found.unknown !== undefined && (hasSecrets || !found.missingIsRead);
  return isMissing ? doubtText(found.unknown, found.missingIsRead ? 'read' : 'write') : undefined;
}

function protectedFor({ mode }: TouchedFile, { written, secret }: ProtectedSets): ProtectedPaths {
  return mode === 'read' ? secret() : written();
}

function refusal(file: TouchedFile, protectedSets: ProtectedSets): string | undefined {
  if (file.uncertain === true || file.metadataOnly === true) return undefined;
  const protectedPaths = protectedFor(file, protectedSets);
  const hits = file.locations.filter((location) => touchesProtected(location, file, protectedPaths));
  const [hit] = hits;
  // If the line may run in several folders, a write is asked about; a read of a secret is always refused.
  const isCertain = hits.length === file.locations.length && file.mayBeUntouched !== true;
  return hit !== undefined && (isCertain || file.mode === 'read') ? refusalText(file, hit, protectedPaths) : undefined;
}

function touchesProtected(location: PathLocation, file: TouchedFile, protectedPaths: ProtectedPaths): boolean {
  const relation = protectedPaths.relation(location);
  return (
    relation === 'at' || (relation === 'above' && (isChangedWhole(file) || isSearched(file, location, protectedPaths)))
  );
}

/** True if files in a folder are read, including those selected by name, because keys can have any name. */
function isSearched({ mode, reach }: TouchedFile, location: PathLocation, protectedPaths: ProtectedPaths): boolean {
  if (mode !== 'read') return false;
  if (reach === 'visible') return protectedPaths.containsVisible(location);
  return reach === 'tree' || reach === 'walked' || reach === 'unignored';
}

/** True if a folder is deleted, moved or changed as a whole. */
function isChangedWhole({ reach, origin, mode, linkOnly, filters }: TouchedFile): boolean {
  const isTree = reach === 'tree' && linkOnly !== true && filters === undefined;
  return isTree || (reach === undefined && origin === 'argument' && mode === 'write');
}

/**
 * Ignores what a program does in its folder by default, unless that is its purpose: unpacking, patching, restoring or
 * cleaning up.
 */
function doubt(file: TouchedFile, protectedSets: ProtectedSets): string | undefined {
  if (file.metadataOnly === true || (file.origin === 'implied' && file.unnamed === undefined)) return undefined;
  const protectedPaths = protectedFor(file, protectedSets);
  const unresolved = file.locations.find(({ checked }) => checked === undefined);
  if (unresolved !== undefined) return protectedPaths.isEmpty ? undefined : doubtText(unresolved.why, file.mode);
  // What an unknown program does in a folder is not visible in the line. What the line says about the file is.
  const isOther =
    (file.reach === 'picked' && file.unnamed === undefined) || (file.mode === 'either' && file.origin === 'line');
  const isAt = file.uncertain === true && file.locations.some((location) => protectedPaths.relation(location) === 'at');
  const named = isOther ? protectedPaths.mentionedIn(file.label) : isAt ? file.label : undefined;
  if (named !== undefined) return doubtText(`${file.label} mentions ${quote(named)}`);
  // If the line may run in several folders, one of them is enough to ask.
  const possible = file.locations.find((location) => touchesProtected(location, file, protectedPaths));
  const isWide = file.reach !== 'itself' && !isOther;
  const above = isWide ? file.locations.find((location) => protectedPaths.relation(location) === 'above') : undefined;
  const mayBeProtected = file.locations.length === 0 && protectedPaths.mayEndWith(file.pathEnd);
  const hit = possible ?? above;
  return hit !== undefined || mayBeProtected
    ? unknownPathText(file, hit && protectedPaths.protectedFileAt(hit))
    : undefined;
}

const controls = 'controls this session (policy, trust, store, keys, hooks or Bridle itself)';

/** Why a call is refused: names the file it touches and the protected file that this is, is inside of, or contains. */
function refusalText(file: TouchedFile, location: PathLocation, protectedPaths: ProtectedPaths): string {
  const { mode, origin } = file;
  const isArgument = origin === 'argument';
  // The label of an argument is its name.
  const label = isArgument ? quote(location.text) : file.label;
  const isRead = mode === 'read';
  const hit = quote(protectedPaths.protectedFileAt(location) ?? location.text);
  const why = isRead ? 'is kept secret from agents' : `${controls}, and only people may change it`;
  const does = isRead ? 'reads' : mode === 'write' ? 'writes' : 'may write';
  const isAbove = protectedPaths.relation(location) === 'above';
  const what = isAbove ? `This ${isRead ? 'reads' : 'changes'} what ${label} contains` : `This ${does} ${label}`;
  const isNamed = isArgument && !isAbove;
  return `${isNamed ? `This ${does} ${hit}, which` : `${what}: ${hit}`} ${why}. Leave it out, or ask a person to do it.`;
}

/** The question for the approver. */
function doubtText(why: string, mode: TouchedFile['mode'] = 'write'): string {
  const does = mode === 'read' ? 'reads a file that is kept secret' : `writes a file that ${controls}`;
  return `Bridle cannot tell whether this ${does}: ${why}.`;
}

/** The question about a file that may lead to a protected file, or to an unknown path. */
function unknownPathText({ label, mode }: TouchedFile, protectedFile: string | undefined): string {
  if (protectedFile !== undefined)
    return doubtText(`it works on ${label}, and may reach ${quote(protectedFile)}`, mode);
  const where = label === '""' ? 'the line does not name its files' : `the line does not show where ${label} leads`;
  return doubtText(where, mode);
}
