/** Reading variables, fields and items. Only own properties of plain data are ever read. */

import type { JsonObject } from '../../json.ts';
import { nearestName } from './nearest-name.ts';
import { aType, type CelType, dyn, int, isNumber, string, wrong } from './cel-type.ts';
import { type Evaluation, failed, kindOfValue, type Run, Trouble, type Value } from './evaluation.ts';
import { type ASTNode, spanOf } from './parse.ts';
import { fieldPath } from './presence.ts';
import type { Span } from './problem.ts';
import { type Part, refuse, type Scope } from './scope.ts';

type CallField = { readonly type: CelType; readonly read: (evaluation: Evaluation) => Value; readonly about: string };

/** What a condition can read of the call itself. */
export const callFields: ReadonlyMap<string, CallField> = new Map(
  Object.entries({
    tool: { type: string, read: ({ call }) => call.tool, about: 'the name of the tool' },
    server: { type: string, read: ({ call }) => call.server ?? '', about: 'its MCP server, `""` for a local tool' },
    tier: { type: string, read: ({ call }) => call.tier, about: '`"observe"` or `"confirm"`' },
    displayName: { type: string, read: ({ call }) => call.displayName, about: 'what a person is shown' },
    agent: {
      type: { kind: 'list', item: string },
      read: ({ call }) => call.agent,
      about: 'the agents, from the root to the one that calls',
    },
    cwd: {
      type: string,
      read: ({ call }) => call.cwd ?? '',
      about: 'the folder relative paths start from, `""` if not known',
    },
    session: { type: string, read: ({ call }) => call.session, about: 'the id of the session' },
    turn: { type: int, read: ({ call }) => call.turn, about: 'the number of the turn' },
    step: { type: int, read: ({ call }) => call.step, about: 'the number of the step in the turn' },
  } satisfies Record<string, CallField>),
);

export function buildVariable(node: ASTNode & { readonly op: 'id' }, scope: Scope): Part {
  const name = node.args;
  if (name === 'call')
    return refuse(scope, node, `Only fields of the call can be read: ${[...callFields.keys()].join(', ')}.`);
  if (name === 'args') scope.findings.readsAll = true;
  return variable(node, scope);
}

export function buildField(node: ASTNode & { readonly op: '.' }, scope: Scope): Part {
  const [of, name] = node.args;
  return field({ node, of, name }, scope).value;
}

export function buildItem(node: ASTNode & { readonly op: '[]' }, scope: Scope): Part {
  const [of, index] = node.args;
  if (index.op === 'value' && typeof index.args === 'string') return field({ node, of, name: index.args }, scope).value;
  const [base, key] = [scope.build(of, scope), scope.build(index, scope)];
  const kind = base.type.kind;
  if (kind !== 'list' && kind !== 'map' && kind !== 'dyn') return refuse(scope, node, `A ${kind} has no items.`);
  const fits =
    key.type.kind === 'dyn' ||
    (kind !== 'map' && isNumber(key.type)) ||
    (kind !== 'list' && key.type.kind === 'string');
  if (!fits) return refuse(scope, index, `${aType(key.type)} cannot be an index here.`);
  if (kind === 'map') scope.findings.note(node, 'warning', 'This field may be missing, and then the call is denied.');
  const type = base.type.kind === 'list' ? base.type.item : dyn;
  const at = spanOf(node);
  return { type, run: (evaluation) => itemOf(base.run(evaluation), key.run(evaluation), at) };
}

/** `has(args.x)`: true if the field is there. */
export function buildHas(node: ASTNode & { readonly op: 'call' }, scope: Scope): Part {
  const [of, ...more] = node.args[1];
  if (of !== undefined && more.length === 0) {
    if (of.op === '.') return field({ node: of, of: of.args[0], name: of.args[1] }, scope).isThere;
    if (of.op === '[]' && of.args[1].op === 'value' && typeof of.args[1].args === 'string') {
      return field({ node: of, of: of.args[0], name: of.args[1].args }, scope).isThere;
    }
  }
  return refuse(scope, node, 'has() takes one field: has(args.name).');
}

interface FieldNode {
  readonly node: ASTNode;
  readonly of: ASTNode;
  readonly name: string;
}

/** A field, read or looked for. Its presence is only a matter if it is read, so each is built when it is asked for. */
function field({ node, of, name }: FieldNode, scope: Scope): { readonly value: Part; readonly isThere: Part } {
  const whole = of.op === 'id' ? of.args : undefined;
  if (whole === 'call' && !scope.variables.has('call')) {
    const part = callField(node, name, scope);
    return { value: part, isThere: { type: { kind: 'bool' }, run: () => true } };
  }
  if (whole === 'args') scope.findings.reads.add(name);
  const base = of.op === 'id' ? variable(of, scope) : scope.build(of, scope);
  const found = lookUp(base.type, name);
  const at = spanOf(node);
  checkName({ node, of, name }, base.type, scope);
  if (found === undefined) {
    const missing: Part = { type: wrong, run: () => failed(`there is no "${name}"`, at) };
    return { value: missing, isThere: missing };
  }
  return {
    get value() {
      const path = fieldPath(of, name);
      if (found.presence !== 'always' && (path === undefined || !scope.present.has(path))) {
        scope.findings.note(
          node,
          found.presence === 'sometimes' ? 'error' : 'warning',
          unguarded(whole, name, found.presence),
        );
      }
      return { type: found.type, run: readField(base.run, name, at) };
    },
    isThere: { type: { kind: 'bool' }, run: findField(base.run, name, at) },
  };
}

function lookUp(type: CelType, name: string): { readonly type: CelType; readonly presence: string } | undefined {
  if (type === wrong) return { type: wrong, presence: 'always' };
  if (type.kind === 'dyn') return { type: dyn, presence: 'untold' };
  if (type.kind !== 'map') return undefined;
  return type.fields.get(name) ?? (type.open ? { type: dyn, presence: 'untold' } : undefined);
}

/** A name that nobody tells is most likely a slip, and a rule that looks for it would never apply. */
export function checkName({ node, of, name }: FieldNode, type: CelType, scope: Scope): void {
  if (type.kind === 'dyn') return;
  if (type.kind !== 'map') return scope.findings.note(node, 'error', `${aType(type)} has no fields.`);
  if (type.fields.has(name) || (type.open && type.fields.size === 0)) return;
  const isArgument = of.op === 'id' && of.args === 'args';
  const known = type.open ? 'known tool' : 'tool';
  const message = isArgument
    ? `No ${known} of this rule has an argument "${name}".`
    : `There is no field "${name}" here.`;
  scope.findings.note(node, type.open ? 'warning' : 'error', message + meantField(name, [...type.fields.keys()]));
}

const mostNamed = 12;

function meantField(name: string, known: readonly string[]): string {
  const begun = known.find((each) => each.startsWith(`${name}_`) || each.endsWith(`_${name}`));
  const meant = nearestName(name, known) ?? begun;
  if (meant !== undefined) return ` Did you mean "${meant}"?`;
  if (known.length === 0) return '';
  return ` There are ${known.slice(0, mostNamed).join(', ')}${known.length > mostNamed ? ', …' : ''}.`;
}

function unguarded(whole: string | undefined, name: string, presence: string): string {
  const thing = whole === 'args' ? 'argument' : 'field';
  const isName = /^[A-Za-z_]\w*$/.test(name);
  const look =
    whole === undefined ? 'has(…)' : isName ? `has(${whole}.${name})` : `${JSON.stringify(name)} in ${whole}`;
  const doubt = presence === 'sometimes' ? 'is optional' : 'may be missing';
  return `The ${thing} "${name}" ${doubt}, and a call without it is denied. Look first: ${look} && …`;
}

function callField(node: ASTNode, name: string, scope: Scope): Part {
  const found = callFields.get(name);
  if (found !== undefined) return { type: found.type, run: found.read };
  const meant = nearestName(name, callFields.keys());
  const known = `It has ${[...callFields.keys()].join(', ')}.`;
  return refuse(
    scope,
    node,
    `A call has no field "${name}". ${meant === undefined ? known : `Did you mean "${meant}"?`}`,
  );
}

function variable(node: ASTNode & { readonly op: 'id' }, scope: Scope): Part {
  const found = scope.variables.get(node.args);
  if (found !== undefined) return found;
  const meant = nearestName(node.args, [...scope.variables.keys(), 'call']);
  const hint =
    meant === undefined ? `There are ${[...scope.variables.keys(), 'call'].join(', ')}.` : `Did you mean "${meant}"?`;
  return refuse(scope, node, `There is no variable "${node.args}". ${hint}`);
}

export function isMap(value: Value): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Trouble);
}

function readField(base: Run, name: string, at: Span): Run {
  return (evaluation) => {
    const map = base(evaluation);
    if (isMap(map) && Object.hasOwn(map, name)) return map[name] as Value;
    if (map instanceof Trouble) return map;
    return failed(isMap(map) ? `there is no "${name}"` : `a ${kindOfValue(map)} has no field "${name}"`, at);
  };
}

function findField(base: Run, name: string, at: Span): Run {
  return (evaluation) => {
    const map = base(evaluation);
    if (isMap(map)) return Object.hasOwn(map, name);
    return map instanceof Trouble ? map : failed(`a ${kindOfValue(map)} has no field "${name}"`, at);
  };
}

function itemOf(base: Value, key: Value, at: Span): Value {
  if (base instanceof Trouble) return key instanceof Trouble && key.type === 'failed' ? key : base;
  if (key instanceof Trouble) return key;
  if (Array.isArray(base) && typeof key === 'number') {
    const items = base as readonly Value[];
    return Number.isInteger(key) && key >= 0 && key < items.length
      ? (items[key] as Value)
      : failed(`the list has no item ${key}`, at);
  }
  if (isMap(base) && typeof key === 'string') {
    return Object.hasOwn(base, key) ? (base[key] as Value) : failed('the map has no such field', at);
  }
  return failed(`a ${kindOfValue(base)} has no item for a ${kindOfValue(key)}`, at);
}
