/** Checks declarations of tools and servers, and makes frozen copies of them. */

import { canonicalJson, copyJson } from '../json.ts';
import { isRecord, kindOf } from '../kind-of.ts';
import { defaultLimits } from '../limits.ts';
import type { ServerDeclaration, StandardSchema, ToolDeclaration, ToolTouches } from '../tool.ts';
import {
  anyCheck,
  argumentNameCheck,
  type ChecksOf,
  eachFieldCheck,
  fieldsCheck,
  grantCheck,
  grantFieldChecks,
  checkThat,
  nameListCheck,
  objectCheck,
  pickFields,
  misspellingProblems,
  textCheck,
  valueProblems,
} from '../check-fields.ts';
import { didYouMean, nameProblem, quoteName, textProblem } from '../names.ts';

const touchChecks: ChecksOf<ToolTouches> = {
  bash: nameListCheck,
  folder: argumentNameCheck,
  reads: nameListCheck,
  writes: nameListCheck,
  urls: nameListCheck,
};
const aliasChecks = { names: nameListCheck, args: objectCheck };
const dataChecks = {
  args: nameListCheck,
  paths: nameListCheck,
  commands: nameListCheck,
  aliases: fieldsCheck(aliasChecks),
  grant: grantCheck,
  touches: fieldsCheck(touchChecks),
};
const toolChecks: ChecksOf<ToolDeclaration> = {
  name: anyCheck,
  server: anyCheck,
  displayName: (value) => textProblem(value),
  description: textCheck,
  tier: checkThat('observe or confirm', (value) => value === 'observe' || value === 'confirm'),
  schema: (value) =>
    isStandardSchema(value) ? undefined : `is ${kindOf(value)}, not a Standard Schema${jsonHint(value)}`,
  ...dataChecks,
};
const serverChecks = {
  enabledTools: nameListCheck,
  disabledTools: nameListCheck,
  paths: eachFieldCheck(nameListCheck),
  touches: eachFieldCheck(dataChecks.touches),
};
const toolFields = Object.keys(toolChecks);

export const declaredFields: readonly string[] = [toolChecks, serverChecks, touchChecks, aliasChecks, grantFieldChecks]
  .flatMap(Object.keys)
  .filter((field) => field !== 'name');

/** A checked, frozen copy of a tool declaration, combined with the configuration of its server. */
export function freezeTool(
  given: ToolDeclaration,
  ofServer: ServerDeclaration | undefined,
  problems: string[],
): ToolDeclaration {
  const none = objectCheck(given);
  if (none !== undefined) {
    problems.push(`a tool declaration ${none}`);
    return Object.freeze({ name: '' });
  }
  const { name, server, displayName, description, tier, schema } = given;
  const { data, wrong } = copyData(given, dataChecks);
  const own = { name, server: ofServer?.name ?? server, displayName, description, tier, schema };
  const read: ToolDeclaration = { ...own, ...data };
  wrong.push(...valueProblems(read, toolChecks), ...nameProblems(read), ...foreignFields(given));
  const tool = wrong.length === 0 ? withServer(read, ofServer ?? {}) : read;
  if (wrong.length === 0) wrong.push(...aliasProblems(tool), ...placeProblems(tool));
  for (const text of wrong) problems.push(`tool ${quoteName(name)}: ${text}`);
  return Object.freeze(tool);
}

/** Advice for fields of other SDKs that have another name here or are not needed. */
const otherNames: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['inputSchema', 'input_schema', 'parameters', 'argsSchema', 'args_schema'].map((field) => [
      field,
      'is called "schema" here, and is a Standard Schema; toStandardSchema() from bridle/tools makes one of a JSON Schema',
    ]),
  ),
  ...Object.fromEntries(
    ['execute', 'run', 'handler', 'func', 'function', 'call', 'invoke', 'callback', 'fn'].map((field) => [
      field,
      'is not part of a declaration: pass tools that run to guard.wrap(tools), or the function to guard.call(tool, args, run)',
    ]),
  ),
  title: 'is called "displayName" here',
};

/** Unknown fields are errors, because a caller may rely on them: a schema under another name would check nothing. */
function foreignFields(given: object): readonly string[] {
  // Tools of other SDKs may be class instances, so inherited fields count too.
  const inherited = Object.keys(otherNames).filter((field) => field in given);
  const unknown = [...new Set([...Object.keys(given), ...inherited])].filter((field) => !toolFields.includes(field));
  return unknown.map((field) => {
    const instead = Object.hasOwn(otherNames, field) ? otherNames[field] : undefined;
    return `${quoteName(field)} ${instead ?? `is not known${didYouMean(field, toolFields)}`}`;
  });
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  return typeof (value as StandardSchema | null | undefined)?.['~standard']?.validate === 'function';
}

function jsonHint(value: unknown): string {
  return isRecord(value) ? '; toStandardSchema() from bridle/tools makes one of a JSON Schema' : '';
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
  const { data, wrong } = copyData(server, serverChecks);
  wrong.push(
    ...valueProblems(data, serverChecks),
    ...misspellingProblems(server, ['name', ...Object.keys(serverChecks)]),
  );
  if (data.enabledTools !== undefined && data.disabledTools !== undefined) {
    wrong.push('it has both enabledTools and disabledTools');
  }
  problems.push(...wrong.map((text) => `server ${quoteName(name)}: ${text}`));
  return Object.freeze({ name, ...data });
}

/** Copies of the data fields; undefined for fields that are not set, and for all of them if one is not JSON data. */
function copyData<T extends object>(
  given: T,
  checks: Parameters<typeof pickFields>[1],
): { data: Partial<T>; wrong: string[] } {
  const copy = copyJson(pickFields(given, checks), { bytes: defaultLimits.argsBytes, depth: 4 });
  const data = pickFields<Partial<T>>(copy.problem === undefined ? (canonicalJson(copy.value) as object) : {}, checks);
  return { data, wrong: copy.problem === undefined ? [] : [`it ${copy.problem}`] };
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
    const named = argumentNameCheck(meantFor) === undefined && meantFor !== '__proto__';
    return named && (meantFor === alias || !Object.hasOwn(args, meantFor as string))
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
