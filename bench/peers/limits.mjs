/** The limits: what somebody would write by hand for exactly one purpose, with nothing around it. */

/** Asynchronous hooks: a plain loop. */
export const awaitLoop = {
  name: 'limit',
  setup:
    ({ hooks, payload, ctx }) =>
    async () => {
      for (let i = 0; i < hooks.length; i++) await hooks[i](payload, ctx);
    },
};

/** Synchronous hooks: stays synchronous until a promise appears, the first answer wins, a throw is an answer. */
export const syncFirstLoop = {
  name: 'limit',
  setup:
    ({ hooks, payload, ctx }) =>
    () =>
      syncFirst(hooks, payload, ctx),
};

function syncFirst(hooks, payload, ctx) {
  for (let i = 0; i < hooks.length; i++) {
    try {
      const answer = hooks[i](payload, ctx);
      if (answer === undefined) continue;
      if (typeof answer.then === 'function') return goOn({ hooks, payload, ctx }, i, answer);
      return answer;
    } catch (error) {
      return { type: 'failed', error };
    }
  }
  return undefined;
}

async function goOn({ hooks, payload, ctx }, at, pending) {
  try {
    const answer = await pending;
    return answer === undefined ? syncFirst(hooks.slice(at + 1), payload, ctx) : answer;
  } catch (error) {
    return { type: 'failed', error };
  }
}

/** Decisions: one Map per kind of target, the most specific first. */
export const maps = {
  name: 'limit',
  build(rules) {
    const local = new Map();
    const servers = new Map();
    const everything = [];
    for (const { server, tool, effect, mode } of rules) {
      const rule = { effect, when: mode === undefined ? undefined : (args) => args.mode === mode };
      if (server === undefined) put(local, tool, rule);
      else if (server === '*') everything.push(rule);
      else put(servers.get(server) ?? servers.set(server, new Map()).get(server), tool, rule);
    }
    const decide = ({ server, tool, args }) => {
      if (server === undefined) return firstOf(local.get(tool), args) ?? firstOf(everything, args);
      const tools = servers.get(server);
      if (tools === undefined) return firstOf(everything, args);
      return firstOf(tools.get(tool), args) ?? firstOf(tools.get('*'), args) ?? firstOf(everything, args);
    };
    return { request: (call) => call, decide, allowed: (rule) => rule?.effect === 'allow' };
  },
};

function firstOf(list, args) {
  if (list === undefined) return undefined;
  for (let i = 0; i < list.length; i++) {
    const rule = list[i];
    if (rule.when === undefined || rule.when(args)) return rule;
  }
  return undefined;
}

function put(map, key, rule) {
  const list = map.get(key);
  if (list) list.push(rule);
  else map.set(key, [rule]);
}
