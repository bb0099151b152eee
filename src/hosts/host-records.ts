/** Chooses the record of a host by its version, and builds answers from it. */

import type { HookAnswer, Host, HostRecord } from './host.ts';

/** The record of this version; for a version outside of every range, and for an unknown one, the strictest record. */
export function recordFor({ records }: Pick<Host, 'records'>, version: string | undefined): HostRecord {
  return (version === undefined ? undefined : recordOf(records, version)) ?? strictest(records);
}

export function recordOf(records: readonly HostRecord[], version: string): HostRecord | undefined {
  return records.find(
    ({ versions, usedBefore }) =>
      compareVersions(versions.from, version) <= 0 && compareVersions(version, usedBefore) < 0,
  );
}

export function isMeasured({ versions }: HostRecord, version: string): boolean {
  return compareVersions(versions.from, version) <= 0 && compareVersions(version, versions.to) <= 0;
}

/**
 * Nothing is known about this version, except that it refuses a call as all versions do: Bridle asks through the store,
 * changes no input, and claims nothing about commands.
 */
function strictest(records: readonly HostRecord[]): HostRecord {
  const newest = records[0] as HostRecord;
  const answers = { ...newest.answers, ask: 'runs', rewrite: 'runs', crash: 'runs', timeout: 'runs' } as const;
  const unmeasuredPrompt = newest.ask === 'prompt';
  return { ...newest, answers, ask: 'store', unmeasuredPrompt, shell: { ...newest.shell, isKnown: false } };
}

/** The answer, or the strictest one that the host can express instead. */
export function expressible(answer: HookAnswer, { answers, title }: HostRecord): HookAnswer {
  if (answer.type === 'ask' && answers.ask !== 'asks') return { type: 'deny', reason: answer.reason };
  if (answer.type !== 'rewrite' || answers.rewrite === 'rewrites') return answer;
  const reason = `Denied by Bridle: a hook changes this call, and it is not known whether this version of ${title} runs the changed call. See: npx bridle doctor`;
  return { type: 'deny', reason };
}

/** Compares dotted numbers: negative if `one` is older. Anything that is not a number counts as 0. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
