/** Checking what an agent was given: one error that names every option that is wrong. */

import { nameProblem } from '../../kernel/names.ts';
import { BridleError } from '../../kernel/errors.ts';
import { resultOrders } from '../../kernel/hooks/registration/hooks.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { budgetKinds } from '../budget/budget.ts';
import { loopProblem } from './loop-problem.ts';
import { optionHint, type OptionGroup } from './foreign-options.ts';
import { isLanguageModel } from '../model/providers/language-model.ts';
import type { AgentOptions } from './agent-options.ts';
import { sessionIdProblem } from '../saved-sessions/session-store.ts';
import { sharedBudgetProblems } from './shared-budget-problems.ts';

type Check = (value: unknown) => string | undefined;

const list: Check = (value) => (Array.isArray(value) ? undefined : 'is not a list');
const texts: Check = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? undefined : 'is not a list of texts';
const object: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'is not an object';
const text: Check = (value) => (typeof value === 'string' && value.trim() !== '' ? undefined : 'is not a text');
const callable: Check = (value) => (typeof value === 'function' ? undefined : 'is not a function');
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'is not true or false');
const milliseconds: Check = (value) =>
  Number.isFinite(value) && (value as number) > 0 ? undefined : 'is not a number of milliseconds above 0';
const countFrom =
  (least: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least ? undefined : `is not a whole number from ${least} up`;
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value) ? undefined : `is none of ${values.map(String).join(', ')}`;
const model: Check = (value) => {
  const models: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (models.length === 0) return 'is an empty list';
  const fine = models.every((each) => isLanguageModel(each) || (typeof each === 'string' && each.trim() !== ''));
  return fine
    ? undefined
    : 'is neither a language model of the AI SDK (v3 or v4), a name such as "anthropic/<id>", nor a list of these';
};

/** An object whose fields have checks of their own; other fields are unknown. */
function fields(checks: Readonly<Record<string, Check>>, place?: OptionGroup): Check {
  return (value) => object(value) ?? fieldProblem(value as object, checks, place);
}

function fieldProblem(
  value: object,
  checks: Readonly<Record<string, Check>>,
  place: OptionGroup | undefined,
): string | undefined {
  for (const [field, given] of Object.entries(value)) {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    if (check === undefined) return `has no field "${field}"${optionHint(place, field, Object.keys(checks))}`;
    const problem = given === undefined ? undefined : check(given);
    if (problem !== undefined) return `has a field "${field}" that ${problem}`;
  }
  return undefined;
}

const amount: Check = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? undefined : 'is not a number from 0 up';
const limits = fields(Object.fromEntries(budgetKinds.map((name) => [name, amount])), 'limits');
const rate: Check = (value) =>
  fields({ max: countFrom(1), perMs: milliseconds })(value) ?? missingField(value as object, ['max', 'perMs']);
const rates = fields({ modelCalls: rate, toolCalls: rate });
const account: Check = (value) =>
  text(value) ?? ((value as string).length > 200 ? 'is longer than 200 characters' : undefined);
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
    const problem = nameProblem(name, defaultLimits.nameLength) ?? (name.includes('/') ? 'holds a "/"' : undefined);
    if (problem !== undefined) return `names a subagent "${name}", which ${problem}`;
    const of = subagent(options);
    if (of !== undefined) return `.${name} ${of}`;
    const { subagents: mayStart = [] } = options as { readonly subagents?: readonly string[] };
    const unknown = mayStart.find((each) => !Object.hasOwn(value as object, each));
    if (unknown !== undefined) return `.${name} may start "${unknown}", which is no subagent`;
  }
  return undefined;
};

const priceChecks = { input: amount, output: amount, cachedInput: amount, cacheWrite: amount };
const modelPrices = fields({ ...priceChecks, long: fields({ ...priceChecks, above: amount }) });

/** A price that is no number would make every limit on cost one that is never reached. */
const prices: Check = (value) => {
  const wrong = object(value);
  if (wrong !== undefined) return wrong;
  for (const [name, of] of Object.entries(value as object)) {
    const problem = modelPrices(of) ?? missingField(of as object, ['input', 'output']);
    if (problem !== undefined) return `has a field "${name}" that ${problem}`;
    const { long } = of as { readonly long?: object };
    const inLong = long === undefined ? undefined : missingField(long, ['input', 'output', 'above']);
    if (inLong !== undefined) return `has a field "${name}" with a field "long" that ${inLong}`;
  }
  return undefined;
};

const sessionFields = {
  id: sessionIdProblem,
  store: (value: unknown) => methodProblem(value as object, ['load']) ?? methodProblem(value as object, ['save']),
  mode: oneOf('resume', 'createOrResume', 'createOnly'),
};

const number: Check = (value) => (typeof value === 'number' && Number.isFinite(value) ? undefined : 'is not a number');

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

/** What `createGuard` checks itself is only looked at here for its kind. */
const checks: Readonly<Record<string, Check>> = {
  model,
  name: (value) => nameProblem(value, defaultLimits.nameLength),
  instructions: text,
  tools: (value) => list(value) && `${list(value)}: give [defineTool({ name, run, … })]`,
  builtins,
  capabilities: (value) => (typeof value === 'string' ? undefined : object(value)),
  mcpServers: (value) => list(value) && `${list(value)}: give [{ name, command, args }]`,
  pins: (value) => (value === false ? undefined : text(value)),
  hooks: list,
  resultOrder: oneOf(...resultOrders),
  policy: (value) =>
    (typeof value === 'object' && value !== null) || text(value) === undefined
      ? undefined
      : 'is neither a rule, a list of rules, nor the name of a policy file',
  default: oneOf('allow', 'ask', 'deny'),
  workspaces: texts,
  cwd: text,
  approver: callable,
  store: (value) =>
    (value as { readonly type?: unknown } | null)?.type === 'bridle-store'
      ? undefined
      : 'is no store: give what openStore of bridle/store opened',
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
    throw new BridleError('OPTION_INVALID', 'createAgent takes an object of options');
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

/** Checks what one turn is asked with. */
export function checkChatOptions(options: object): void {
  const problem = fields({ schema: object, signal: object }, 'chat')(options);
  if (problem !== undefined) throw new BridleError('OPTION_INVALID', `chat: the options object ${problem}`);
}

/** Checks what a run is to be, or to be resumed as, all but its id. */
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

/** Checks what a further session is to be, all but its id: that is looked at where it is used. */
export function checkAgentSessionOptions(options: object): void {
  const problem = fields({ ...sessionFields, id: () => undefined, state: object }, 'session')(options);
  if (problem !== undefined) throw new BridleError('OPTION_INVALID', `open: the options object ${problem}`);
}

function missingField(value: object, names: readonly string[]): string | undefined {
  const name = names.find((each) => (value as Readonly<Record<string, unknown>>)[each] === undefined);
  return name === undefined ? undefined : `lacks "${name}"`;
}

function methodProblem(value: object, names: readonly string[]): string | undefined {
  const given = value as Readonly<Record<string, unknown>>;
  const wrong = names.find((each) => given?.[each] !== undefined && typeof given[each] !== 'function');
  if (wrong !== undefined) return `has a ${wrong} that is not a function`;
  return names.some((each) => typeof given?.[each] === 'function') ? undefined : `has no method ${names.join(' or ')}`;
}

function triggersProblem(triggers: readonly unknown[]): string | undefined {
  const wrong = triggers.findIndex((each) => {
    const { name, start } = (each ?? {}) as { name?: unknown; start?: unknown };
    return typeof name !== 'string' || name === '' || typeof start !== 'function';
  });
  return wrong === -1
    ? undefined
    : `holds at [${wrong}] something that is no trigger: it needs a name and a start method`;
}
