/**
 * A tiny agent in its own process, as an example of any CLI or remote agent. It reads JSON lines from stdin, asks its host
 * to run tools, and writes its answer in pieces. It has no tools.
 */

import { createInterface } from 'node:readline';

interface Incoming {
  readonly type: 'prompt' | 'result';
  readonly text: string;
  readonly tools?: readonly string[];
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const incoming = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function next(): Promise<Incoming | undefined> {
  const { done, value } = await incoming.next();
  return done === true ? undefined : (JSON.parse(value) as Incoming);
}

async function runTool(tool: string, args: object): Promise<string> {
  send({ type: 'call', tool, args });
  return (await next())?.text ?? '';
}

for (let prompt = await next(); prompt !== undefined; prompt = await next()) {
  send({ type: 'text', text: `Tools: ${prompt.tools?.join(', ')}. ` });
  const weather = await runTool('weather', { city: prompt.text });
  send({ type: 'text', text: `${weather} ` });
  send({ type: 'text', text: await runTool('wipe_disk', { disk: 'all' }) });
  send({ type: 'done' });
}
