/** Builds a stack of layers from policy files. Agents and commands both use it. */

import { createHash } from 'node:crypto';
import type { Effect } from '../../kernel/call.ts';
import type { Catalog } from '../../kernel/catalog/catalog.ts';
import { BridleError } from '../../kernel/errors.ts';
import { compilePolicyFor } from '../../kernel/policy/compiler/compile-policy.ts';
import { type CompileOptions, policyDefaultOf } from '../../kernel/policy/compiler/compile-options.ts';
import type { Policy } from '../../kernel/policy/evaluator/policy.ts';
import { lazy } from '../../kernel/lazy.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import { type CompiledPolicyFile, compilePolicyFile } from './compile-policy-file.ts';
import type { PolicyFile } from '../policy-file.ts';
import { type Layer, Layers } from './layers.ts';
import type { PolicyFinding, PolicyLayer } from '../loaded-policy.ts';
import { hooksHash, type PolicyFileOnDisk } from '../read/read-policy-files.ts';
import { callViewOf, strictestCallView } from './tool-descriptions.ts';

export interface StackParts {
  /** Rules of the engine and of the host application. They can only make decisions stricter. */
  readonly extraRules: readonly Rules[];
  /** The rules that apply instead of files that are not trusted. */
  readonly baseRules?: Rules | undefined;
  /** Files above the policy, the highest first. */
  readonly higher?: readonly PolicyFileOnDisk[] | undefined;
  /** The files that are fully in force. */
  readonly files: readonly PolicyFileOnDisk[];
  /**
   * The current contents of the same files, if they are not trusted. They are evaluated separately, and the stricter
   * decision wins.
   */
  readonly tightening?: readonly PolicyFileOnDisk[] | undefined;
  readonly catalog: Catalog;
  readonly options: CompileOptions;
}

export interface BuiltStack {
  readonly stack: Layers<Policy>;
  readonly layers: readonly PolicyLayer[];
  readonly default: Effect;
  readonly findings: readonly PolicyFinding[];
}

/** How explanations name the layers that come from no file. */
const engineFile = '(built-in protection)';
const baseFile = '(safe defaults)';

export function buildStack(parts: StackParts): BuiltStack {
  const { higher = [], tightening = [], options } = parts;
  const files = [...higher, ...parts.files];
  const extraLayers = parts.extraRules.map((rules) => engineLayer(rules, parts, engineFile));
  const baseLayers = parts.baseRules === undefined ? [] : [engineLayer(parts.baseRules, parts, baseFile)];
  const compiledFiles = [...files, ...tightening].map((file) => ({ file, compiled: compileFile(file, parts) }));
  const layers: PolicyLayer[] = [
    ...extraLayers,
    ...baseLayers,
    ...compiledFiles.map(({ file, compiled }) => ({
      policyFile: file.policyFile,
      get policy() {
        return compiled.policy;
      },
    })),
  ];
  const effect = defaultOf(files, options);
  const inForce = policyDefaultOf({ default: effect, approver: options.approver });
  const latestDefault = defaultOf([...higher, ...tightening], options);
  const latest = policyDefaultOf({ default: latestDefault, approver: options.approver });
  const viewOfAll = strictestCallView(compiledFiles.map(({ file }) => file.policyFile));
  const defaultAt = (index: number): Layer['default'] => {
    if (index < extraLayers.length) return 'none';
    return index < extraLayers.length + baseLayers.length + files.length ? inForce : latest;
  };
  const engineLayers = extraLayers.length + baseLayers.length;
  const stacked = layers.map((layer, index): Layer<Policy> => ({
    get policy() {
      return layer.policy;
    },
    policyFor: compiledFiles[index - engineLayers]?.compiled.policyFor,
    view: index < engineLayers ? viewOfAll : callViewOf(layer.policyFile),
    default: defaultAt(index),
  }));
  const defaults = tightening.length === 0 ? [effect] : [effect, latestDefault];
  const version = lazy((): string => {
    const versions = [...extraLayers, ...baseLayers].map(({ policy }) => policy.version);
    return versionOf(versions, defaults, [...files, ...tightening]);
  });
  return {
    stack: new Layers(stacked, version),
    layers,
    default: effect,
    get findings() {
      const all = compiledFiles.flatMap(({ compiled }) => compiled.findings());
      return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
    },
  };
}

function compileFile(file: PolicyFileOnDisk, { catalog, options }: StackParts): CompiledPolicyFile {
  const declared = file.policyFile.servers?.map(({ name }) => name);
  const servers = [...new Set([...(options.servers ?? []), ...(declared ?? [])])];
  const given = options.servers === undefined && declared === undefined ? undefined : servers;
  return compilePolicyFile(file.policyFile, {
    catalog,
    options: { ...options, servers: given },
    path: file.path,
    alreadyChecked: file.cached,
  });
}

function engineLayer(rules: Rules, { catalog, options }: StackParts, file: string): PolicyLayer {
  const policyFile: PolicyFile = { file, version: 1, extends: [], tools: [], rules: [], tests: [] };
  return { policyFile, policy: compilePolicyFor(catalog, rules, { ...options, default: 'allow' }) };
}

/** The default of the highest file that sets one. `options.default` overrides it, for a layer that abstains. */
function defaultOf(files: readonly PolicyFileOnDisk[], { default: given, approver }: CompileOptions): Effect {
  const own = files.find(({ policyFile }) => policyFile.default !== undefined)?.policyFile.default;
  const effect = given ?? own ?? 'deny';
  if (effect === 'ask' && approver === undefined) throw noApproverError(files);
  return effect;
}

function noApproverError(files: readonly PolicyFileOnDisk[]): BridleError {
  const file = files.find(({ policyFile }) => policyFile.default === 'ask')?.policyFile.file;
  return new BridleError('POLICY_INVALID', `${file}: the default is ask, but no one can answer; set an approver`);
}

/** Hash of everything that affects decisions: not of comments, positions or tests. */
function versionOf(
  ruleVersions: readonly string[],
  effects: readonly Effect[],
  files: readonly PolicyFileOnDisk[],
): string {
  const decidingContent = files.map(({ path, policyFile: { workspaces, servers, tools, rules } }) => [
    workspaces === undefined ? null : [path, workspaces.map(({ text }) => text)],
    servers?.map(({ at: _at, ...server }) => server) ?? null,
    tools.map(({ target, ...tool }) => [target.text, tool]),
    rules.map(({ at: _at, targets, when, ...rule }) => [targets.map(({ text }) => text), when?.text ?? null, rule]),
  ]);
  const hooks = hooksHash(files);
  return createHash('sha256')
    .update(JSON.stringify([ruleVersions, effects, decidingContent, ...(hooks === undefined ? [] : [hooks])]))
    .digest('hex')
    .slice(0, 32);
}
