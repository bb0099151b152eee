/** The shapes of the options of guards and sessions, for callers in plain JavaScript. */

import { resultOrders } from '../hooks/registration/hooks.ts';
import { quoteName } from '../names.ts';
import * as is from '../shapes.ts';
import { invalid, readOptions, type Shape } from '../shapes.ts';

const rules = is.that('a list of rules', (value) => typeof value === 'object' && value !== null);

/** An agent accepts a file name as its policy; a guard needs the opened policy. */
const policy: Shape<unknown> = (value, limits) => {
  if (typeof value !== 'string' || !/\.(?:ya?ml|json)$/i.test(value)) return rules(value, limits);
  const open = `openPolicy(${JSON.stringify(value)}), from bridle/policy-files`;
  return invalid(`is ${quoteName(value)}, not a list of rules; for a file, pass ${open}`);
};

const guardShape = is.options(
  {
    tools: is.anyList,
    servers: is.anyList,
    policy,
    // The policy compiler checks it.
    default: is.any,
    hooks: is.anyList,
    resultOrder: is.oneOf(...resultOrders),
    approver: is.func,
    mask: is.func,
    keyspace: is.func,
    journal: is.methods('append'),
    journalTimeoutMs: is.finitePositive,
    onWarning: is.func,
    session: is.anyObject,
    toStandardSchema: is.func,
    limits: is.limitOptions,
    timeoutMs: is.finitePositive,
    askTimeoutMs: is.finitePositive,
    grant: is.grant,
    clock: is.clock,
  },
  { needed: ['tools', 'policy'] },
);

const sessionShape = is.options({
  id: is.name,
  state: is.anyObject,
  resumed: is.flag,
  host: is.name,
  loopName: is.name,
  agent: is.nonEmptyList(is.name),
  cwd: is.that('a folder', (value) => typeof value === 'string' && value !== '' && !value.includes('\0')),
  turns: is.wholeNumber(0),
  toolState: is.anyObject,
  hides: is.func,
});

export function checkGuardOptions(given: object): void {
  readOptions('createGuard', given, guardShape);
}

export function checkSessionOptions(given: object): void {
  readOptions('start', given, sessionShape);
}
