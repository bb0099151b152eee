/** Gemini CLI as a host of Bridle. */

import type { Host } from '../host.ts';
import { isGeminiPayload, readGeminiEvent } from './read-event.ts';
import { geminiRecords } from './record.ts';
import { renderGeminiAnswer } from './render-answer.ts';

export const gemini: Host = {
  name: 'gemini',
  records: geminiRecords,
  recognises: isGeminiPayload,
  read: readGeminiEvent,
  render: renderGeminiAnswer,
};
