/**
 * The options of an agent whose every effect is written down outside of any store: what it does is known from the
 * conversation alone, so any process can go on with it.
 */

import { openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { allow, ask } from 'bridle';
import { scriptedModel } from 'bridle/testing';

/** Read, change, change in a way that may be repeated, and change what a person must approve. */
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

/** The next call of the plan. One that was interrupted is not made again, except for what was approved. */
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
