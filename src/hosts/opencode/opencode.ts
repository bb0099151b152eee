/** opencode as a host of Bridle. */

import type { Host } from '../host.ts';
import { isOpencodePayload, readOpencodeEvent } from './read-event.ts';
import { opencodeRecords } from './record.ts';
import { refuseOpencodeEvent, renderOpencodeAnswer } from './render-answer.ts';

export const opencode: Host = {
  name: 'opencode',
  records: opencodeRecords,
  recognises: isOpencodePayload,
  read: readOpencodeEvent,
  render: renderOpencodeAnswer,
  refuse: refuseOpencodeEvent,
};
