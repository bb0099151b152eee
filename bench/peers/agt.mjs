/**
 * The policy engine of Microsoft's Agent Governance Toolkit, through both its doors: policy documents, whose
 * conditions are expressions, and the older flat rules, where the first one that fits decides.
 */

import { AgentMeshClient, PolicyEngine } from '@microsoft/agent-governance-sdk';

const AGENT = 'did:agent:main';

/** Documents: the rule with the highest priority wins, so a more specific rule has a higher one. */
export const agtDocument = {
  name: 'agt',
  build(rules) {
    const engine = new PolicyEngine();
    engine.loadPolicy({
      apiVersion: 'governance.toolkit/v1',
      name: 'bench',
      scope: 'global',
      rules: rules.map(toDocumentRule),
      default_action: 'deny',
    });
    return {
      request: ({ server, tool, args }) => ({ server: server ?? 'local', tool, mode: args.mode }),
      decide: (context) => engine.evaluatePolicy(AGENT, context),
      allowed: (decision) => decision.allowed,
    };
  },
};

function toDocumentRule({ server = 'local', tool, effect, mode }, i) {
  const terms = [];
  if (tool !== '*') terms.push(`tool == '${tool}'`);
  if (server !== '*') terms.push(`server == '${server}'`);
  if (mode !== undefined) terms.push(`mode == '${mode}'`);
  const condition = terms.join(' and ') || undefined;
  return { name: `rule-${i}`, condition, ruleAction: effect, priority: (tool !== '*') + (server !== '*') };
}

/** Flat rules: `server.tool`, `server.*` and `*` are its own patterns. */
export const agtFlat = {
  name: 'agt flat',
  build(rules) {
    const engine = new PolicyEngine(rules.map(toFlatRule));
    return {
      request: ({ server, tool, args }) => ({ action: `${server ?? 'local'}.${tool}`, context: { mode: args.mode } }),
      decide: ({ action, context }) => engine.evaluate(action, context),
      allowed: (answer) => answer === 'allow',
    };
  },
};

function toFlatRule({ server = 'local', tool, effect, mode }) {
  const action = server === '*' ? '*' : `${server}.${tool}`;
  return { action, effect, ...(mode && { condition: { mode } }) };
}

/** The flat rules with everything around them: identity, trust, rings, and the audit log, which is a list in memory. */
export function agtClient(rules) {
  return AgentMeshClient.create('main', { policyRules: rules.map(toFlatRule) });
}
