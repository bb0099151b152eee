/** Checking options that plain JavaScript may get wrong: one error that names each. */

import { meant, nameProblem } from '../catalog/names.ts';
import { BridleError } from '../errors.ts';
import { grantProblems } from '../grant.ts';
import { defaultLimits } from '../limits.ts';

type Check = (value: unknown) => string | undefined;

const list: Check = (value) => (Array.isArray(value) ? undefined : 'is not a list');
const callable: Check = (value) => (typeof value === 'function' ? undefined : 'is not a function');
const milliseconds: Check = (value) =>
  Number.isFinite(value) && (value as number) > 0 ? undefined : 'is not a number of milliseconds above 0';
const object: Check = (value) => (typeof value === 'object' && value !== null ? undefined : 'is not an object');
const having =
  (...methods: readonly string[]): Check =>
  (value) => {
    const missing = methods.find((method) => typeof (value as Record<string, unknown> | null)?.[method] !== 'function');
    return missing === undefined ? undefined : `has no method ${missing}`;
  };
const name: Check = (value) => nameProblem(value, defaultLimits.nameLength);
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'is not true or false');

const guardChecks: Readonly<Record<string, Check>> = {
  tools: list,
  servers: list,
  policy: object,
  default: () => undefined,
  hooks: list,
  approver: callable,
  journal: having('append'),
  limits: (value) => limitsProblem(value),
  timeoutMs: milliseconds,
  askTimeoutMs: milliseconds,
  grant: (value) => grantProblems(value)[0],
  clock: having('now', 'wall', 'every'),
};

const sessionChecks: Readonly<Record<string, Check>> = {
  id: name,
  state: object,
  resumed: flag,
  host: name,
  coreType: name,
  agent: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((each) => name(each) === undefined)
      ? undefined
      : 'is not a list of names',
  cwd: (value) => (typeof value === 'string' && value !== '' && !value.includes('\0') ? undefined : 'is not a folder'),
  turns: (value) => (Number.isSafeInteger(value) && (value as number) >= 0 ? undefined : 'is not a count'),
  toolState: object,
  hides: callable,
};

export function checkOptions(options: object): void {
  check('createGuard', options, { checks: guardChecks, needed: ['tools', 'policy'] });
}

export function checkSessionOptions(options: object): void {
  check('start', options, { checks: sessionChecks, needed: [] });
}

interface Expected {
  readonly checks: Readonly<Record<string, Check>>;
  readonly needed: readonly string[];
}

function check(what: string, options: object, { checks, needed }: Expected): void {
  if (typeof options !== 'object' || options === null) {
    throw new BridleError('OPTION_INVALID', `${what} takes an object of options`);
  }
  const problems = needed
    .filter((option) => (options as Record<string, unknown>)[option] === undefined)
    .map((option) => `${what}: option "${option}" is missing`);
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const known = Object.hasOwn(checks, option) ? checks[option] : undefined;
    const problem = known === undefined ? `is not known${meant(option, Object.keys(checks))}` : known(value);
    if (problem !== undefined) problems.push(`${what}: option "${option}" ${problem}`);
  }
  if (problems.length > 0) throw new BridleError('OPTION_INVALID', problems.join('; '), { problems });
}

function limitsProblem(limits: unknown): string | undefined {
  if (typeof limits !== 'object' || limits === null) return 'is not an object';
  for (const [limit, value] of Object.entries(limits)) {
    if (!Object.hasOwn(defaultLimits, limit)) return `has no limit "${limit}"`;
    if (!Number.isSafeInteger(value) || value <= 0) return `${limit} is not a whole number above 0`;
  }
  return undefined;
}
