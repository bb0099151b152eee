/** Codex as a host. */

import type { Host } from '../host.ts';
import { readCodexEvent, recognisesCodex } from './read-event.ts';
import { codexRecords } from './record.ts';
import { renderCodexAnswer } from './render-answer.ts';

export const codex: Host = {
  name: 'codex',
  records: codexRecords,
  recognises: recognisesCodex,
  read: readCodexEvent,
  render: renderCodexAnswer,
};
