/** The records of all hosts, for pages and reports. */

import { pointNames } from '../../kernel/hooks/points/points.ts';
import { claudeRecords } from '../claude/record.ts';
import { codexRecords } from '../codex/record.ts';
import { copilotRecords } from '../copilot/record.ts';
import { geminiRecords } from '../gemini/record.ts';
import { isMeasured, recordOf } from '../host-records.ts';
import type { HostName, HostRecord } from '../host.ts';
import { opencodeRecords } from '../opencode/record.ts';

export const hostRecords: Readonly<Record<HostName, readonly HostRecord[]>> = {
  claude: claudeRecords,
  codex: codexRecords,
  gemini: geminiRecords,
  copilot: copilotRecords,
  opencode: opencodeRecords,
};

export interface RecordOfVersion {
  readonly record: HostRecord;
  /** False if no record is used for the version: Bridle then gives the strictest answers. */
  readonly measured: boolean;
  /** True if the version itself was measured, and not only an earlier one that has the same record. */
  readonly isExact: boolean;
}

/** The record that describes a version; the newest one if there is none for it. */
export function describedBy(host: HostName, version: string | undefined): RecordOfVersion {
  const records = hostRecords[host];
  const found = version === undefined ? undefined : recordOf(records, version);
  const isExact = found !== undefined && version !== undefined && isMeasured(found, version);
  return { record: found ?? (records[0] as HostRecord), measured: found !== undefined, isExact };
}

/** Events about everything, not a point that a host could reach. */
const unrelated = ['onEvent'];

/** The points that no event of the host reaches. Hooks at them do not run in this host. */
export function pointsWithoutEvent({ points }: HostRecord): readonly string[] {
  return pointNames.filter((point) => points[point] === undefined && !unrelated.includes(point));
}
