/**
 * How the answering process relates to the asking one: a run must not answer itself, and neither must a process it
 * started (Q06). This stops an agent that uses its own tools to answer. It does not stop another program of the same
 * user that reads a key without a passphrase.
 */

import type { ProcessIdentity, ProcessOrigin } from './approval-record.ts';
import { processIdentity, processTree, type ProcessEntry } from './process-tree.ts';

/** `inside`: the asking process, or one it started. `unsure`: that cannot be ruled out. `apart`: unrelated. */
export type ProcessRelation =
  | { readonly type: 'apart' }
  | { readonly type: 'inside'; readonly why: string }
  | { readonly type: 'unsure'; readonly why: string };

/** The root PID namespace, which contains all others. */
const rootPidNamespace = 'pid:[4026531836]';

/** Programs that adopt orphans. A child of one of these may have been started by anyone. */
const orphanReapers =
  /^(systemd|init|launchd|tini|tini-static|dumb-init|docker-init|catatonit|s6-svscan|runsvdir|supervisord)$/;

/** The relation recorded in a signed answer. */
export function answerRelation(origin: ProcessOrigin, asker: ProcessIdentity): ProcessRelation {
  if (!sameRealm(origin, asker)) return { type: 'apart' };
  const all = [origin, ...origin.parents];
  return all.some((each) => isSameProcess(each, asker)) ? inside(asker) : { type: 'apart' };
}

/** The relation of this process to the asker. Also detects orphans that the asker may have started. */
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
    // A process cannot leave its PID namespace, but it may have been started from outside.
    return space === rootPidNamespace ? { type: 'apart' } : unsure('the question comes from outside this container');
  }
  if (tree.some((each) => isSameProcess(each, asker))) return inside(asker);
  const last = tree.at(-1);
  if (last === undefined || asker.started === '') return unsure('this system does not report who started this process');
  const orphan = tree.find((each, at) => isLater(each, asker) && isOrphan(each, tree[at + 1]));
  if (orphan === undefined) return { type: 'apart' };
  return unsure(`process ${orphan.pid} (${orphan.name}) started after the run, and its parent has exited`);
}

/** A process without any parent was started from outside the namespace. */
function isOrphan({ parent }: ProcessEntry, above: ProcessEntry | undefined): boolean {
  if (parent === 0) return false;
  return above === undefined || above.pid === 1 || orphanReapers.test(above.name);
}

function isLater({ started }: ProcessEntry, asker: ProcessIdentity): boolean {
  return !(Number(started) < Number(asker.started));
}

/** Within one realm. */
export function isSameProcess(one: Pick<ProcessIdentity, 'pid' | 'started'>, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.started === other.started;
}

function sameRealm(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.realm === other.realm;
}

function inside({ pid }: ProcessIdentity): ProcessRelation {
  return { type: 'inside', why: `it was given by the asking process (${pid}) or by one it started` };
}

function unsure(why: string): ProcessRelation {
  return { type: 'unsure', why };
}
