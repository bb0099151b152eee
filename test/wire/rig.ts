/** An agent with two small tools, a real provider client, a local server, and a record of the traffic. */

import { LLMock } from '@copilotkit/aimock';
import { afterEach } from 'vitest';
import { z } from 'zod';
import { allowAll, type BridleEvent, type Clock } from 'bridle';
import { type Agent, type AgentOptions, createAgent } from 'bridle/agent';
import { defineTool } from 'bridle/tools';
import { rawServer, type Answer, type RawServer } from './raw-server.ts';
import type { Json, Sent, Wire } from './wires.ts';

const open: (() => Promise<unknown>)[] = [];

/** Real time, with timers fine enough for waits of a millisecond. */
const fineClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  every: (ms, tick) => {
    const timer = setInterval(tick, Math.min(ms, 2));
    return () => clearInterval(timer);
  },
};

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

export interface WireRig {
  readonly agent: Agent;
  /** The tool calls that ran. */
  readonly executed: string[];
  readonly events: BridleEvent[];
  /** The requests that the provider received. */
  readonly requests: () => readonly Sent[];
  readonly bodies: readonly Json[];
}

/** A started agent that reaches its model over `wire`. */
export async function onWire(wire: Wire, url: string, options: Partial<AgentOptions> = {}): Promise<WireRig> {
  const bodies: Json[] = [];
  const rig = await agentWith({ model: wire.model(url, bodies), settings: wire.settings, ...options });
  return { ...rig, bodies, requests: () => bodies.map((body) => wire.read(body)) };
}

export async function agentWith(options: AgentOptions): Promise<Pick<WireRig, 'agent' | 'executed' | 'events'>> {
  const executed: string[] = [];
  const events: BridleEvent[] = [];
  const agent = createAgent({
    tools: [adder(executed), shouter(executed)],
    capabilities: { enabledTools: ['add', 'shout'] },
    policy: allowAll(),
    retries: 2,
    clock: fineClock,
    ...options,
    hooks: [{ name: 'wire-events', onEvent: (event) => void events.push(event) }, ...(options.hooks ?? [])],
  });
  await agent.start();
  open.push(() => agent.stop());
  return { agent, executed, events };
}

export async function mocked(prepare: (mock: LLMock) => void): Promise<string> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  prepare(mock);
  await mock.start();
  open.push(() => mock.stop());
  return mock.url;
}

export async function answering(...answers: readonly Answer[]): Promise<RawServer> {
  const server = await rawServer(...answers);
  open.push(() => server.close());
  return server;
}

/** Usage in the format of every provider. */
export function usage(input: number, output: number): Record<string, number> {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    input_tokens: input,
    output_tokens: output,
    promptTokenCount: input,
    candidatesTokenCount: output,
  };
}

/** Waits until a condition is true; fails after a few seconds. */
export async function until(so: () => boolean): Promise<void> {
  for (let tries = 0; !so(); tries++) {
    if (tries > 2500) throw new RangeError(`It never came to this: ${String(so)}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}

export function eventsOf<T extends BridleEvent['type']>(
  events: readonly BridleEvent[],
  type: T,
): readonly Extract<BridleEvent, { type: T }>[] {
  return events.filter((event): event is Extract<BridleEvent, { type: T }> => event.type === type);
}

function adder(executed: string[]) {
  return defineTool({
    name: 'add',
    description: 'Adds two numbers.',
    tier: 'observe',
    schema: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }) => {
      executed.push(`${a}+${b}`);
      return a + b;
    },
  });
}

function shouter(executed: string[]) {
  return defineTool({
    name: 'shout',
    description: 'Says it louder.',
    schema: z.object({ text: z.string() }),
    run: ({ text }) => {
      executed.push(text);
      return text.toUpperCase();
    },
  });
}
