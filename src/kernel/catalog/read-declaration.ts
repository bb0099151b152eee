/** Checks declarations of tools and servers, and makes frozen copies of them. */

import { canonicalJson, copyJson, type JsonObject } from '../json.ts';
import { kindOf } from '../kind-of.ts';
import { defaultLimits } from '../limits.ts';
import type { ServerDeclaration, StandardSchema, ToolDeclaration, ToolTouches } from '../tool.ts';
import * as is from '../shapes.ts';
import { Invalid, invalid, type ShapesOf, isRecord } from '../shapes.ts';
import { didYouMean, nameProblem, quoteName, textProblem } from '../names.ts';

const touchShapes: ShapesOf<ToolTouches> = {
  bash: is.nameList,
  folder: is.argumentName,
  reads: is.nameList,
  writes: is.nameList,
  urls: is.nameList,
};
const aliasShapes = { names: is.nameList, args: is.anyObject };
const touches = is.options<ToolTouches>(touchShapes);
const dataShapes = {
  args: is.nameList,
  paths: is.nameList,
  commands: is.nameList,
  aliases: is.options(aliasShapes),
  grant: is.grant,
  touches,
};
const toolShapes: ShapesOf<ToolDeclaration> = {
  name: is.any,
  server: is.any,
  displayName: is.without((value) => textProblem(value)),
  description: is.text,
  tier: is.oneOf('observe', 'confirm'),
  schema: (value) =>
    isStandardSchema(value)
      ? value
      : invalid(`is ${kindOf(value)}, not a Standard Schema${isRecord(value) ? `; ${standardSchemaHint}` : ''}`),
  ...dataShapes,
};
const serverShapes = {
  enabledTools: is.nameList,
  disabledTools: is.nameList,
  paths: is.map(is.nameList),
  touches: is.map(touches),
};
const toolShape = is.options<ToolDeclaration>(toolShapes);
const toolFields = Object.keys(toolShapes);
const serverShape = is.options<ServerDeclaration>({ name: is.any, ...serverShapes }, { open: true });

export const declaredFields: readonly string[] = [toolShapes, serverShapes, touchShapes, aliasShapes, is.grantShapes]
  .flatMap(Object.keys)
  .filter((field) => field !== 'name');

/** A checked, frozen copy of a tool declaration, combined with the configuration of its server. */
export function freezeTool(
  given: ToolDeclaration,
  ofServer: ServerDeclaration | undefined,
  problems: string[],
): ToolDeclaration {
  if (typeof given !== 'object' || given === null) {
    problems.push(`a tool declaration is ${kindOf(given)}, not an object`);
    return Object.freeze({ name: '' });
  }
  const { name, server, displayName, description, tier, schema } = given;
  const { data, wrong } = copyData(given, Object.keys(dataShapes));
  const own = { name, server: ofServer?.name ?? server, displayName, description, tier, schema };
  const read: ToolDeclaration = { ...own, ...data };
  wrong.push(...problemsOf(toolShape(read, defaultLimits)), ...nameProblems(read), ...foreignFields(given));
  const tool = wrong.length === 0 ? withServer(read, ofServer ?? {}) : read;
  if (wrong.length === 0) wrong.push(...aliasProblems(tool), ...placeProblems(tool));
  for (const text of wrong) problems.push(`tool ${quoteName(name)}: ${text}`);
  return Object.freeze(tool);
}

/** Names that other SDKs use for the schema of a tool, and for the function that runs it. */
export const foreignSchemaFields = [
  'inputSchema',
  'parameters',
  'input_schema',
  'argsSchema',
  'args_schema',
  'jsonSchema',
];
export const runFields = ['execute', 'run', 'handler', 'func', 'invoke', 'call'];

const standardSchemaHint = 'toStandardSchema() from bridle/tools makes one of a JSON Schema';
const advice: readonly (readonly [fields: readonly string[], text: string])[] = [
  [foreignSchemaFields, `is called "schema" here, and is a Standard Schema; ${standardSchemaHint}`],
  [
    [...runFields, 'function', 'callback', 'fn'],
    'is not part of a declaration: pass tools that run to guard.wrap(tools), or the function to guard.call(tool, args, run)',
  ],
  [['title'], 'is called "displayName" here'],
];

/** Unknown fields are errors, because a caller may rely on them: a schema under another name would check nothing. */
function foreignFields(given: object): readonly string[] {
  // Tools of other SDKs may be class instances, so inherited fields count too.
  const inherited = advice.flatMap(([fields]) => fields.filter((field) => field in given));
  const unknown = [...new Set([...Object.keys(given), ...inherited])].filter((field) => !toolFields.includes(field));
  return unknown.map((field) => {
    const known = advice.find(([fields]) => fields.includes(field))?.[1];
    return `${quoteName(field)} ${known ?? `is not known${didYouMean(field, toolFields)}`}`;
  });
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  return typeof (value as StandardSchema | null | undefined)?.['~standard']?.validate === 'function';
}

/** Adds the server's configuration for a tool, under any of the tool's names. */
function withServer(tool: ToolDeclaration, { paths, touches }: Partial<ServerDeclaration>): ToolDeclaration {
  const names = [tool.name, ...(tool.aliases?.names ?? [])];
  const added = names.flatMap((name) => ownOf(paths, name) ?? []);
  const configured = names.map((name) => ownOf(touches, name)).find((each) => each !== undefined);
  return {
    ...tool,
    paths: added.length === 0 ? tool.paths : Object.freeze([...(tool.paths ?? []), ...added]),
    touches: configured ?? tool.touches,
  };
}

function ownOf<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

export function freezeServer(given: ServerDeclaration, problems: string[]): ServerDeclaration {
  const server = Object(given) as ServerDeclaration;
  const { name } = server;
  const problem = nameProblem(name) ?? (name.includes('/') ? 'contains a "/"' : undefined);
  if (problem !== undefined) problems.push(`the server name ${quoteName(name)} ${problem}`);
  const { data, wrong } = copyData(server, Object.keys(serverShapes));
  wrong.push(...problemsOf(serverShape({ ...server, ...data }, defaultLimits)));
  if (data.enabledTools !== undefined && data.disabledTools !== undefined) {
    wrong.push('it has both enabledTools and disabledTools');
  }
  problems.push(...wrong.map((text) => `server ${quoteName(name)}: ${text}`));
  return Object.freeze({ name, ...data });
}

function problemsOf(read: object): readonly string[] {
  return read instanceof Invalid ? read.texts() : [];
}

/** Copies of the data fields; undefined for fields that are not set, and for all of them if one is not JSON data. */
function copyData<T extends object>(given: T, fields: readonly string[]): { data: Partial<T>; wrong: string[] } {
  const copy = copyJson(pick(given, fields), { bytes: defaultLimits.argsBytes, depth: 4 });
  // Sorted, so that a tool that is declared again in another order is the same tool.
  const data = copy.problem === undefined ? (canonicalJson(copy.value) as JsonObject) : {};
  return { data: pick(data, fields), wrong: copy.problem === undefined ? [] : [`it ${copy.problem}`] };
}

/** Reads each field exactly once, inherited ones included, so that the checked value is the one that is used. */
function pick(given: object, fields: readonly string[]): object {
  return Object.fromEntries(fields.map((field) => [field, (given as Readonly<Record<string, unknown>>)[field]]));
}

function nameProblems({ name, server, aliases }: ToolDeclaration): string[] {
  const others = aliases?.names;
  return [name, ...(Array.isArray(others) ? (others as readonly string[]) : [])].flatMap((one) => {
    const slash = 'contains a "/", which means server/tool';
    const problem = nameProblem(one) ?? (server === undefined && one.includes('/') ? slash : undefined);
    return problem === undefined ? [] : [`the name ${quoteName(one)} ${problem}`];
  });
}

function aliasProblems({ aliases }: ToolDeclaration): readonly string[] {
  const { args = {} } = aliases ?? {};
  return Object.entries(args).flatMap(([alias, meantFor]: [string, unknown]) => {
    // An alias of an alias would leave an argument under a name that no rule checks.
    const named = typeof meantFor === 'string' && meantFor !== '' && meantFor !== '__proto__';
    return named && (meantFor === alias || !Object.hasOwn(args, meantFor))
      ? []
      : [`it has the alias ${quoteName(alias)} for ${quoteName(meantFor)}, which is not an argument`];
  });
}

/**
 * Declared arguments are looked up in canonical args, so an alias would never be found. A file argument that is not a path
 * argument would be invisible to `workspaceOnly`.
 */
function placeProblems({ paths = [], commands = [], touches = {}, aliases }: ToolDeclaration): readonly string[] {
  const { bash = [], urls = [], reads = [], writes = [], folder = [] } = touches;
  return [
    ...[...paths, ...commands, ...bash, ...urls]
      .filter((place) => Object.hasOwn(aliases?.args ?? {}, place.split(/[.[]/)[0] ?? ''))
      .map((place) => `it declares ${quoteName(place)}, which is only an alias`),
    ...[...reads, ...writes]
      .concat(folder)
      .filter((place) => !paths.includes(place))
      .map((place) => `it touches ${quoteName(place)}, which is not one of its paths`),
  ];
}
