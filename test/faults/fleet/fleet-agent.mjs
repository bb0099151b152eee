/**
 * The options of an agent that logs every effect outside the store. What it does next follows from the conversation
 * alone, so any process can continue it.
 */

import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { allow, ask } from 'bridle';
import { scriptedModel } from 'bridle/testing';

/** A read, a change, an idempotent change, and a change that needs approval. */
const plan = ['look', 'charge', 'post', 'pay'];

/** `ledger`: the file; `slowMs`: how long a tool takes at most, half before and half after its effect. */
export function fleetAgent({ ledger, slowMs }) {
  const file = openSync(ledger, 'a', 0o600);
  const tool = (name, declared) => ({
    name,
    description: name,
    schema: { type: 'object', properties: { at: { type: 'number' } } },
    ...declared,
    run: async (_args, { call, idempotencyKey: key }) => {
      const tell = (does) => writeSync(file, `${JSON.stringify({ does, run: call.session, tool: name, key })}\n`);
      tell('begins');
      await sleep((Math.random() * slowMs) / 2);
      tell('did');
      await sleep((Math.random() * slowMs) / 2);
      return `did ${key}`;
    },
  });
  return {
    model: scriptedModel([answer], { repeat: true, keepCalls: false }),
    capabilities: 'none',
    telemetry: false,
    retries: 0,
    policy: [ask('pay'), allow('*')],
    tools: [tool('look', { tier: 'observe' }), tool('charge'), tool('post', { idempotent: true }), tool('pay')],
  };
}

/** The next call of the plan. An interrupted call is not repeated unless it was approved. */
function answer({ prompt }) {
  const told = prompt.filter(({ role }) => role === 'tool').flatMap(({ content }) => content.map(saidOf));
  const behind = told.filter(({ tool, said }) => tool !== 'pay' || said.startsWith('did '));
  const next = plan[behind.length];
  if (next === undefined) return { text: JSON.stringify(told) };
  return { toolCalls: [{ id: `call-${told.length}`, tool: next, args: { at: told.length } }] };
}

function saidOf({ toolName: tool, output: { value } }) {
  return { tool, said: typeof value === 'string' ? value : JSON.stringify(value) };
}
