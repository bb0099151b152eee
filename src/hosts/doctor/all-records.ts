/** The records of all hosts, for pages and reports. */

import { pointNames } from '../../kernel/hooks/points/points.ts';
import { claudeRecords } from '../claude/record.ts';
import { codexRecords } from '../codex/record.ts';
import { copilotRecords } from '../copilot/record.ts';
import { geminiRecords } from '../gemini/record.ts';
import { isMeasured } from '../host-records.ts';
import type { HostName, HostRecord } from '../host.ts';
import { opencodeRecords } from '../opencode/record.ts';

export const hostRecords: Readonly<Record<HostName, readonly HostRecord[]>> = {
  claude: claudeRecords,
  codex: codexRecords,
  gemini: geminiRecords,
  copilot: copilotRecords,
  opencode: opencodeRecords,
};

/** The record that describes a version; the newest one if this version was not measured. */
export function describedBy(host: HostName, version: string | undefined): { record: HostRecord; measured: boolean } {
  const records = hostRecords[host];
  const found = version === undefined ? undefined : records.find((record) => isMeasured(record, version));
  return { record: found ?? (records[0] as HostRecord), measured: found !== undefined };
}

/** Events about everything, not a point that a host could reach. */
const unrelated = ['onEvent'];

/** The points that no event of the host reaches. Hooks at them do not run in this host. */
export function pointsWithoutEvent({ points }: HostRecord): readonly string[] {
  return pointNames.filter((point) => points[point] === undefined && !unrelated.includes(point));
}
