/** The shapes of the options of an agent, its sessions, turns and runs. One error lists every problem. */

import { BridleError } from '../../kernel/errors.ts';
import { resultOrders } from '../../kernel/hooks/registration/hooks.ts';
import type { JsonObject } from '../../kernel/json.ts';
import * as is from '../../kernel/shapes.ts';
import { Invalid, invalid, readOptions, type Shape } from '../../kernel/shapes.ts';
import { budgetKinds } from '../budget/budget-options.ts';
import { isLanguageModel } from '../model/language-model.ts';
import { sessionIdProblem } from '../saved-sessions/session-store.ts';
import type { AgentOptions } from './agent-options.ts';
import { bridleOptionFor, optionHint, type OptionGroup } from './foreign-options.ts';

/** Names the Bridle option for an unknown one, as other SDKs call it. */
const hintsOf = (group: OptionGroup) => ({
  unknown: (field: string, known: readonly string[]) => `is not known${optionHint(group, field, known)}`,
});

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const text = is.that('a non-empty string', isText);
const texts = is.list(is.text);
const milliseconds = is.finitePositive;

/** Accepts `false`, which turns something off. */
const orFalse =
  (shape: Shape<unknown>): Shape<unknown> =>
  (value, limits) =>
    value === false ? value : shape(value, limits);

const model = is.that(
  'an AI SDK language model (v3 or v4), a name such as "anthropic/<id>", or a list of these',
  (value) => {
    const models: readonly unknown[] = Array.isArray(value) ? value : [value];
    return models.length > 0 && models.every((each) => isLanguageModel(each) || isText(each));
  },
);

const limits = is.options(Object.fromEntries(budgetKinds.map((kind) => [kind, is.count])), hintsOf('limits'));
const rate = is.record({ max: is.wholeNumber(1), perMs: milliseconds });
const rates = is.options({ modelCalls: rate, toolCalls: rate });
const account = is.that(
  'a non-empty string, no longer than 200 characters',
  (value) => isText(value) && (value as string).length <= 200,
);
const shared = is.options({ account, limits, rates }, { needed: ['account'] });

const prices = { input: is.count, output: is.count, cachedInput: is.count, cacheWrite: is.count };
const longPrices = is.options({ ...prices, above: is.count }, { needed: ['input', 'output', 'above'] });
/** A price that is not a number would make cost limits ineffective. */
const modelPrices = is.options({ ...prices, long: longPrices }, { needed: ['input', 'output'] });

/** The settings of a model call, as the AI SDK names them. */
const settings = is.options(
  {
    maxOutputTokens: is.wholeNumber(1),
    temperature: is.anyNumber,
    stopSequences: texts,
    topP: is.anyNumber,
    topK: is.anyNumber,
    presencePenalty: is.anyNumber,
    frequencyPenalty: is.anyNumber,
    seed: is.anyNumber,
    reasoning: text,
    responseFormat: is.anyObject,
    toolChoice: is.anyObject,
    headers: is.anyObject,
    providerOptions: is.anyObject,
  },
  hintsOf('settings'),
);

const subagent = is.options(
  {
    description: text,
    instructions: text,
    model,
    tools: is.anyList,
    policy: is.any,
    capabilities: is.any,
    subagents: texts,
    settings,
  },
  hintsOf('agent'),
);

const subagents: Shape<unknown> = (value, sizes) => {
  const read = is.map(subagent)(value, sizes);
  if (read instanceof Invalid) return read;
  const problems = Object.entries(read).flatMap(([name, each]) => {
    const named = is.name(name, sizes);
    if (named instanceof Invalid) return named.under(name).problems;
    if (name.includes('/')) return [{ path: [name], text: 'must not contain "/"' }];
    const mayStart = (each.subagents ?? []) as readonly string[];
    const unknown = mayStart.find((other) => !Object.hasOwn(read, other));
    return unknown === undefined
      ? []
      : [{ path: [name], text: `may start "${unknown}", but no subagent has that name` }];
  });
  return problems.length === 0 ? read : new Invalid(problems);
};

const builtins = is.options({
  shell: text,
  env: is.anyObject,
  commandTimeoutMs: milliseconds,
  ripgrep: is.that('a path or false', (value) => value === false || typeof value === 'string'),
  allowPrivateHosts: is.flag,
  allowedHosts: texts,
  redirects: is.any,
  resolve: is.func,
  generateImage: is.func,
  searchWeb: is.func,
});

const sessionFields = {
  id: is.without(sessionIdProblem),
  store: is.methods('load', 'save'),
  mode: is.oneOf('resume', 'createOrResume', 'createOnly'),
};

const memory = is.that('an object with a method preTurnContext or postTurnObserve', (value) => {
  const { preTurnContext, postTurnObserve } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const given = [preTurnContext, postTurnObserve].filter((method) => method !== undefined);
  return given.length > 0 && given.every((method) => typeof method === 'function');
});

const trigger = is.that('a trigger with a name and a start method', (value) => {
  const { name, start } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof name === 'string' && name !== '' && typeof start === 'function';
});

/** Options that `createGuard` validates are only checked for their type here. */
const agentShape = is.options<AgentOptions>(
  {
    model,
    name: is.name,
    instructions: text,
    tools: is.that('a list such as [defineTool({ name, run, … })]', Array.isArray),
    builtins,
    capabilities: (value, sizes) => (typeof value === 'string' ? value : is.anyObject(value, sizes)),
    mcpServers: is.that('a list such as [{ name, command, args }]', Array.isArray),
    pins: orFalse(text),
    hooks: is.anyList,
    resultOrder: is.oneOf(...resultOrders),
    policy: is.that(
      'a rule, a list of rules, or the path of a policy file',
      (value) => (typeof value === 'object' && value !== null) || isText(value),
    ),
    default: is.oneOf('allow', 'ask', 'deny'),
    workspaces: texts,
    cwd: text,
    approver: is.func,
    store: is.that(
      'a store: await openStore() from bridle/store',
      (value) => (value as { readonly type?: unknown } | null)?.type === 'bridle-store',
    ),
    answerers: texts,
    mask: orFalse(is.func),
    memory,
    budget: is.options({ perTurn: limits, perSession: limits, rates, shared }),
    subagents,
    subagentDepth: is.wholeNumber(1),
    triggers: is.list(trigger),
    session: is.options(sessionFields, hintsOf('session')),
    state: is.anyObject,
    compaction: is.options({ atTokens: orFalse(is.wholeNumber(1)), keepTurns: is.wholeNumber(1) }),
    journal: is.any,
    limits: is.any,
    grant: is.any,
    settings,
    retries: is.wholeNumber(0),
    modelTimeoutMs: milliseconds,
    maxSteps: is.wholeNumber(1),
    prices: is.map(modelPrices),
    loop: (value, sizes) => {
      const read = is.anyObject(value, sizes);
      const problem = read instanceof Invalid ? undefined : loopProblem(read as Readonly<Record<string, unknown>>);
      return problem === undefined ? read : invalid(problem);
    },
    telemetry: is.flag,
    timeoutMs: milliseconds,
    askTimeoutMs: milliseconds,
    journalTimeoutMs: milliseconds,
    clock: is.any,
  },
  { needed: ['model'], ...hintsOf('agent') },
);

const chatFields = { schema: is.anyObject, signal: is.anyObject };
const chatShape = is.options(chatFields, hintsOf('chat'));
const runShape = is.options(
  // The id is checked where it is used.
  { ...chatFields, id: is.any, hold: is.oneOf('process', 'release'), leaseMs: milliseconds },
  hintsOf('chat'),
);
const sessionShape = is.options({ ...sessionFields, id: is.any, state: is.anyObject }, hintsOf('session'));

export function checkAgentOptions(given: unknown): void {
  readOptions('createAgent', given, agentShape);
  const problems = sharedBudgetProblems(given as AgentOptions).map((each) => `createAgent: ${each}`);
  if (problems.length > 0) throw new BridleError('OPTION_INVALID', problems.join('; '), { problems });
}

/** Checks the options of `chat` and `stream`. */
export function checkChatOptions(given: object): void {
  readOptions('chat', given, chatShape);
}

/** Checks the options of `run` and `resume`. */
export function checkRunOptions(given: object): void {
  readOptions('run', given, runShape);
}

/** Checks the options of `open`. */
export function checkAgentSessionOptions(given: object): void {
  readOptions('open', given, sessionShape);
}

/** A shared budget needs a store for the counters, and a maximum length for answers. */
function sharedBudgetProblems({ budget, store, settings, subagents = {} }: AgentOptions): readonly string[] {
  const { shared, perTurn, perSession } = budget ?? {};
  if (shared === undefined) return [];
  const problems: string[] = [];
  if (store === undefined) {
    problems.push('option "budget.shared" needs a store: createAgent({ store: await openStore() })');
  }
  const limited = (['outputTokens', 'cost'] as const).find((each) => shared.limits?.[each] !== undefined);
  const isBounded = perTurn?.outputTokens !== undefined || perSession?.outputTokens !== undefined;
  if (limited === undefined || isBounded) return problems;
  const settingsByPath: readonly (readonly [string, JsonObject | undefined])[] = [
    ['settings', settings],
    ...Object.entries(subagents).map(([name, each]) => [`subagents.${name}.settings`, each.settings] as const),
  ];
  for (const [path, each] of settingsByPath) {
    if (each?.['maxOutputTokens'] !== undefined) continue;
    const why = 'tokens are reserved before each model call, so every answer needs a maximum length';
    problems.push(`option "budget.shared.limits.${limited}" needs "${path}.maxOutputTokens": ${why}`);
  }
  return problems;
}

/**
 * A loop may have other methods, but a method that another SDK would call is an error here, because Bridle never calls
 * it.
 */
function loopProblem(loop: Readonly<Record<string, unknown>>): string | undefined {
  const { name } = loop;
  if (typeof name !== 'string' || name.trim() === '') return 'has no name';
  for (const method of ['run', 'start', 'stop', 'revise']) {
    const isMethod = typeof loop[method] === 'function';
    if (!isMethod && loop[method] !== undefined) return `has a ${method} that is not a function`;
    const uncalled = isMethod
      ? undefined
      : methodNames(loop).find((each) => bridleOptionFor('loop', each) === `"${method}"`);
    if (uncalled !== undefined) return `has a method "${uncalled}", which is never called; use "${method}"`;
  }
  return loop['run'] === undefined ? 'has no method run' : undefined;
}

/** The method names of an object, inherited ones included. */
function methodNames(loop: object): readonly string[] {
  const names: string[] = [];
  for (let each = loop; each !== null && each !== Object.prototype; each = Object.getPrototypeOf(each) as object) {
    const own = Object.entries(Object.getOwnPropertyDescriptors(each));
    names.push(...own.filter(([, { value }]) => typeof value === 'function').map(([name]) => name));
  }
  return names;
}
