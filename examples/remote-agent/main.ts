/**
 * Another agent as the loop: a child process decides what to do, and Bridle decides what it may do. Its tool calls pass
 * the guard, its text passes `postLlmCall`, and both are in the turn's result and in the journal.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { allow, deny, postLlmCall, transform } from 'bridle';
import { type AgentLoop, type LoopHandles, type LoopStart, createAgent } from 'bridle/agent';
import { memoryJournal, scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';

type Outgoing =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'call'; readonly tool: string; readonly args: Record<string, string> }
  | { readonly type: 'done' };

class RemoteLoop implements AgentLoop {
  readonly name = 'remote';
  #child: ChildProcess | undefined;
  #lines: Interface | undefined;

  start({ cwd }: LoopStart): void {
    const script = import.meta.filename.replace('main.', 'remote-agent.');
    // An empty environment, so that the child does not get the host's keys.
    const child = spawn(process.execPath, [script], { cwd, env: {}, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    child.stdin?.end();
    await once(child, 'exit');
  }

  /** Streams the text of the remote agent as the answer of the turn. */
  async *run({ prompt, tools, call, emit, signal }: LoopHandles): AsyncGenerator<string> {
    const lines = this.#lines as Interface;
    const ended = new AbortController();
    lines.once('close', () => ended.abort(new Error('the remote agent has ended')));
    const incoming = on(lines, 'line', { signal: AbortSignal.any([signal, ended.signal]) });
    this.#send({ type: 'prompt', text: prompt.text, tools: tools.map(({ name }) => name) });
    let count = 0;
    // `on` was called before the prompt was sent, so no line is lost.
    for await (const [line] of incoming) {
      const message = JSON.parse(String(line)) as Outgoing;
      if (message.type === 'done') return;
      if (message.type === 'text') {
        yield message.text;
        continue;
      }
      emit('remote_call', { tool: message.tool });
      const [result] = await call([{ id: `remote-${++count}`, tool: message.tool, args: message.args }]);
      this.#send({ type: 'result', text: result?.text ?? '' });
    }
  }

  #send(message: object): void {
    this.#child?.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}

const journal = memoryJournal();
const agent = createAgent({
  loop: new RemoteLoop(),
  // The remote agent has its own model; this one is never called.
  model: scriptedModel([]),
  capabilities: 'none',
  tools: [
    defineTool<{ city: string }>({ name: 'weather', tier: 'observe', run: ({ city }) => `It rains in ${city}.` }),
    defineTool({ name: 'wipe_disk', run: () => 'wiped' }),
  ],
  policy: [allow('weather'), deny('wipe_disk', { reason: 'Wiping disks is not allowed.' })],
  hooks: [
    postLlmCall(function softer({ response }) {
      return transform({ ...response, text: response.text.replace('rains', 'drizzles') });
    }),
  ],
  journal,
});

await agent.start();
for (const city of ['Bergen', 'Oslo']) {
  const { text, toolCalls } = await agent.chat(city);
  console.log(text);
  for (const { tool, outcome, reason = '' } of toolCalls) console.log(`  ${tool}: ${outcome} ${reason}`.trimEnd());
}
await agent.stop();

console.log(agent.history.map(({ role }) => role).join(' > '));
const decided = journal.entries().filter((entry) => entry.kind === 'decided');
console.log(decided.map(({ tool, status }) => `${tool} ${status}`).join(', '));
