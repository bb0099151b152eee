/** From files to a stack of layers that decides: the one way, for agents and for commands. */

import { createHash } from 'node:crypto';
import type { Effect } from '../call.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { BridleError } from '../errors.ts';
import { compileFor } from '../policy/compile.ts';
import { type CompileOptions, fallbackOf } from '../policy/compile-options.ts';
import type { Rules } from '../policy/rule.ts';
import { type CompiledDocument, compileDocument } from './compile-document.ts';
import type { PolicyDocument } from './document.ts';
import { LayerStack, type StackedLayer } from './layer-stack.ts';
import type { PolicyFinding, PolicyLayer } from './loaded-policy.ts';
import type { PolicyFileRead } from './policy-files.ts';
import { viewBy, viewByAll } from './told-tools.ts';

export interface StackParts {
  /** Rules of the engine's own and of whoever runs the agent: they only tighten what files say. */
  readonly above: readonly Rules[];
  /** What holds in the place of files that may only tighten. */
  readonly base?: Rules | undefined;
  /** The highest first. */
  readonly files: readonly PolicyFileRead[];
  /** Files that may only tighten: below the others, and without a say in the default. */
  readonly tightening?: readonly PolicyFileRead[] | undefined;
  readonly catalog: Catalog;
  readonly options: CompileOptions;
}

export interface BuiltStack {
  readonly stack: LayerStack;
  readonly layers: readonly PolicyLayer[];
  readonly default: Effect;
  readonly findings: readonly PolicyFinding[];
}

/** The layer of the engine itself, as explanations name it. */
export const engineFile = '(bridle)';

export function buildStack(parts: StackParts): BuiltStack {
  const { files, tightening = [], options } = parts;
  const above = parts.above.map((rules) => engineLayer(rules, parts));
  const base = parts.base === undefined ? [] : [engineLayer(parts.base, parts)];
  const read = [...files, ...tightening].map((file) => ({ file, compiled: compileFile(file, parts) }));
  const layers: PolicyLayer[] = [
    ...above,
    ...base,
    ...read.map(({ file, compiled }) => ({ document: file.document, policy: compiled.policy })),
  ];
  // Whoever compiles a further layer has said that it abstains.
  const own = files.find(({ document }) => document.default !== undefined)?.document.default;
  const effect = options.default ?? own ?? 'deny';
  if (effect === 'ask' && options.approver === undefined) throw nobodyAnswers(files);
  const counting = new Set<PolicyLayer>(layers.slice(above.length, above.length + base.length + files.length));
  const engine = new Set<PolicyLayer>([...above, ...base]);
  const viewOfAll = viewByAll(read.map(({ file }) => file.document));
  const stacked = layers.map((layer): StackedLayer => ({
    policy: layer.policy,
    view: engine.has(layer) ? viewOfAll : viewBy(layer.document),
    tightens: !counting.has(layer),
  }));
  const versions = [...above, ...base].map(({ policy }) => policy.version);
  const version = (): string => versionOf(versions, effect, [...files, ...tightening]);
  return {
    stack: new LayerStack(stacked, fallbackOf({ default: effect, approver: options.approver }), version),
    layers,
    default: effect,
    get findings() {
      const all = read.flatMap(({ compiled }) => compiled.findings());
      return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
    },
  };
}

function compileFile(file: PolicyFileRead, { catalog, options }: StackParts): CompiledDocument {
  const declared = file.document.servers?.map(({ name }) => name);
  const servers = [...new Set([...(options.servers ?? []), ...(declared ?? [])])];
  const given = options.servers === undefined && declared === undefined ? undefined : servers;
  return compileDocument(file.document, {
    catalog,
    options: { ...options, servers: given },
    path: file.path,
    checked: file.cached,
  });
}

function engineLayer(rules: Rules, { catalog, options }: StackParts): PolicyLayer {
  const document: PolicyDocument = { file: engineFile, version: 1, extends: [], tools: [], rules: [], tests: [] };
  return { document, policy: compileFor(catalog, rules, { ...options, default: 'allow' }) };
}

function nobodyAnswers(files: readonly PolicyFileRead[]): BridleError {
  const file = files.find(({ document }) => document.default === 'ask')?.document.file;
  return new BridleError('POLICY_INVALID', `${file}: the default is ask, and nobody can answer; give an approver`);
}

/** The hash of what decides: not of comments, places or tests. */
function versionOf(above: readonly string[], effect: Effect, files: readonly PolicyFileRead[]): string {
  const said = files.map(({ path, document: { workspaces, servers, tools, rules } }) => [
    workspaces === undefined ? null : [path, workspaces.map(({ text }) => text)],
    servers?.map(({ at: _at, ...server }) => server) ?? null,
    tools.map(({ target, ...tool }) => [target.text, tool]),
    rules.map(({ at: _at, targets, when, ...rule }) => [targets.map(({ text }) => text), when?.text ?? null, rule]),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([above, effect, said]))
    .digest('hex')
    .slice(0, 32);
}
