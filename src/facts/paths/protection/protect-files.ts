/**
 * Rules that protect the files that control the agent: its policy and its state (D11). Put them in a layer of their
 * own, so that no allow rule is evaluated before them.
 *
 * Two gaps remain, which file permissions close: the rules do not see what a program or script does internally, and of
 * a word that is not literal they compare only the known end, so they miss a link that it may name.
 */

import { posix } from 'node:path';
import type { Finding, ToolCall } from '../../../kernel/call.ts';
import { BridleError } from '../../../kernel/errors.ts';
import { lazy } from '../../../kernel/lazy.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import type { TouchedFiles, TouchedFile } from '../touched-files/touched-files.ts';
import { type ProtectedEntry, ProtectedPlaces, type ProtectedFile } from '../disk/protected-places.ts';
import { doubtText, unknownPathText, refusalText } from './protection-reasons.ts';
import { quote } from '../resolve/quote.ts';
import { filesOfCall } from '../touched-files/files-of-call.ts';
import type { PathLocation } from '../resolve/path-location.ts';

export type { ProtectedFile };

/** A rule returned by {@link protectFiles}. */
export interface ProtectionRule {
  readonly type: 'rule';
  readonly effect: 'forbid' | 'ask';
  readonly target: { readonly type: 'all' };
  readonly name: string;
  readonly fingerprint: string;
  readonly unanswerable?: string | undefined;
  readonly check: (call: ToolCall, tool: ToolDeclaration) => Finding;
  readonly concerns: (tool: ToolDeclaration) => boolean;
}

/** Forbids calls that write the files, whether the files exist or not, and asks if Bridle can't tell. */
export function protectFiles(files: () => readonly ProtectedFile[]): readonly ProtectionRule[] {
  const guards = cacheProtected(files);
  const base = { type: 'rule', target: { type: 'all' }, concerns, fingerprint: 'protected files' } as const;
  const forbids: ProtectionRule = {
    ...base,
    effect: 'forbid',
    name: 'protected_files',
    check: (call, tool) => {
      const found = filesOfCall(call, tool);
      return finding(found.parts.length === 0 ? undefined : firstReason(found, guards(), refusal));
    },
  };
  const asks: ProtectionRule = {
    ...base,
    effect: 'ask',
    name: 'protected_files_unsure',
    unanswerable: 'There is nobody to ask. A person can run it outside of the session.',
    check: (call, tool) => {
      const found = filesOfCall(call, tool);
      const kept = guards();
      return finding(firstReason(found, kept, doubt) ?? doubtAboutUnlisted(found, kept));
    },
  };
  return [Object.freeze(forbids), Object.freeze(asks)];
}

/** Built when a call first touches something to compare with. */
interface ProtectedSets {
  readonly written: () => ProtectedPlaces;
  readonly secret: () => ProtectedPlaces;
  readonly hasSecrets: boolean;
}

/** Only forbidden calls and outside changes can move these files, so refreshing twice a second is enough. */
const cacheMs = 500;

function cacheProtected(files: () => readonly ProtectedFile[]): () => ProtectedSets {
  let latest:
    | { readonly given: readonly ProtectedFile[]; readonly at: number; readonly guards: ProtectedSets }
    | undefined;
  return () => {
    const given = files();
    const now = performance.now();
    if (latest?.given === given && now - latest.at < cacheMs) return latest.guards;
    const all = given.map((file) => (typeof file === 'string' ? { path: file } : file));
    const secret = all.filter((file) => 'secret' in file && file.secret === true);
    const guards = {
      written: protectedPlacesOf(all),
      secret: protectedPlacesOf(secret),
      hasSecrets: secret.length > 0,
    };
    latest = { given, at: now, guards };
    return guards;
  };
}

/** Throws if the list is unusable. That denies the call, because nothing would be protected. */
function protectedPlacesOf(files: readonly ProtectedEntry[]): () => ProtectedPlaces {
  const wrong = files.find(({ path }) => typeof path !== 'string' || !posix.isAbsolute(path));
  if (wrong !== undefined) throw new BridleError('OPTION_INVALID', 'A protected file is not an absolute path.');
  return lazy(() => new ProtectedPlaces(files));
}

function concerns({ paths = [], commands = [], touches = {} }: ToolDeclaration): boolean {
  return paths.length + commands.length + (touches.bash ?? []).length > 0;
}

const nothing: Finding = Object.freeze({ matched: false });

function finding(reason: string | undefined): Finding {
  return reason === undefined ? nothing : { matched: true, reason };
}

/** Reads are checked only if some files are secret. */
function firstReason(
  found: TouchedFiles,
  guards: ProtectedSets,
  problem: (file: TouchedFile, guards: ProtectedSets) => string | undefined,
): string | undefined {
  for (const file of guards.hasSecrets ? found.files : found.withMode('write')) {
    const reason = problem(file, guards);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Checks what is not in the list of files. */
function doubtAboutUnlisted(found: TouchedFiles, { written, hasSecrets }: ProtectedSets): string | undefined {
  for (const text of found.said) {
    const named = written().mentionedIn(text);
    if (named !== undefined) return doubtText(`its code or words mention ${quote(named)}`);
  }
  const isMissing = found.unknown !== undefined && (hasSecrets || !found.missingIsRead);
  return isMissing ? doubtText(found.unknown, found.missingIsRead ? 'read' : 'write') : undefined;
}

function protectedFor({ mode }: TouchedFile, { written, secret }: ProtectedSets): ProtectedPlaces {
  return mode === 'read' ? secret() : written();
}

function refusal(file: TouchedFile, guards: ProtectedSets): string | undefined {
  if (file.guessed === true || file.looked === true) return undefined;
  const guard = protectedFor(file, guards);
  const hits = file.places.filter((place) => touchesProtected(place, file, guard));
  const [hit] = hits;
  // If the line may run in several folders, a write is asked about; a read of a secret is always refused.
  const isCertain = hits.length === file.places.length && file.perhaps !== true;
  return hit !== undefined && (isCertain || file.mode === 'read') ? refusalText(file, hit, guard) : undefined;
}

function touchesProtected(place: PathLocation, file: TouchedFile, guard: ProtectedPlaces): boolean {
  const relation = guard.relation(place);
  return relation === 'at' || (relation === 'above' && (isChangedWhole(file) || isSearched(file, place, guard)));
}

/** True if files in a folder are read, including those selected by name, because keys can have any name. */
function isSearched({ mode, reach }: TouchedFile, place: PathLocation, guard: ProtectedPlaces): boolean {
  if (mode !== 'read') return false;
  if (reach === 'visible') return guard.containsVisible(place);
  return reach === 'tree' || reach === 'walked' || reach === 'unignored';
}

/** True if a folder is deleted, moved or changed as a whole. */
function isChangedWhole({ reach, origin, mode, linked, filters }: TouchedFile): boolean {
  const isTree = reach === 'tree' && linked !== true && filters === undefined;
  return isTree || (reach === undefined && origin === 'argument' && mode === 'write');
}

/**
 * Ignores what a program does in its folder by default, unless that is its purpose: unpacking, patching, restoring or
 * cleaning up.
 */
function doubt(file: TouchedFile, guards: ProtectedSets): string | undefined {
  if (file.looked === true || (file.origin === 'implied' && file.unnamed === undefined)) return undefined;
  const guard = protectedFor(file, guards);
  const untold = file.places.find(({ checked }) => checked === undefined);
  if (untold !== undefined) return guard.isEmpty ? undefined : doubtText(untold.why, file.mode);
  // What an unknown program does in a folder is not visible in the line. What the line says about the file is.
  const isOther =
    (file.reach === 'picked' && file.unnamed === undefined) || (file.mode === 'either' && file.origin === 'line');
  const isAt = file.guessed === true && file.places.some((place) => guard.relation(place) === 'at');
  const named = isOther ? guard.mentionedIn(file.shown) : isAt ? file.shown : undefined;
  if (named !== undefined) return doubtText(`${file.shown} mentions ${quote(named)}`);
  // If the line may run in several folders, one of them is enough to ask.
  const possible = file.places.find((place) => touchesProtected(place, file, guard));
  const isWide = file.reach !== 'itself' && !isOther;
  const above = isWide ? file.places.find((place) => guard.relation(place) === 'above') : undefined;
  const isOpen = file.places.length === 0 && guard.mayEndWith(file.ends);
  const hit = possible ?? above;
  return hit !== undefined || isOpen ? unknownPathText(file, hit && guard.protectedFileAt(hit)) : undefined;
}
