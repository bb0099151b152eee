/** `bridle chat --model <name>` whose questions expire after a second. */

import { chat } from '../../dist/cli/chat/chat-command.js';
import { readSettings } from '../../dist/cli/chat/chat-settings.js';

const { stdin, stdout, stderr, env } = process;
const [, , , , model] = process.argv;
const settings = { ...readSettings({ model }, { version: '0', env }), askTimeoutMs: 1000 };
process.exitCode = await chat(settings, { stdin, stdout, stderr });
