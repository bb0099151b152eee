/** Builds access to variables, fields and items. Only own properties of plain data are ever read. */

import type { JsonObject } from '../../kernel/json.ts';
import {
  nearestName,
  type CheckedExpression,
  rejectExpression,
  type ExpressionScope,
} from './expression/checked-expression.ts';
import { describeType, type CelType, dyn, int, isNumber, string, invalidType } from './expression/cel-type.ts';
import {
  type Evaluation,
  failure,
  kindOfValue,
  type Evaluator,
  NoValue,
  type CelValue,
} from './expression/evaluation.ts';
import { type ASTNode, spanOf, type TextSpan } from './syntax/parse-condition.ts';
import { fieldPath } from './syntax/field-presence.ts';

type CallField = {
  readonly type: CelType;
  readonly read: (evaluation: Evaluation) => CelValue;
  readonly description: string;
};

/** The fields of `call` that a condition can read. */
export const callFields: ReadonlyMap<string, CallField> = new Map(
  Object.entries({
    tool: { type: string, read: ({ call }) => call.tool, description: 'the name of the tool' },
    server: {
      type: string,
      read: ({ call }) => call.server ?? '',
      description: 'its MCP server, `""` for a local tool',
    },
    tier: { type: string, read: ({ call }) => call.tier, description: '`"observe"` or `"confirm"`' },
    displayName: { type: string, read: ({ call }) => call.displayName, description: 'the name that a person sees' },
    agent: {
      type: { kind: 'list', item: string },
      read: ({ call }) => call.agent,
      description: 'the agents, from the root to the calling agent',
    },
    cwd: {
      type: string,
      read: ({ call }) => call.cwd ?? '',
      description: 'the folder that relative paths start in, `""` if unknown',
    },
    session: { type: string, read: ({ call }) => call.session, description: 'the id of the session' },
    turn: { type: int, read: ({ call }) => call.turn, description: 'the number of the turn' },
    step: { type: int, read: ({ call }) => call.step, description: 'the number of the step in the turn' },
  } satisfies Record<string, CallField>),
);

export function buildVariable(node: ASTNode & { readonly op: 'id' }, scope: ExpressionScope): CheckedExpression {
  const name = node.args;
  if (name === 'call')
    return rejectExpression(scope, node, `Read a field of the call: ${[...callFields.keys()].join(', ')}.`);
  if (name === 'args') scope.findings.readsAll = true;
  return variable(node, scope);
}

export function buildField(node: ASTNode & { readonly op: '.' }, scope: ExpressionScope): CheckedExpression {
  const [of, name] = node.args;
  return fieldAccess({ node, of, name }, scope).value;
}

export function buildItem(node: ASTNode & { readonly op: '[]' }, scope: ExpressionScope): CheckedExpression {
  const [of, index] = node.args;
  if (index.op === 'value' && typeof index.args === 'string')
    return fieldAccess({ node, of, name: index.args }, scope).value;
  const [base, key] = [scope.build(of, scope), scope.build(index, scope)];
  const kind = base.type.kind;
  if (kind !== 'list' && kind !== 'map' && kind !== 'dyn')
    return rejectExpression(scope, node, `A ${kind} has no items.`);
  const fits =
    key.type.kind === 'dyn' ||
    (kind !== 'map' && isNumber(key.type)) ||
    (kind !== 'list' && key.type.kind === 'string');
  if (!fits) return rejectExpression(scope, index, `${describeType(key.type)} cannot be an index here.`);
  if (kind === 'map') scope.findings.note(node, 'warning', 'This field may be missing; if it is, the call is denied.');
  const type = base.type.kind === 'list' ? base.type.item : dyn;
  const at = spanOf(node);
  return { type, run: (evaluation) => itemOf(base.run(evaluation), key.run(evaluation), at) };
}

/** `has(args.x)`: true if the field exists. */
export function buildHas(node: ASTNode & { readonly op: 'call' }, scope: ExpressionScope): CheckedExpression {
  const [of, ...more] = node.args[1];
  if (of !== undefined && more.length === 0) {
    if (of.op === '.') return fieldAccess({ node: of, of: of.args[0], name: of.args[1] }, scope).presence;
    if (of.op === '[]' && of.args[1].op === 'value' && typeof of.args[1].args === 'string') {
      return fieldAccess({ node: of, of: of.args[0], name: of.args[1].args }, scope).presence;
    }
  }
  return rejectExpression(scope, node, 'has() takes one field: has(args.name).');
}

interface FieldNode {
  readonly node: ASTNode;
  readonly of: ASTNode;
  readonly name: string;
}

/**
 * Access to a field: its value and its presence. The value is built only on demand, because only reading a field that
 * may be missing is a problem.
 */
function fieldAccess(
  { node, of, name }: FieldNode,
  scope: ExpressionScope,
): { readonly value: CheckedExpression; readonly presence: CheckedExpression } {
  const rootName = of.op === 'id' ? of.args : undefined;
  if (rootName === 'call' && !scope.variables.has('call')) {
    const part = callField(node, name, scope);
    return { value: part, presence: { type: { kind: 'bool' }, run: () => true } };
  }
  if (rootName === 'args') scope.findings.reads.add(name);
  const base = of.op === 'id' ? variable(of, scope) : scope.build(of, scope);
  const found = lookUpField(base.type, name);
  const at = spanOf(node);
  checkFieldName({ node, of, name }, base.type, scope);
  if (found === undefined) {
    const missing: CheckedExpression = { type: invalidType, run: () => failure(`there is no field "${name}"`, at) };
    return { value: missing, presence: missing };
  }
  return {
    get value() {
      const path = fieldPath(of, name);
      if (found.presence !== 'always' && (path === undefined || !scope.presentFields.has(path))) {
        scope.findings.note(
          node,
          found.presence === 'sometimes' ? 'error' : 'warning',
          missingGuardMessage(rootName, name, found.presence),
        );
      }
      return { type: found.type, run: readField(base.run, name, at) };
    },
    presence: { type: { kind: 'bool' }, run: findField(base.run, name, at) },
  };
}

function lookUpField(type: CelType, name: string): { readonly type: CelType; readonly presence: string } | undefined {
  if (type === invalidType) return { type: invalidType, presence: 'always' };
  if (type.kind === 'dyn') return { type: dyn, presence: 'unspecified' };
  if (type.kind !== 'map') return undefined;
  return type.fields.get(name) ?? (type.open ? { type: dyn, presence: 'unspecified' } : undefined);
}

/** Reports an unknown field name. It is probably a typo, and a rule that uses it would never apply. */
export function checkFieldName({ node, of, name }: FieldNode, type: CelType, scope: ExpressionScope): void {
  if (type.kind === 'dyn') return;
  if (type.kind !== 'map') return scope.findings.note(node, 'error', `${describeType(type)} has no fields.`);
  if (type.fields.has(name) || (type.open && type.fields.size === 0)) return;
  const isArgument = of.op === 'id' && of.args === 'args';
  const known = type.open ? 'known tool' : 'tool';
  const message = isArgument
    ? `No ${known} of this rule has an argument "${name}".`
    : `There is no field "${name}" here.`;
  scope.findings.note(node, type.open ? 'warning' : 'error', message + suggestField(name, [...type.fields.keys()]));
}

const maxSuggested = 12;

function suggestField(name: string, known: readonly string[]): string {
  const partialMatch = known.find((each) => each.startsWith(`${name}_`) || each.endsWith(`_${name}`));
  const suggestion = nearestName(name, known) ?? partialMatch;
  if (suggestion !== undefined) return ` Did you mean "${suggestion}"?`;
  if (known.length === 0) return '';
  return ` Known fields: ${known.slice(0, maxSuggested).join(', ')}${known.length > maxSuggested ? ', …' : ''}.`;
}

function missingGuardMessage(rootName: string | undefined, name: string, presence: string): string {
  const thing = rootName === 'args' ? 'argument' : 'field';
  const isName = /^[A-Za-z_]\w*$/.test(name);
  const guard =
    rootName === undefined ? 'has(…)' : isName ? `has(${rootName}.${name})` : `${JSON.stringify(name)} in ${rootName}`;
  const doubt = presence === 'sometimes' ? 'is optional' : 'may be missing';
  return `The ${thing} "${name}" ${doubt}, and a call without it is denied. Check first: ${guard} && …`;
}

function callField(node: ASTNode, name: string, scope: ExpressionScope): CheckedExpression {
  const found = callFields.get(name);
  if (found !== undefined) return { type: found.type, run: found.read };
  const suggestion = nearestName(name, callFields.keys());
  const known = `It has ${[...callFields.keys()].join(', ')}.`;
  return rejectExpression(
    scope,
    node,
    `A call has no field "${name}". ${suggestion === undefined ? known : `Did you mean "${suggestion}"?`}`,
  );
}

function variable(node: ASTNode & { readonly op: 'id' }, scope: ExpressionScope): CheckedExpression {
  const found = scope.variables.get(node.args);
  if (found !== undefined) return found;
  const suggestion = nearestName(node.args, [...scope.variables.keys(), 'call']);
  const hint =
    suggestion === undefined
      ? `Known variables: ${[...scope.variables.keys(), 'call'].join(', ')}.`
      : `Did you mean "${suggestion}"?`;
  return rejectExpression(scope, node, `There is no variable "${node.args}". ${hint}`);
}

export function isMap(value: CelValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NoValue);
}

function readField(base: Evaluator, name: string, at: TextSpan): Evaluator {
  return (evaluation) => {
    const map = base(evaluation);
    if (isMap(map) && Object.hasOwn(map, name)) return map[name] as CelValue;
    if (map instanceof NoValue) return map;
    return failure(isMap(map) ? `there is no field "${name}"` : `a ${kindOfValue(map)} has no field "${name}"`, at);
  };
}

function findField(base: Evaluator, name: string, at: TextSpan): Evaluator {
  return (evaluation) => {
    const map = base(evaluation);
    if (isMap(map)) return Object.hasOwn(map, name);
    return map instanceof NoValue ? map : failure(`a ${kindOfValue(map)} has no field "${name}"`, at);
  };
}

function itemOf(base: CelValue, key: CelValue, at: TextSpan): CelValue {
  if (base instanceof NoValue) return key instanceof NoValue && key.type === 'failed' ? key : base;
  if (key instanceof NoValue) return key;
  if (Array.isArray(base) && typeof key === 'number') {
    const items = base as readonly CelValue[];
    return Number.isInteger(key) && key >= 0 && key < items.length
      ? (items[key] as CelValue)
      : failure(`the list has no item ${key}`, at);
  }
  if (isMap(base) && typeof key === 'string') {
    return Object.hasOwn(base, key) ? (base[key] as CelValue) : failure('the map has no such field', at);
  }
  return failure(`a ${kindOfValue(base)} has no item for a ${kindOfValue(key)}`, at);
}
