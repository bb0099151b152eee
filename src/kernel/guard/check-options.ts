/** Validation of options from plain JavaScript callers: one error lists all problems. */

import {
  anyCheck,
  functionCheck,
  type FieldCheck,
  clockCheck,
  fieldProblems,
  finiteCheck,
  booleanCheck,
  grantCheck,
  methodsCheck,
  checkThat,
  limitsCheck,
  listCheck,
  listOfCheck,
  objectCheck,
} from '../check-fields.ts';
import { nameProblem } from '../names.ts';
import { resultOrders } from '../hooks/registration/hooks.ts';
import { BridleError, throwProblems } from '../errors.ts';

const name: FieldCheck = (value) => nameProblem(value);

const agentPath = listOfCheck((each) => name(each) === undefined);

const isPolicy = checkThat('a list of rules', (value) => typeof value === 'object' && value !== null);

/** An agent accepts a file name as its policy; a guard needs the opened policy. */
const policy: FieldCheck = (value) => {
  const problem = isPolicy(value);
  if (problem === undefined || typeof value !== 'string' || !/\.(?:ya?ml|json)$/i.test(value)) return problem;
  return `${problem}; for a file, pass openPolicy(${JSON.stringify(value)}), from bridle/policy-files`;
};

const guardChecks = {
  tools: listCheck,
  servers: listCheck,
  policy,
  // The policy compiler checks it.
  default: anyCheck,
  hooks: listCheck,
  resultOrder: checkThat(`one of ${resultOrders.join(', ')}`, (value) => resultOrders.some((each) => each === value)),
  approver: functionCheck,
  answers: methodsCheck('find', 'keep'),
  proposals: methodsCheck('propose', 'covers'),
  mask: functionCheck,
  keyspace: functionCheck,
  journal: methodsCheck('append'),
  journalTimeoutMs: finiteCheck,
  onWarning: functionCheck,
  session: objectCheck,
  toStandardSchema: functionCheck,
  limits: limitsCheck,
  timeoutMs: finiteCheck,
  askTimeoutMs: finiteCheck,
  grant: grantCheck,
  clock: clockCheck,
};

const sessionChecks = {
  id: name,
  state: objectCheck,
  resumed: booleanCheck,
  host: name,
  loopName: name,
  agent: (value: unknown) => agentPath(value) ?? ((value as readonly unknown[]).length === 0 ? 'is empty' : undefined),
  cwd: checkThat('a folder', (value) => typeof value === 'string' && value !== '' && !value.includes('\0')),
  turns: checkThat('a count', (value) => Number.isSafeInteger(value) && (value as number) >= 0),
  toolState: objectCheck,
  hides: functionCheck,
};

export function checkGuardOptions(options: object): void {
  check('createGuard', options, { checks: guardChecks, needed: ['tools', 'policy'] });
}

export function checkSessionOptions(options: object): void {
  check('start', options, { checks: sessionChecks });
}

interface Expected {
  readonly checks: Readonly<Record<string, FieldCheck>>;
  readonly needed?: readonly string[];
}

function check(what: string, options: object, { checks, needed }: Expected): void {
  if (typeof options !== 'object' || options === null) {
    throw new BridleError('OPTION_INVALID', `${what} takes an object of options`);
  }
  const problems = fieldProblems(options, checks, needed);
  throwProblems(
    'OPTION_INVALID',
    problems.map((text) => `${what}: option ${text}`),
  );
}
