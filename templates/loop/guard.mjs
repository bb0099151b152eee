import { createGuard } from 'bridle';
import { openPolicy } from 'bridle/policy-files';
import { toStandardSchema } from 'bridle/tools';

const order = { type: 'string', pattern: '^[A-Z][0-9]+$' };

/** Your tools, as your loop calls them. */
const tools = {
  find_order: {
    description: 'Finds an order by its id.',
    parameters: { type: 'object', properties: { id: order }, required: ['id'] },
    execute: async ({ id }) => ({ id, total: 180, status: 'delivered' }),
  },
  refund: {
    description: 'Refunds a part of an order.',
    parameters: {
      type: 'object',
      properties: { id: order, amount: { type: 'number', exclusiveMinimum: 0 } },
      required: ['id', 'amount'],
    },
    execute: async ({ id, amount }) => `refunded ${amount} of ${id}`,
  },
};

/** The same tools, guarded: the policy decides every call. Call `guard.end()` when the loop ends. */
export function guardTools({ approver, journal } = {}) {
  const guard = createGuard({
    tools: [{ name: 'find_order', tier: 'observe' }, { name: 'refund' }],
    policy: openPolicy('bridle.yaml'),
    toStandardSchema,
    approver,
    journal,
  });
  return { guard, tools: guard.wrap(tools) };
}
