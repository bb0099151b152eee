/**
 * Generates calls that are likely to make a condition true or false, from the strings in the condition and from the
 * tests. Callers must ask the policy what it decides.
 */

import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type CallClass, sampleCallOf } from './call-classes.ts';
import { type ConditionPart, conditionParts } from '../cel/syntax/condition-parts.ts';
import type { CheckState, PolicyFileTest } from '../policy-file.ts';
import type { CheckRequest } from '../loaded-policy.ts';
import { argumentsWith, type ArgumentRole, sampleArgs } from './sample-args.ts';

/** One change to a plain call of a tool. */
interface CallChange {
  readonly args?: JsonObject;
  readonly state?: CheckState;
}

/** Calls of a class that vary what a condition checks. */
export function candidateCalls(condition: string, callClass: CallClass): readonly CheckRequest[] {
  const tool = callClass.declared ?? { name: callClass.tool };
  const groups = conditionParts(condition).map((part) => changesFor(part, tool));
  const single = groups.flat();
  // A conjunction needs several changes in one call.
  const combined = Array.from({ length: 3 }, (_, at) =>
    mergeChanges(groups.map((group) => group[at] ?? group[0] ?? {})),
  );
  return [...single, ...combined].map((change) => applyChange(change, callClass));
}

/** The call of a test. */
export function callOfTest({ tool, server, args, state }: PolicyFileTest, cwd: string | undefined): CheckRequest {
  return {
    tool,
    ...(server === undefined ? {} : { server }),
    args,
    ...(cwd === undefined ? {} : { cwd }),
    ...(state === undefined ? {} : { state }),
  };
}

function applyChange({ args, state }: CallChange, callClass: CallClass): CheckRequest {
  const base = callClass.declared === undefined ? {} : sampleArgs(callClass.declared);
  const call = sampleCallOf(callClass, { ...base, ...args });
  return state === undefined ? call : { ...call, state };
}

function mergeChanges(changes: readonly CallChange[]): CallChange {
  const args = Object.assign({}, ...changes.map((change) => change.args)) as JsonObject;
  const states = changes.flatMap(({ state }) => (state === undefined ? [] : [state]));
  if (states.length === 0) return { args };
  const session = Object.assign({}, ...states.map((state) => state.session)) as JsonObject;
  const turn = Object.assign({}, ...states.map((state) => state.turn)) as JsonObject;
  return { args, state: { session, turn } };
}

function changesFor(part: ConditionPart, tool: ToolDeclaration): readonly CallChange[] {
  switch (part.type) {
    case 'fact':
      return part.entries.flatMap((entry) => factChanges(part.name, entry, tool));
    case 'text':
      return textsAround(part.method, part.literal).map((text) => changeAt(part.path, text, tool));
    case 'comparison':
      return part.values.flatMap((value) => valuesAround(value).map((each) => changeAt(part.path, each, tool)));
    default:
      return part satisfies never;
  }
}

function factChanges(name: string, entry: string, tool: ToolDeclaration): readonly CallChange[] {
  const fillArguments = (role: ArgumentRole, texts: readonly string[]): CallChange[] =>
    argumentsWith(role, tool).flatMap((argument) => texts.map((text) => ({ args: { [argument]: text } })));
  if (name.startsWith('runs'))
    return fillArguments('command', [
      entry,
      `${entry} x`,
      `sudo ${entry}`,
      `true; ${entry}`,
      `${entry}; rm x`,
      '"$command" x',
    ]);
  if (name === 'reads' || name === 'writes') {
    const paths = pathsFor(entry);
    const lines = [...paths, '"$file"'].map((path) => (name === 'reads' ? `cat ${path}` : `touch ${path}`));
    return [...fillArguments('path', paths), ...fillArguments('command', lines)];
  }
  if (name === 'underDomain')
    return fillArguments(
      'url',
      [entry, `sub.${entry}`, `${entry}.example`].map((host) => `https://${host}/`),
    );
  return [];
}

/** Paths that the glob probably matches, and one that it does not. */
function pathsFor(glob: string): readonly string[] {
  const filled = glob
    .replaceAll(/\{([^,{}]*)[^{}]*\}/g, '$1')
    .replaceAll(/\[!?(.)[^\]]*\]/g, '$1')
    .replaceAll('?', 'x');
  const shallow = filled.replaceAll('**/', '').replaceAll('/**', '/x').replaceAll('**', 'x').replaceAll('*', 'x');
  const deep = filled.replaceAll('**', 'sub').replaceAll('*', 'x');
  return [...new Set([shallow, deep, `${shallow}x`])];
}

function textsAround(method: string, literal: string): readonly string[] {
  switch (method) {
    case 'startsWith':
      return [literal, `${literal}x`, `x${literal}`];
    case 'endsWith':
      return [literal, `x${literal}`, `${literal}x`];
    case 'matches':
      return [
        literal
          .replaceAll(/\\(.)/g, '$1')
          .replaceAll(/^\^|\$$/g, '')
          .replaceAll(/[*+?()[\]]/g, ''),
        'x',
      ];
    default:
      return [literal, `x${literal}x`, 'x'];
  }
}

function valuesAround(value: JsonValue): readonly JsonValue[] {
  if (typeof value === 'number') return [value, value - 1, value + 1];
  if (typeof value === 'boolean') return [value, !value];
  return typeof value === 'string' ? [value, `${value}x`] : [value];
}

function changeAt(path: readonly string[], value: JsonValue, tool: ToolDeclaration): CallChange {
  const [root, ...rest] = path;
  if (root === 'host()' && typeof value === 'string') {
    const url = `https://${value}/`;
    return { args: Object.fromEntries(argumentsWith('url', tool).map((name) => [name, url])) };
  }
  const nested = rest.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value) as JsonObject;
  if (rest.length === 0) return {};
  if (root === 'args') return { args: withCanonicalNames(nested, tool) };
  return root === 'session' || root === 'turn' ? { state: { [root]: nested } } : {};
}

/** A condition may name an argument by an alias. */
function withCanonicalNames(args: JsonObject, tool: ToolDeclaration): JsonObject {
  const aliases = tool.aliases?.args ?? {};
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [Object.hasOwn(aliases, name) ? String(aliases[name]) : name, value]),
  );
}
