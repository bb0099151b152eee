/** Connects with the built package, calls once, closes, and must then end by itself: nothing else ends it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { connectServer } from '../../dist/mcp/connect-server.js';
import { openPins } from '../../dist/mcp/pins/pins.js';

// The program's own pipes are handles too, from when they are first used.
process.stdout.write('');
process.stderr.write('');
const before = process.getActiveResourcesInfo();
const config = JSON.parse(process.argv[2]);
const toSchema = () => ({ '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } });
const connection = await connectServer(config, { pins: openPins(), toSchema });
const result = await connection.call('echo', { message: 'hello' });
await connection.close();
// A closed handle is still listed for a turn or two.
await sleep(50);
const handles = process.getActiveResourcesInfo();
for (const handle of before) if (handles.includes(handle)) handles.splice(handles.indexOf(handle), 1);
process.stdout.write(JSON.stringify({ result, handles }));
