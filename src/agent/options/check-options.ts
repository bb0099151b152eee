/** Checks the options of an agent. One error lists every invalid option. */

import { nameProblem } from '../../kernel/names.ts';
import { BridleError } from '../../kernel/errors.ts';
import { resultOrders } from '../../kernel/hooks/registration/hooks.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { budgetKinds } from '../budget/budget-options.ts';
import { loopProblem } from './loop-problem.ts';
import { optionHint, type OptionGroup } from './foreign-options.ts';
import { isLanguageModel } from '../model/providers/language-model.ts';
import type { AgentOptions } from './agent-options.ts';
import { sessionIdProblem } from '../saved-sessions/session-store.ts';
import { sharedBudgetProblems } from './shared-budget-problems.ts';

type Check = (value: unknown) => string | undefined;

const list: Check = (value) => (Array.isArray(value) ? undefined : 'must be a list');
const texts: Check = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? undefined : 'must be a list of strings';
const object: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object';
const text: Check = (value) =>
  typeof value === 'string' && value.trim() !== '' ? undefined : 'must be a non-empty string';
const callable: Check = (value) => (typeof value === 'function' ? undefined : 'must be a function');
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
const milliseconds: Check = (value) =>
  Number.isFinite(value) && (value as number) > 0 ? undefined : 'must be a number of milliseconds above 0';
const countFrom =
  (least: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least ? undefined : `must be an integer of at least ${least}`;
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value) ? undefined : `must be one of ${values.map(String).join(', ')}`;
const model: Check = (value) => {
  const models: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (models.length === 0) return 'must not be an empty list';
  const fine = models.every((each) => isLanguageModel(each) || (typeof each === 'string' && each.trim() !== ''));
  return fine
    ? undefined
    : 'must be an AI SDK language model (v3 or v4), a name such as "anthropic/<id>", or a list of these';
};

/** Checks an object field by field. Fields without a check are unknown. */
function fields(checks: Readonly<Record<string, Check>>, group?: OptionGroup): Check {
  return (value) => object(value) ?? fieldProblem(value as object, checks, group);
}

function fieldProblem(
  value: object,
  checks: Readonly<Record<string, Check>>,
  group: OptionGroup | undefined,
): string | undefined {
  for (const [field, given] of Object.entries(value)) {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    if (check === undefined) return `has no field "${field}"${optionHint(group, field, Object.keys(checks))}`;
    const problem = given === undefined ? undefined : check(given);
    if (problem !== undefined) return `has an invalid field "${field}": it ${problem}`;
  }
  return undefined;
}

const amount: Check = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? undefined : 'must be a number of at least 0';
const limits = fields(Object.fromEntries(budgetKinds.map((name) => [name, amount])), 'limits');
const rate: Check = (value) =>
  fields({ max: countFrom(1), perMs: milliseconds })(value) ?? missingField(value as object, ['max', 'perMs']);
const rates = fields({ modelCalls: rate, toolCalls: rate });
const account: Check = (value) =>
  text(value) ?? ((value as string).length > 200 ? 'must not be longer than 200 characters' : undefined);
const shared: Check = (value) =>
  fields({ account, limits, rates })(value) ?? missingField(value as object, ['account']);

const subagent = fields(
  {
    description: text,
    instructions: text,
    model,
    tools: list,
    policy: () => undefined,
    capabilities: () => undefined,
    subagents: texts,
    settings: (value) => settings(value),
  },
  'agent',
);

const subagents: Check = (value) => {
  const wrong = object(value);
  if (wrong !== undefined) return wrong;
  for (const [name, options] of Object.entries(value as object)) {
    const problem =
      nameProblem(name, defaultLimits.nameLength) ?? (name.includes('/') ? 'must not contain "/"' : undefined);
    if (problem !== undefined) return `has a subagent with an invalid name "${name}": it ${problem}`;
    const optionProblem = subagent(options);
    if (optionProblem !== undefined) return `has an invalid entry "${name}": it ${optionProblem}`;
    const { subagents: mayStart = [] } = options as { readonly subagents?: readonly string[] };
    const unknown = mayStart.find((each) => !Object.hasOwn(value as object, each));
    if (unknown !== undefined)
      return `has an invalid entry "${name}": it may start "${unknown}", but no subagent has that name`;
  }
  return undefined;
};

const priceChecks = { input: amount, output: amount, cachedInput: amount, cacheWrite: amount };
const modelPrices = fields({ ...priceChecks, long: fields({ ...priceChecks, above: amount }) });

/** A price that is not a number would make cost limits ineffective. */
const prices: Check = (value) => {
  const wrong = object(value);
  if (wrong !== undefined) return wrong;
  for (const [name, entry] of Object.entries(value as object)) {
    const problem = modelPrices(entry) ?? missingField(entry as object, ['input', 'output']);
    if (problem !== undefined) return `has an invalid field "${name}": it ${problem}`;
    const { long } = entry as { readonly long?: object };
    const longProblem = long === undefined ? undefined : missingField(long, ['input', 'output', 'above']);
    if (longProblem !== undefined) return `has an invalid field "${name}.long": it ${longProblem}`;
  }
  return undefined;
};

const sessionFields = {
  id: sessionIdProblem,
  store: (value: unknown) => methodProblem(value as object, ['load']) ?? methodProblem(value as object, ['save']),
  mode: oneOf('resume', 'createOrResume', 'createOnly'),
};

const number: Check = (value) => (typeof value === 'number' && Number.isFinite(value) ? undefined : 'must be a number');

/** The settings of a model call, as the AI SDK names them. */
const settingChecks = {
  maxOutputTokens: countFrom(1),
  temperature: number,
  stopSequences: texts,
  topP: number,
  topK: number,
  presencePenalty: number,
  frequencyPenalty: number,
  seed: number,
  reasoning: text,
  responseFormat: object,
  toolChoice: object,
  headers: object,
  providerOptions: object,
};
const settings = fields(settingChecks, 'settings');

const builtins = fields({
  shell: text,
  env: object,
  commandTimeoutMs: milliseconds,
  ripgrep: text,
  allowPrivateHosts: flag,
  allowedHosts: texts,
  redirects: () => undefined,
  resolve: callable,
  generateImage: callable,
  searchWeb: callable,
});

/** Options that `createGuard` validates are only checked for their type here. */
const checks: Readonly<Record<string, Check>> = {
  model,
  name: (value) => nameProblem(value, defaultLimits.nameLength),
  instructions: text,
  tools: (value) => list(value) && `${list(value)} such as [defineTool({ name, run, … })]`,
  builtins,
  capabilities: (value) => (typeof value === 'string' ? undefined : object(value)),
  mcpServers: (value) => list(value) && `${list(value)} such as [{ name, command, args }]`,
  pins: (value) => (value === false ? undefined : text(value)),
  hooks: list,
  resultOrder: oneOf(...resultOrders),
  policy: (value) =>
    (typeof value === 'object' && value !== null) || text(value) === undefined
      ? undefined
      : 'must be a rule, a list of rules, or the path of a policy file',
  default: oneOf('allow', 'ask', 'deny'),
  workspaces: texts,
  cwd: text,
  approver: callable,
  store: (value) =>
    (value as { readonly type?: unknown } | null)?.type === 'bridle-store'
      ? undefined
      : 'must be a store: await openStore() from bridle/store',
  answerers: texts,
  mask: (value) => (value === false ? undefined : callable(value)),
  memory: (value) => object(value) ?? methodProblem(value as object, ['preTurnContext', 'postTurnObserve']),
  budget: fields({ perTurn: limits, perSession: limits, rates, shared }),
  subagents,
  subagentDepth: countFrom(1),
  triggers: (value) => list(value) ?? triggersProblem(value as readonly unknown[]),
  session: fields(sessionFields, 'session'),
  state: object,
  compaction: fields({
    atTokens: (value) => (value === false ? undefined : countFrom(1)(value)),
    keepTurns: countFrom(1),
  }),
  journal: () => undefined,
  limits: () => undefined,
  grant: () => undefined,
  settings,
  retries: countFrom(0),
  modelTimeoutMs: milliseconds,
  maxSteps: countFrom(1),
  prices,
  loop: (value) => object(value) ?? loopProblem(value as Readonly<Record<string, unknown>>),
  telemetry: flag,
  timeoutMs: milliseconds,
  askTimeoutMs: milliseconds,
  journalTimeoutMs: milliseconds,
  clock: () => undefined,
};

export function checkAgentOptions(options: unknown): void {
  if (typeof options !== 'object' || options === null) {
    throw new BridleError('OPTION_INVALID', 'createAgent: the options must be an object');
  }
  const problems: string[] = [];
  if ((options as { model?: unknown }).model === undefined) problems.push('createAgent: option "model" is missing');
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const check = Object.hasOwn(checks, option) ? checks[option] : undefined;
    const problem =
      check === undefined ? `is not known${optionHint('agent', option, Object.keys(checks))}` : check(value);
    if (problem !== undefined) problems.push(`createAgent: option "${option}" ${problem}`);
  }
  if (problems.length === 0)
    problems.push(...sharedBudgetProblems(options as AgentOptions).map((each) => `createAgent: ${each}`));
  if (problems.length > 0) throw new BridleError('OPTION_INVALID', problems.join('; '), { problems });
}

/** Checks the options of `chat` and `stream`. */
export function checkChatOptions(options: object): void {
  const problem = fields({ schema: object, signal: object }, 'chat')(options);
  if (problem !== undefined) throw new BridleError('OPTION_INVALID', `chat: the options object ${problem}`);
}

/** Checks the options of `run` and `resume`, except the id. */
export function checkRunOptions(options: object): void {
  const problem = fields(
    {
      id: () => undefined,
      schema: object,
      signal: object,
      hold: oneOf('process', 'release'),
      leaseMs: milliseconds,
    },
    'chat',
  )(options);
  if (problem !== undefined) throw new BridleError('OPTION_INVALID', `run: the options object ${problem}`);
}

/** Checks the options of `open`, except the id, which is checked where it is used. */
export function checkAgentSessionOptions(options: object): void {
  const problem = fields({ ...sessionFields, id: () => undefined, state: object }, 'session')(options);
  if (problem !== undefined) throw new BridleError('OPTION_INVALID', `open: the options object ${problem}`);
}

function missingField(value: object, names: readonly string[]): string | undefined {
  const name = names.find((each) => (value as Readonly<Record<string, unknown>>)[each] === undefined);
  return name === undefined ? undefined : `is missing "${name}"`;
}

function methodProblem(value: object, names: readonly string[]): string | undefined {
  const given = value as Readonly<Record<string, unknown>>;
  const wrong = names.find((each) => given?.[each] !== undefined && typeof given[each] !== 'function');
  if (wrong !== undefined) return `must have a function as "${wrong}"`;
  return names.some((each) => typeof given?.[each] === 'function')
    ? undefined
    : `must have a method ${names.join(' or ')}`;
}

function triggersProblem(triggers: readonly unknown[]): string | undefined {
  const wrong = triggers.findIndex((each) => {
    const { name, start } = (each ?? {}) as { name?: unknown; start?: unknown };
    return typeof name !== 'string' || name === '' || typeof start !== 'function';
  });
  return wrong === -1 ? undefined : `has an invalid trigger at [${wrong}]: a trigger needs a name and a start method`;
}
