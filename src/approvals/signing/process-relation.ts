/**
 * Where an answer comes from, seen from who asked: a run does not answer itself, nor does anything it has started (Q06).
 * That holds off whoever uses the ways an agent has. A program that runs under the same user and reads a key that has no
 * passphrase needs none of them.
 */

import type { ProcessIdentity, ProcessOrigin } from './approval-record.ts';
import { processIdentity, processTree, type ProcessEntry } from './process-tree.ts';

/** `inside`: started by who asked. `unsure`: that cannot be ruled out. */
export type ProcessRelation =
  | { readonly type: 'apart' }
  | { readonly type: 'inside'; readonly why: string }
  | { readonly type: 'unsure'; readonly why: string };

/** The namespace of processes that every other one lies in. */
const rootPidNamespace = 'pid:[4026531836]';

/** What takes over processes whose parent has ended, so that being below it says nothing about who started them. */
const orphanReapers =
  /^(systemd|init|launchd|tini|tini-static|dumb-init|docker-init|catatonit|s6-svscan|runsvdir|supervisord)$/;

/** Where an answer was given, by what was signed with it. */
export function answerRelation(origin: ProcessOrigin, asker: ProcessIdentity): ProcessRelation {
  if (!sameRealm(origin, asker)) return { type: 'apart' };
  const all = [origin, ...origin.parents];
  return all.some((each) => isSameProcess(each, asker)) ? inside(asker) : { type: 'apart' };
}

/** Where this process stands, looked at more closely: also what came here in a roundabout way. */
export function relationToAsker(asker: ProcessIdentity): ProcessRelation {
  return judgeRelation({ own: processIdentity(), tree: processTree() }, asker);
}

export interface AnsweringProcess {
  readonly own: ProcessIdentity;
  /** The process itself first. */
  readonly tree: readonly ProcessEntry[];
}

export function judgeRelation({ own, tree }: AnsweringProcess, asker: ProcessIdentity): ProcessRelation {
  const [[boot, space], [askerBoot, askerSpace]] = [own.realm.split('/'), asker.realm.split('/')];
  if (boot !== askerBoot) return { type: 'apart' };
  if (space !== askerSpace) {
    // Nothing gets out of a namespace, but whatever is in one may have been started from outside.
    return space === rootPidNamespace ? { type: 'apart' } : unsure('it is asked from outside of this container');
  }
  if (tree.some((each) => isSameProcess(each, asker))) return inside(asker);
  const last = tree.at(-1);
  if (last === undefined || asker.started === '') return unsure('the system does not tell who started this process');
  const orphan = tree.find((each, at) => isLater(each, asker) && isOrphan(each, tree[at + 1]));
  if (orphan === undefined) return { type: 'apart' };
  return unsure(`process ${orphan.pid} (${orphan.name}) began after the run, and who started it has ended`);
}

/** Who has no parent at all came from outside. */
function isOrphan({ parent }: ProcessEntry, above: ProcessEntry | undefined): boolean {
  if (parent === 0) return false;
  return above === undefined || above.pid === 1 || orphanReapers.test(above.name);
}

function isLater({ started }: ProcessEntry, asker: ProcessIdentity): boolean {
  return !(Number(started) < Number(asker.started));
}

function isSameProcess(one: Pick<ProcessIdentity, 'pid' | 'started'>, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.started === other.started;
}

function sameRealm(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.realm === other.realm;
}

function inside({ pid }: ProcessIdentity): ProcessRelation {
  return { type: 'inside', why: `it is given by the process that asks (${pid}), or by one it has started` };
}

function unsure(why: string): ProcessRelation {
  return { type: 'unsure', why };
}
