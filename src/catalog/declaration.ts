/** Declarations of tools and servers: copies that nobody can change any more, and what is wrong with them. */

import { grantProblems } from '../grant.ts';
import { copyJson, isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { defaultLimits } from '../limits.ts';
import { misspelled } from '../nearest.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';
import { kindOf } from '../kind-of.ts';
import { meant, nameProblem, quoteName, textProblem } from './names.ts';

const { nameLength, argsBytes: bytes } = defaultLimits;

const touchFields = ['bash', 'reads', 'writes', 'urls', 'folder'];
const fields =
  'server displayName tier schema args paths commands aliases names grant touches enabledTools disabledTools';
/** What a declaration may leave out. */
export const declaredFields = `${fields} timeoutMs outputBytes approvalMs`.split(' ').concat(touchFields);

/**
 * A tool, with what is configured for its server. Fields are read by name and once: what is checked is what is kept,
 * whatever kind of object it was.
 */
export function freezeTool(
  given: ToolDeclaration,
  ofServer: ServerDeclaration | undefined,
  problems: string[],
): ToolDeclaration {
  if (typeof given !== 'object' || given === null) {
    problems.push(`a tool declaration is ${kindOf(given)}, not an object`);
    return Object.freeze({ name: '' });
  }
  const { name, displayName, tier, schema, args, paths, commands, aliases, grant, touches } = given;
  const server = ofServer?.name ?? given.server;
  const copy = copyJson({ args, paths, commands, aliases, grant, touches }, { bytes, depth: 4 });
  const data = (copy.problem === undefined ? copy.value : {}) as Partial<ToolDeclaration>;
  const read: ToolDeclaration = {
    name,
    server,
    displayName,
    tier,
    schema,
    args: data.args,
    paths: data.paths,
    commands: data.commands,
    aliases: data.aliases,
    grant: data.grant,
    touches: data.touches,
  };
  const wrong = copy.problem === undefined ? toolProblems(read) : [copy.problem];
  wrong.push(...slipProblems(given, Object.keys(read)));
  const tool = wrong.length === 0 ? withServer(read, ofServer ?? {}) : read;
  if (wrong.length === 0) wrong.push(...placeProblems(tool));
  for (const text of wrong) problems.push(`tool ${quoteName(name)} ${text}`);
  return Object.freeze(tool);
}

/** With what is configured for it, under whichever of its names. */
function withServer(tool: ToolDeclaration, { paths, touches }: Partial<ServerDeclaration>): ToolDeclaration {
  const names = [tool.name, ...(tool.aliases?.names ?? [])];
  const added = names.flatMap((name) => ownOf(paths, name) ?? []);
  const told = names.map((name) => ownOf(touches, name)).find((each) => each !== undefined);
  return {
    ...tool,
    paths: added.length === 0 ? tool.paths : Object.freeze([...(tool.paths ?? []), ...added]),
    touches: told ?? tool.touches,
  };
}

function ownOf<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

export function freezeServer(given: ServerDeclaration, problems: string[]): ServerDeclaration {
  const { name, enabledTools, disabledTools, paths, touches } = Object(given) as ServerDeclaration;
  const problem = nameProblem(name, nameLength) ?? (name.includes('/') ? 'holds a "/"' : undefined);
  if (problem !== undefined) problems.push(`the server name ${quoteName(name)} ${problem}`);
  const copy = copyJson({ enabledTools, disabledTools, paths, touches }, { bytes, depth: 4 });
  const data = copy.problem === undefined ? (copy.value as JsonObject) : {};
  const wrong = copy.problem === undefined ? [] : [copy.problem];
  wrong.push(...slipProblems(Object(given) as object, ['name', 'enabledTools', 'disabledTools', 'paths', 'touches']));
  wrong.push(...listProblems(data, ['enabledTools', 'disabledTools']));
  wrong.push(...objectProblems('paths', data['paths'], (lists) => listProblems(lists, Object.keys(lists))));
  const eachTouches = (all: JsonObject): readonly string[] =>
    Object.values(all).flatMap((each) => objectProblems('touches', each, touchProblems));
  wrong.push(...objectProblems('touches', data['touches'], eachTouches));
  if (enabledTools !== undefined && disabledTools !== undefined) wrong.push('has both enabledTools and disabledTools');
  problems.push(...wrong.map((text) => `server ${quoteName(name)} ${text}`));
  return Object.freeze({ name, ...data });
}

function toolProblems(tool: ToolDeclaration): string[] {
  const { name, server, displayName, tier, schema, aliases, grant } = tool;
  const problems = [...listProblems(tool, ['args', 'paths', 'commands']), ...grantProblems(grant)];
  const named = nameProblem(name, nameLength) ?? slashProblem(server, name);
  if (named !== undefined) problems.push(`has a name that ${named}`);
  const shown = displayName === undefined ? undefined : textProblem(displayName, nameLength);
  if (shown !== undefined) problems.push(`has a display name that ${shown}`);
  if (tier !== undefined && tier !== 'observe' && tier !== 'confirm') {
    problems.push(`has the tier ${quoteName(tier)}; it is observe or confirm`);
  }
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function') {
    problems.push('has a schema that is not a Standard Schema');
  }
  problems.push(...objectProblems('touches', tool.touches as JsonValue | undefined, touchProblems));
  if (problems.length === 0 && aliases !== undefined) {
    problems.push(...objectProblems('aliases', aliases as JsonValue, () => aliasProblems(tool)));
  }
  return problems;
}

function aliasProblems({ server, aliases }: ToolDeclaration): readonly string[] {
  const { names = [], args } = aliases ?? {};
  const listed = listProblems({ aliases: names }, ['aliases']);
  if (listed.length > 0) return listed;
  const problems = names.flatMap((alias) => {
    const problem = nameProblem(alias, nameLength) ?? slashProblem(server, alias);
    return problem === undefined ? [] : [`has the alias ${quoteName(alias)}, which ${problem}`];
  });
  const renamed = objectProblems('argument aliases', args, (aliased) =>
    Object.entries(aliased).flatMap(([alias, canonical]) => {
      // A chain would leave an argument under a name that no rule looks at.
      const named = typeof canonical === 'string' && canonical !== '' && canonical !== '__proto__';
      return named && (canonical === alias || !Object.hasOwn(aliased, canonical))
        ? []
        : [`has the alias ${quoteName(alias)} for ${quoteName(canonical)}, which is no argument`];
    }),
  );
  return [...problems, ...renamed];
}

function touchProblems(touches: JsonObject): readonly string[] {
  const { folder = 'x', ...lists } = touches;
  const unknown = Object.keys(lists).find((field) => !touchFields.includes(field));
  const problems = listProblems(lists, touchFields);
  if (!isNames([folder])) problems.push('touches a folder that is no name');
  if (unknown !== undefined) problems.push(`touches ${quoteName(unknown)}${meant(unknown, touchFields)}`);
  return problems;
}

/**
 * Arguments are looked for in canonical args: under an alias they would never be found. A file that is no path argument
 * would be one that `workspaceOnly` does not see.
 */
function placeProblems({ paths = [], commands = [], touches = {}, aliases }: ToolDeclaration): readonly string[] {
  const { bash = [], urls = [], reads = [], writes = [], folder = [] } = touches;
  return [
    ...[...paths, ...commands, ...bash, ...urls]
      .filter((place) => Object.hasOwn(aliases?.args ?? {}, place.split(/[.[]/)[0] ?? ''))
      .map((place) => `declares ${quoteName(place)}, which is only an alias`),
    ...[...reads, ...writes]
      .concat(folder)
      .filter((place) => !paths.includes(place))
      .map((place) => `touches ${quoteName(place)}, which is not one of its paths`),
  ];
}

/** Other fields are not our affair, but one that is almost ours would be silently ignored. */
function slipProblems(given: object, known: readonly string[]): string[] {
  const slip = misspelled(given, known);
  return slip === undefined ? [] : [`has a field ${quoteName(slip.field)}; did you mean "${slip.meant}"?`];
}

function slashProblem(server: string | undefined, name: string): string | undefined {
  return server === undefined && name.includes('/') ? 'holds a "/", which means server/tool' : undefined;
}

/** A text where a list belongs would be taken letter by letter, and hide or cover nothing. */
function listProblems<T extends object>(lists: T, fields: readonly (keyof T & string)[]): string[] {
  return fields.filter((field) => !isNames(lists[field])).map((field) => `has ${field} that are no list of names`);
}

function isNames(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.every((each) => typeof each === 'string' && each !== ''));
}

function objectProblems(
  what: string,
  value: JsonValue | undefined,
  check: (value: JsonObject) => readonly string[],
): readonly string[] {
  if (value === undefined) return [];
  return isJsonObject(value) ? check(value) : [`has ${what} that are ${kindOf(value)}, not an object`];
}
