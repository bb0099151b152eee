/**
 * CASL: the action is the tool and the subject the server (`local` for none), so `server/*` is its `manage` of that
 * subject and `*` its `manage all`. The last rule that fits wins, so the rules are given in reverse. Predicates are
 * CASL's own conditions on the call.
 */

import { createMongoAbility } from '@casl/ability';

export const casl = {
  name: 'casl',
  build(rules) {
    const ability = createMongoAbility(rules.map(toRule).toReversed(), { detectSubjectType: (call) => call.subject });
    return {
      request: ({ server, tool, args }) => ({ subject: server ?? 'local', tool, args }),
      decide: (call) => ability.relevantRuleFor(call.tool, call),
      allowed: (rule) => rule !== null && !rule.inverted,
    };
  },
};

function toRule({ server, tool, effect, mode }) {
  return {
    action: tool === '*' ? 'manage' : tool,
    subject: server === '*' ? 'all' : (server ?? 'local'),
    inverted: effect === 'deny',
    ...(mode && { conditions: { 'args.mode': mode } }),
  };
}
