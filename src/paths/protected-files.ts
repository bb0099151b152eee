/**
 * Rules that keep an agent away from the files that hold it back: its policy, its state (D11). They belong in a layer of
 * their own, so that no allow rule stands before the question.
 *
 * What a program or a script does inside is not seen. Neither is a link that a word which is not literal may name: of
 * such a word only the end of its text is compared. Permissions of the file system close both gaps.
 */

import { posix } from 'node:path';
import type { Finding, ToolCall } from '../call.ts';
import { BridleError } from '../errors.ts';
import { lazy } from '../lazy.ts';
import type { ToolDeclaration } from '../tool.ts';
import type { FoundFiles, TouchedFile } from './found-files.ts';
import { type GuardedFile, GuardedPlaces, type ProtectedFile } from './guarded-places.ts';
import { doubtText, openText, refusalText } from './protection-reasons.ts';
import { quote } from './quote.ts';
import { touchedFiles } from './touched-files.ts';
import type { TouchedPlace } from './touched-place.ts';

export type { ProtectedFile };

/** A rule of {@link protectFiles}. */
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

/** Forbids calls that write the files, whether they exist or not, and asks where that cannot be told. */
export function protectFiles(files: () => readonly ProtectedFile[]): readonly ProtectionRule[] {
  const guards = watch(files);
  const base = { type: 'rule', target: { type: 'all' }, concerns, fingerprint: 'protected files' } as const;
  const forbids: ProtectionRule = {
    ...base,
    effect: 'forbid',
    name: 'protected_files',
    check: (call, tool) => {
      const found = touchedFiles(call, tool);
      return finding(found.parts.length === 0 ? undefined : firstOf(found, guards(), refusal));
    },
  };
  const asks: ProtectionRule = {
    ...base,
    effect: 'ask',
    name: 'protected_files_unsure',
    unanswerable: 'There is nobody to ask. A person can run it outside of the session.',
    check: (call, tool) => {
      const found = touchedFiles(call, tool);
      const kept = guards();
      return finding(firstOf(found, kept, doubt) ?? doubtBeyond(found, kept));
    },
  };
  return [Object.freeze(forbids), Object.freeze(asks)];
}

/** Looked up when a call touches something that they are compared with. */
interface Guards {
  readonly written: () => GuardedPlaces;
  readonly secret: () => GuardedPlaces;
  readonly hasSecrets: boolean;
}

/** Where they stand changes only by what is forbidden here, or from outside: looking twice a second is enough. */
const freshMs = 500;

function watch(files: () => readonly ProtectedFile[]): () => Guards {
  let latest: { readonly given: readonly ProtectedFile[]; readonly at: number; readonly guards: Guards } | undefined;
  return () => {
    const given = files();
    const now = performance.now();
    if (latest?.given === given && now - latest.at < freshMs) return latest.guards;
    const all = given.map((file) => (typeof file === 'string' ? { path: file } : file));
    const secret = all.filter((file) => 'secret' in file && file.secret === true);
    const guards = { written: placesOf(all), secret: placesOf(secret), hasSecrets: secret.length > 0 };
    latest = { given, at: now, guards };
    return guards;
  };
}

/** A throw denies: with a list that cannot be used, nothing is safe. */
function placesOf(files: readonly GuardedFile[]): () => GuardedPlaces {
  const wrong = files.find(({ path }) => typeof path !== 'string' || !posix.isAbsolute(path));
  if (wrong !== undefined) throw new BridleError('OPTION_INVALID', 'A protected file is not an absolute path.');
  return lazy(() => new GuardedPlaces(files));
}

function concerns({ paths = [], commands = [], touches = {} }: ToolDeclaration): boolean {
  return paths.length + commands.length + (touches.bash ?? []).length > 0;
}

const nothing: Finding = Object.freeze({ matched: false });

function finding(reason: string | undefined): Finding {
  return reason === undefined ? nothing : { matched: true, reason };
}

/** What is only read is looked up only if something is secret. */
function firstOf(
  found: FoundFiles,
  guards: Guards,
  problem: (file: TouchedFile, guards: Guards) => string | undefined,
): string | undefined {
  for (const file of guards.hasSecrets ? found.files : found.of('write')) {
    const reason = problem(file, guards);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Of what is not among the files. */
function doubtBeyond(found: FoundFiles, { written, hasSecrets }: Guards): string | undefined {
  for (const text of found.said) {
    const named = written().namedIn(text);
    if (named !== undefined) return doubtText(`its code or words name ${quote(named)}`);
  }
  const isMissing = found.unknown !== undefined && (hasSecrets || !found.missingIsRead);
  return isMissing ? doubtText(found.unknown, found.missingIsRead ? 'read' : 'write') : undefined;
}

function guardFor({ mode }: TouchedFile, { written, secret }: Guards): GuardedPlaces {
  return mode === 'read' ? secret() : written();
}

function refusal(file: TouchedFile, guards: Guards): string | undefined {
  if (file.guessed === true || file.looked === true) return undefined;
  const guard = guardFor(file, guards);
  const hits = file.places.filter((place) => isHitAt(place, file, guard));
  const [hit] = hits;
  // Where the line may be in several folders, a write is asked about, but nobody asks about a secret.
  const isCertain = hits.length === file.places.length && file.perhaps !== true;
  return hit !== undefined && (isCertain || file.mode === 'read') ? refusalText(file, hit, guard) : undefined;
}

function isHitAt(place: TouchedPlace, file: TouchedFile, guard: GuardedPlaces): boolean {
  const relation = guard.relation(place);
  return relation === 'at' || (relation === 'above' && (isWhole(file) || isSearched(file, place, guard)));
}

/** A folder whose files are read, those that are taken by their names as well: nobody can tell what a key is called. */
function isSearched({ mode, reach }: TouchedFile, place: TouchedPlace, guard: GuardedPlaces): boolean {
  if (mode !== 'read') return false;
  if (reach === 'visible') return guard.showsOne(place);
  return reach === 'tree' || reach === 'walked' || reach === 'unignored';
}

/** A folder that is deleted, moved or changed as a whole. */
function isWhole({ reach, origin, mode, linked, filters }: TouchedFile): boolean {
  const isTree = reach === 'tree' && linked !== true && filters === undefined;
  return isTree || (reach === undefined && origin === 'argument' && mode === 'write');
}

/**
 * What a program does in its folder without being told is as little seen as anything else it does, unless it is what the
 * program is for: it unpacks, patches, restores or cleans up.
 */
function doubt(file: TouchedFile, guards: Guards): string | undefined {
  if (file.looked === true || (file.origin === 'implied' && file.unnamed === undefined)) return undefined;
  const guard = guardFor(file, guards);
  const untold = file.places.find(({ checked }) => checked === undefined);
  if (untold !== undefined) return guard.isEmpty ? undefined : doubtText(untold.why, file.mode);
  // What a program nobody knows does in a folder it does inside; but not what it is told about the file.
  const isOther =
    (file.reach === 'picked' && file.unnamed === undefined) || (file.mode === 'either' && file.origin === 'line');
  const isAt = file.guessed === true && file.places.some((place) => guard.relation(place) === 'at');
  const named = isOther ? guard.namedIn(file.shown) : isAt ? file.shown : undefined;
  if (named !== undefined) return doubtText(`${file.shown} names ${quote(named)}`);
  // If the line may be in several folders, some of them are enough for a question.
  const possible = file.places.find((place) => isHitAt(place, file, guard));
  const isWide = file.reach !== 'itself' && !isOther;
  const above = isWide ? file.places.find((place) => guard.relation(place) === 'above') : undefined;
  const isOpen = file.places.length === 0 && guard.couldEnd(file.ends);
  const hit = possible ?? above;
  return hit !== undefined || isOpen ? openText(file, hit && guard.hit(hit)) : undefined;
}
