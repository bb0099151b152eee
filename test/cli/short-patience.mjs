/** `bridle chat` whose questions expire after a second. */

import { chat } from '../../dist/cli/chat/chat-command.js';
import { readSettings } from '../../dist/cli/chat/chat-settings.js';

const { stdin, stdout, stderr, env } = process;
const settings = { ...readSettings({}, { version: '0', env }), askTimeoutMs: 1000 };
process.exitCode = await chat(settings, { stdin, stdout, stderr });
