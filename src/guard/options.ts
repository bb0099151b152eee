/** Checking options that plain JavaScript may get wrong: one error that names each. */

import {
  anything,
  callable,
  type Check,
  clock,
  fieldProblems,
  finite,
  flag,
  grant,
  having,
  is,
  limits,
  list,
  listOf,
  object,
} from '../catalog/check-fields.ts';
import { nameProblem } from '../catalog/names.ts';
import { resultOrders } from '../hooks/hooks.ts';
import { BridleError, refuseProblems } from '../errors.ts';

const name: Check = (value) => nameProblem(value);

const agentPath = listOf((each) => name(each) === undefined);

const isPolicy = is('a list of rules', (value) => typeof value === 'object' && value !== null);

/** The agent takes the name of a file; a guard takes what was opened. */
const policy: Check = (value) => {
  const problem = isPolicy(value);
  if (problem === undefined || typeof value !== 'string' || !/\.(?:ya?ml|json)$/i.test(value)) return problem;
  return `${problem}; for a file say openPolicy(${JSON.stringify(value)}), from bridle/documents`;
};

const guardChecks = {
  tools: list,
  servers: list,
  policy,
  // Checked together with the policy.
  default: anything,
  hooks: list,
  resultOrder: is(`one of ${resultOrders.join(', ')}`, (value) => resultOrders.some((each) => each === value)),
  approver: callable,
  answers: having('find', 'keep'),
  proposals: having('propose', 'covers'),
  mask: callable,
  keyspace: callable,
  journal: having('append'),
  journalTimeoutMs: finite,
  onWarning: callable,
  session: object,
  toStandardSchema: callable,
  limits,
  timeoutMs: finite,
  askTimeoutMs: finite,
  grant,
  clock,
};

const sessionChecks = {
  id: name,
  state: object,
  resumed: flag,
  host: name,
  coreType: name,
  agent: (value: unknown) => agentPath(value) ?? ((value as readonly unknown[]).length === 0 ? 'is empty' : undefined),
  cwd: is('a folder', (value) => typeof value === 'string' && value !== '' && !value.includes('\0')),
  turns: is('a count', (value) => Number.isSafeInteger(value) && (value as number) >= 0),
  toolState: object,
  hides: callable,
};

export function checkOptions(options: object): void {
  check('createGuard', options, { checks: guardChecks, needed: ['tools', 'policy'] });
}

export function checkSessionOptions(options: object): void {
  check('start', options, { checks: sessionChecks });
}

interface Expected {
  readonly checks: Readonly<Record<string, Check>>;
  readonly needed?: readonly string[];
}

function check(what: string, options: object, { checks, needed }: Expected): void {
  if (typeof options !== 'object' || options === null) {
    throw new BridleError('OPTION_INVALID', `${what} takes an object of options`);
  }
  const problems = fieldProblems(options, checks, needed);
  refuseProblems(
    'OPTION_INVALID',
    problems.map((text) => `${what}: option ${text}`),
  );
}
