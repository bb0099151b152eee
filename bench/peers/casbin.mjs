/**
 * casbin: the first rule that fits decides (`priority`), rules in order of specificity, called through its faster
 * synchronous door. Its CachedEnforcer is left out: it remembers answers by all the arguments of a call, and those
 * are seldom the same twice.
 */

import { newEnforcer, newModelFromString } from 'casbin';

const model = `
[request_definition]
r = server, tool, mode
[policy_definition]
p = server, tool, mode, eft
[policy_effect]
e = priority(p.eft) || deny
[matchers]
m = (p.tool == r.tool || p.tool == "*") && (p.server == r.server || p.server == "*") && (p.mode == r.mode || p.mode == "*")
`;

export const casbin = {
  name: 'casbin',
  async build(rules) {
    const enforcer = await newEnforcer(newModelFromString(model));
    await enforcer.addPolicies(
      rules.map(({ server, tool, effect, mode }) => [server ?? 'local', tool, mode ?? '*', effect]),
    );
    return {
      request: ({ server, tool, args }) => [server ?? 'local', tool, args.mode],
      decide: ([server, tool, mode]) => enforcer.enforceSync(server, tool, mode),
      allowed: (answer) => answer,
    };
  },
};
