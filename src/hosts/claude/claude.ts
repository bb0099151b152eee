/** Claude Code as a host. */

import type { Host } from '../host.ts';
import { readClaudeEvent, recognisesClaude } from './read-event.ts';
import { claudeRecords } from './record.ts';
import { keepSettings, settingsProblem } from './settings-change.ts';
import { renderClaudeAnswer } from './render-answer.ts';

export const claude: Host = {
  name: 'claude',
  records: claudeRecords,
  recognises: recognisesClaude,
  read: readClaudeEvent,
  render: renderClaudeAnswer,
  settingsProblem,
  sessionStarts: keepSettings,
};
