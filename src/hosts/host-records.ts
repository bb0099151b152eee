/** Chooses the record of a host by its version. */

import type { Host, HostRecord } from './host.ts';

/** The record of this version; for a version that was not measured, the newest one with the strictest behaviour. */
export function recordFor({ records }: Host, version: string | undefined): HostRecord {
  const measured = version === undefined ? undefined : records.find((record) => isMeasured(record, version));
  return measured ?? strictest(records);
}

export function isMeasured({ versions }: HostRecord, version: string): boolean {
  return compareVersions(versions.from, version) <= 0 && compareVersions(version, versions.to) <= 0;
}

/** Nothing is known about the prompt of this version, so Bridle asks through the store. */
function strictest(records: readonly HostRecord[]): HostRecord {
  const [newest] = records as readonly [HostRecord];
  return newest.ask === 'store' ? newest : { ...newest, ask: 'store', unmeasuredPrompt: true };
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
