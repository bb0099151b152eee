/** Policies without files: hand-written documents, with functions as conditions. */

import { readCall } from '../../src/kernel/catalog/read-call.ts';
import type { PolicyFileRule, PolicyFileTest, PolicyFile } from '../../src/policy-files/policy-file.ts';
import { explainLayers, Layers } from '../../src/policy-files/layers/layers.ts';
import type { CheckRequest, LoadedPolicy, PolicyLayer } from '../../src/policy-files/loaded-policy.ts';
import { OpenCatalog } from '../../src/policy-files/layers/open-catalog.ts';
import type { Effect } from '../../src/kernel/call.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { deadlinesOf } from '../../src/kernel/deadlines.ts';
import type { SessionId } from '../../src/kernel/ids.ts';
import { defaultLimits } from '../../src/kernel/limits.ts';
import { compilePolicyFor } from '../../src/kernel/policy/compiler/compile-policy.ts';
import type { ScopeReader } from '../../src/kernel/policy/evaluator/compiled-rule.ts';
import { denyInvalid } from '../../src/kernel/policy/evaluator/policy.ts';
import { policyDefaultOf } from '../../src/kernel/policy/compiler/compile-options.ts';
import type { Rule, RuleCondition } from '../../src/kernel/policy/rules/rule.ts';
import { parseTarget } from '../../src/kernel/policy/rules/target.ts';
import type { ServerDeclaration, ToolDeclaration } from '../../src/kernel/tool.ts';

type RuleText = [effect: PolicyFileRule['effect'], targets: string | readonly string[], options?: RuleExtras];
type RuleExtras = Partial<Omit<PolicyFileRule, 'effect' | 'targets' | 'when' | 'at'>> & { readonly when?: string };

export interface RigDocument {
  readonly file?: string;
  readonly default?: Effect;
  readonly rules: readonly RuleText[];
  readonly tests?: readonly Omit<PolicyFileTest, 'at'>[];
  readonly servers?: readonly ServerDeclaration[];
}

export interface RigWorld {
  readonly tools?: readonly ToolDeclaration[];
  readonly servers?: readonly ServerDeclaration[];
  /** The meaning of each condition. */
  readonly conditions?: Readonly<Record<string, RuleCondition>>;
  /** Milliseconds since 1970. */
  readonly now?: number;
}

/** A rule is on the line of its number, starting at 1; a test is on the line of its number plus 100. */
export function documentOf({ file = 'bridle.yaml', rules, tests = [], ...rest }: RigDocument): PolicyFile {
  return {
    file,
    version: 1,
    default: rest.default,
    extends: [],
    servers: rest.servers?.map((server) => ({ ...server, at: { line: 1, column: 1 } })),
    tools: [],
    rules: rules.map(([effect, targets, { when, ...options } = {}], index) => {
      const at = { line: index + 1, column: 1 };
      const texts = [targets].flat();
      return {
        ...options,
        effect,
        at,
        targets: texts.map((text, place) => ({ text, at: { line: index + 1, column: 10 + place } })),
        when: when === undefined ? undefined : { text: when, at, stretches: [{ offset: 0, at }] },
      };
    }),
    tests: tests.map((test, index) => ({ ...test, at: { line: 101 + index, column: 1 } })),
  };
}

/** A policy of these files, highest first. */
export function policyOf(documents: readonly PolicyFile[], world: RigWorld = {}): LoadedPolicy {
  const { tools = [], servers = [] } = world;
  const declared = [...servers, ...documents.flatMap((document) => document.servers ?? [])];
  const named = documents.flatMap(({ rules }) =>
    rules.flatMap(({ targets }) => targets.map(({ text }) => parseTarget(text))),
  );
  const homes = named.flatMap((target) => ('server' in target && target.server !== undefined ? [target.server] : []));
  for (const { server } of tools) if (server !== undefined) homes.push(server);
  const all = [...new Map([...homes.map((name) => ({ name })), ...declared].map((each) => [each.name, each])).values()];
  const catalog = new OpenCatalog(
    tools,
    all.map(({ name }) => ({ name })),
  );
  const options = { tools, servers: all.map(({ name }) => name), approver: () => false, lenient: true } as const;
  const layers: PolicyLayer[] = documents.map((document) => ({
    policyFile: document,
    policy: compilePolicyFor(catalog, rulesOf(document, world), { ...options, default: 'allow' }),
  }));
  const effect = documents.find((document) => document.default !== undefined)?.default ?? 'deny';
  const fallback = policyDefaultOf({ default: effect, approver: options.approver });
  const stack = new Layers(
    layers.map(({ policy }) => ({ policy, default: fallback })),
    () => 'rig',
  );
  const read = (request: CheckRequest) => {
    const { cwd = '/work' } = request;
    const place = { session: 'rig' as SessionId, turn: 0, step: 0, agent: ['main'], cwd };
    return readCall(request, place, {
      catalog,
      limits: defaultLimits,
      deadlines: deadlinesOf(systemClock),
      policy: stack,
    });
  };
  return {
    layers,
    version: 'rig',
    trusted: true,
    default: effect,
    findings: [],
    hookModules: [],
    files: documents.map(({ file }) => file),
    tools,
    servers: all,
    cwd: '/work',
    catalog,
    evaluator: stack,
    async decide(request) {
      const { call, tool, problem } = await read(request);
      return problem === undefined ? stack.evaluate(call, tool, readerOf(request)) : denyInvalid(problem);
    },
    async explain(request) {
      const { call, tool, problem } = await read(request);
      if (problem !== undefined) return { decision: denyInvalid(problem), layers: [] };
      const explained = await explainLayers(stack, { call, tool, reader: readerOf(request) });
      return {
        decision: explained.decision,
        layers: explained.layers.map((each, index) => ({ ...each, layer: layers[index] as PolicyLayer })),
      };
    },
  };
}

function readerOf({ state }: CheckRequest): ScopeReader {
  return { scopeValues: () => ({ session: state?.session ?? {}, turn: state?.turn ?? {} }) };
}

function rulesOf(document: PolicyFile, { conditions = {}, now = Date.now() }: RigWorld): Rule[] {
  return document.rules.flatMap(({ effect, targets, name, reason, grant, shadow, when, expires, at }) =>
    targets.map((target): Rule => {
      const condition = when === undefined ? undefined : conditions[when.text];
      if (when !== undefined && condition === undefined) throw new RangeError(`No meaning is given for ${when.text}`);
      return {
        type: 'rule',
        effect,
        target: parseTarget(target.text),
        name: name === undefined || targets.length === 1 ? name : `${name}: ${target.text}`,
        reason,
        grant,
        shadow,
        when: expires === undefined ? condition : (...args) => now < expires && (condition?.(...args) ?? true),
        at: `${document.file}:${at.line}`,
      };
    }),
  );
}
