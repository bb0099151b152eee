/**
 * Cedar as WebAssembly, policies parsed beforehand: a tool is a resource, its server the parent of it, arguments are
 * the context. A deny is a forbid, which in Cedar always wins; the rule set is made so that this changes nothing.
 * The request is made beforehand as well; turning it into WebAssembly's memory is part of each call.
 */

import cedarWasm from '@cedar-policy/cedar-wasm/nodejs';

const POLICIES = 'bench';

export const cedar = {
  name: 'cedar',
  // Parsing this many policies takes some twelve seconds.
  slowFrom: 100_000,
  build(rules) {
    const policies = rules.map(toPolicy).join('\n');
    // Under one name, so that the policies of the last size are dropped.
    const parsed = cedarWasm.preparsePolicySet(POLICIES, { staticPolicies: policies });
    if (parsed.type !== 'success') throw new Error(parsed.errors[0].message);
    return {
      request: toRequest,
      decide: (request) => cedarWasm.statefulIsAuthorized(request),
      allowed: (answer) => answer.response.decision === 'allow',
    };
  },
};

function toPolicy({ server = 'local', tool, effect, mode }) {
  let resource = 'resource';
  if (tool !== '*') resource = `resource == Tool::"${server}/${tool}"`;
  else if (server !== '*') resource = `resource in Server::"${server}"`;
  const when = mode === undefined ? '' : ` when { context.mode == "${mode}" }`;
  return `${effect === 'allow' ? 'permit' : 'forbid'} (principal, action, ${resource})${when};`;
}

function toRequest({ server = 'local', tool, args }) {
  const resource = { type: 'Tool', id: `${server}/${tool}` };
  return {
    principal: { type: 'Agent', id: 'main' },
    action: { type: 'Action', id: 'call' },
    resource,
    context: args,
    preparsedPolicySetId: POLICIES,
    entities: [{ uid: resource, attrs: {}, parents: [{ type: 'Server', id: server }] }],
  };
}
