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
import { type LayerGroup, LayerStack, type StackedLayer } from './layer-stack.ts';
import type { PolicyFinding, PolicyLayer } from './loaded-policy.ts';
import type { PolicyFileRead } from './policy-files.ts';
import { viewBy, viewByAll } from './told-tools.ts';

export interface StackParts {
  /** Rules of the engine's own and of whoever runs the agent: they only tighten what files say. */
  readonly above: readonly Rules[];
  /** What holds in the place of files that may only tighten. */
  readonly base?: Rules | undefined;
  /** Layers above the policy itself, the highest first. */
  readonly higher?: readonly PolicyFileRead[] | undefined;
  /** What is in force in full. */
  readonly files: readonly PolicyFileRead[];
  /** What the same files say now, where that may only tighten: it decides for itself, and the stricter answer counts. */
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
const engineFile = '(bridle)';

export function buildStack(parts: StackParts): BuiltStack {
  const { higher = [], tightening = [], options } = parts;
  const files = [...higher, ...parts.files];
  const above = parts.above.map((rules) => engineLayer(rules, parts));
  const base = parts.base === undefined ? [] : [engineLayer(parts.base, parts)];
  const read = [...files, ...tightening].map((file) => ({ file, compiled: compileFile(file, parts) }));
  const layers: PolicyLayer[] = [
    ...above,
    ...base,
    ...read.map(({ file, compiled }) => ({
      document: file.document,
      get policy() {
        return compiled.policy;
      },
    })),
  ];
  const effect = defaultOf(files, options);
  const inForce = { fallback: fallbackOf({ default: effect, approver: options.approver }) };
  const latestDefault = defaultOf([...higher, ...tightening], options);
  const latest = { fallback: fallbackOf({ default: latestDefault, approver: options.approver }) };
  const viewOfAll = viewByAll(read.map(({ file }) => file.document));
  const groupAt = (index: number): LayerGroup | undefined => {
    if (index < above.length) return undefined;
    return index < above.length + base.length + files.length ? inForce : latest;
  };
  const engineLayers = above.length + base.length;
  const stacked = layers.map((layer, index): StackedLayer => ({
    get policy() {
      return layer.policy;
    },
    narrow: read[index - engineLayers]?.compiled.narrow,
    view: index < engineLayers ? viewOfAll : viewBy(layer.document),
    group: groupAt(index),
  }));
  const defaults = tightening.length === 0 ? [effect] : [effect, latestDefault];
  const version = (): string => {
    const versions = [...above, ...base].map(({ policy }) => policy.version);
    return versionOf(versions, defaults, [...files, ...tightening]);
  };
  return {
    stack: new LayerStack(stacked, version),
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

/** The highest file that sets one; whoever compiles a further layer has said that it abstains. */
function defaultOf(files: readonly PolicyFileRead[], { default: given, approver }: CompileOptions): Effect {
  const own = files.find(({ document }) => document.default !== undefined)?.document.default;
  const effect = given ?? own ?? 'deny';
  if (effect === 'ask' && approver === undefined) throw nobodyAnswers(files);
  return effect;
}

function nobodyAnswers(files: readonly PolicyFileRead[]): BridleError {
  const file = files.find(({ document }) => document.default === 'ask')?.document.file;
  return new BridleError('POLICY_INVALID', `${file}: the default is ask, and nobody can answer; give an approver`);
}

/** The hash of what decides: not of comments, places or tests. */
function versionOf(above: readonly string[], effects: readonly Effect[], files: readonly PolicyFileRead[]): string {
  const said = files.map(({ path, document: { workspaces, servers, tools, rules } }) => [
    workspaces === undefined ? null : [path, workspaces.map(({ text }) => text)],
    servers?.map(({ at: _at, ...server }) => server) ?? null,
    tools.map(({ target, ...tool }) => [target.text, tool]),
    rules.map(({ at: _at, targets, when, ...rule }) => [targets.map(({ text }) => text), when?.text ?? null, rule]),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([above, effects, said]))
    .digest('hex')
    .slice(0, 32);
}
