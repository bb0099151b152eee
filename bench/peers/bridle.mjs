/** Bridle, as its own parts use it: from `dist/`, so what is measured is what is published. */

import { load } from '../dist.mjs';

const { allow, compilePolicy, createGuard, createHooks, deny } = await load('index.js');
const { memoryJournal } = await load('journal/index.js');
const { testActivity } = await load('testing/index.js');

const payload = Object.freeze({ call: Object.freeze({ tool: 'view_file', args: Object.freeze({}) }), grant: {} });

const named = (hooks) => hooks.map((fn, i) => ({ name: `hook-${i}`, preToolCall: fn }));

/** The hooks of one point, looked up for each dispatch. */
export const bridleHooks = {
  name: 'bridle',
  setup({ hooks }) {
    const registry = createHooks(named(hooks));
    const activity = testActivity([]);
    return () => registry.chains.preToolCall.dispatch(payload, activity);
  },
};

/** The same inside a session: the chain as a whole is timed, so that a hook that is too slow is found. */
export const bridleFrame = {
  name: 'bridle timed',
  setup({ hooks }) {
    const activity = testActivity(named(hooks));
    return () => activity.dispatch('preToolCall', payload);
  },
};

/** Decides calls whose names and args were read before, as the guard does. */
export const bridlePolicy = {
  name: 'bridle',
  build(rules) {
    const policy = compilePolicy(rules.map(toRule), { servers: serversOf(rules) });
    return {
      request: toToolCall,
      decide: (call) => policy.evaluate(call, tool),
      allowed: (decision) => decision.effect === 'allow',
    };
  },
};

const tool = { name: 'any' };

/** A new turn of a new guard with an empty journal, or with a given one. */
export async function bridleTurn(rules, hooks, { journal = memoryJournal(), mask } = {}) {
  const tools = rules.filter((rule) => rule.tool !== '*').map(({ server, tool: name }) => ({ server, name }));
  const servers = serversOf(rules).map((name) => ({ name }));
  const guard = createGuard({ tools, servers, policy: rules.map(toRule), hooks, journal, mask });
  const session = await guard.start();
  return session.turn();
}

function serversOf(rules) {
  return [...new Set(rules.map((rule) => rule.server))].filter((server) => server !== undefined && server !== '*');
}

function toRule({ server, tool: name, effect, mode }) {
  const options = mode === undefined ? {} : { when: (args) => args.mode === mode };
  return (effect === 'allow' ? allow : deny)(toTarget(server, name), options);
}

function toTarget(server, name) {
  if (server === undefined || server === '*') return name;
  return name === '*' ? { server } : { server, tool: name };
}

function toToolCall({ server, tool: name, args }) {
  return Object.freeze({
    id: 'call-1',
    tool: name,
    server,
    displayName: name,
    tier: 'confirm',
    args: Object.freeze(args),
    requested: args,
    cwd: undefined,
    session: 'session-1',
    turn: 1,
    step: 1,
    agent: ['main'],
  });
}
