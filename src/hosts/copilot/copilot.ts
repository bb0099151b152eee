/** Copilot CLI as a host of Bridle. */

import type { Host } from '../host.ts';
import { isCopilotPayload, readCopilotEvent } from './read-event.ts';
import { copilotRecords } from './record.ts';
import { refuseCopilotEvent, renderCopilotAnswer } from './render-answer.ts';

export const copilot: Host = {
  name: 'copilot',
  records: copilotRecords,
  recognises: isCopilotPayload,
  read: readCopilotEvent,
  render: renderCopilotAnswer,
  refuse: refuseCopilotEvent,
};
