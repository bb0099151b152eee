/** Conditions for tests: a call, facts whose results are in their entries, and the result of a condition. */

import type { ToolCall } from '../../src/kernel/call.ts';
import { compileCondition, type ConditionEnvironment } from '../../src/policy-files/cel/compile-condition.ts';
import type { ConditionFacts } from '../../src/policy-files/cel/functions/function-row.ts';
import { BridleError } from '../../src/kernel/errors.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import type { StandardSchema, ToolDeclaration } from '../../src/kernel/tool.ts';
import { type Truth, unknownBecause } from '../../src/facts/truth.ts';

/** `runs("yes")` is true, `runs("no")` false, `runs("unsure")` unknown, `runs("")` refused at load. */
function answer([entry = '']: readonly string[]): Truth {
  if (entry === '') throw new BridleError('RULE_INVALID', 'An entry is empty.');
  return entry === 'unsure' ? unknownBecause('it is a test') : entry === 'yes';
}

function hostOf(text: string): string {
  return text.replace(/^\w+:\/\//, '').replace(/\/.*/, '');
}

export const facts: ConditionFacts = {
  runs: (entries) => fixed(answer(entries)),
  runsListed: (entries) => fixed(answer(entries)),
  runsOnly: (entries) => fixed(answer(entries)),
  opaque: () => fixed(unknownBecause('it is opaque')),
  reads: (glob) => fixed(answer([glob])),
  writes: (glob) => fixed(answer([glob])),
  readsInside: (folders) => fixed(answer(folders)),
  writesInside: (folders) => fixed(answer(folders)),
  worksIn: (folders) => fixed(answer(folders)),
  isPublicHost: () => fixed(unknownBecause('nobody knows the host')),
  underDomain: (name) => fixed(answer([name])),
  host: () => () => unknownBecause('nobody knows the host'),
  runsIn: (text, entries) => entries.includes(text),
  runsOnlyIn: (text, entries) => entries.every((entry) => entry === text),
  opaqueIn: (text) => text === 'make',
  hostOf,
  isPublicHostOf: (text) =>
    hostOf(text) === 'unsure' ? unknownBecause('the host cannot be told') : hostOf(text).includes('.'),
  underDomainOf: (text, name) => hostOf(text) === name || hostOf(text).endsWith(`.${name}`),
};

function fixed(truth: Truth): () => Truth {
  return () => truth;
}

/** A tool whose arguments are described by a JSON Schema. */
export function toolWith(
  properties: JsonObject,
  required: readonly string[] = [],
  more: JsonObject = {},
): ToolDeclaration {
  const schema = { type: 'object', properties, required, ...more };
  const standard: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => ({ value }),
      jsonSchema: { input: () => schema },
    },
  };
  return { name: 'tool', schema: standard };
}

export function worldOf(...tools: readonly ToolDeclaration[]): ConditionEnvironment {
  return { tools, complete: tools.length > 0, facts };
}

export const call: ToolCall = {
  id: 'c1' as ToolCall['id'],
  tool: 'deploy',
  server: undefined,
  displayName: 'Deploy',
  tier: 'confirm',
  args: {},
  requested: {},
  cwd: undefined,
  session: 's1' as ToolCall['session'],
  turn: 2,
  step: 3,
  agent: ['root', 'helper'],
};

/** True, false, `unknown`, or `failed: why`. */
export function outcome(
  source: string,
  args: JsonObject = {},
  world: ConditionEnvironment = worldOf(),
): boolean | string {
  const { evaluate, problems } = compileCondition(source, world);
  const error = problems.find(({ severity }) => severity === 'error');
  if (error !== undefined) return `error: ${error.message}`;
  try {
    const about = { tool: { name: 'deploy' }, state: { session: { count: 2 }, turn: {} } };
    return evaluate(args, call, about);
  } catch (thrown) {
    if (!(thrown instanceof BridleError)) throw thrown;
    return thrown.code === 'FACT_UNKNOWN' ? 'unknown' : `failed: ${thrown.message}`;
  }
}

/** The problems of a condition as `severity "the characters" message`. */
export function problemsOf(source: string, world: ConditionEnvironment = worldOf()): readonly string[] {
  return compileCondition(source, world).problems.map(
    ({ severity, offset, end, message }) => `${severity} "${source.slice(offset, end)}" ${message}`,
  );
}
