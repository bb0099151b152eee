/** What a person is shown of a rule before it is stored: all of it, in plain words, with nothing invisible. */

import { pairText } from '../../catalog/names.ts';
import { makeVisible } from '../../guard/show-call.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { AddressesRule, CommandsRule, FilesRule, Rule } from './remembered-rules.ts';

export function ruleText(rule: Rule): string {
  switch (rule.kind) {
    case 'commands':
      return commandsText(rule);
    case 'files':
      return filesText(rule);
    case 'addresses':
      return addressesText(rule);
    default:
      return rule satisfies never;
  }
}

function commandsText(rule: CommandsRule): string {
  const { commands, argument, folder, rest } = rule;
  const lines = `${toolOf(rule)} in ${quoted(folder)} with any ${named(argument)}`;
  const runs = `that runs nothing but ${listed(commands.map((words) => `\`${makeVisible(words)}\``))}`;
  const more = 'Whatever arguments these get must write nothing, start nothing and name no file outside that folder.';
  return `${lines} ${runs}. ${more}${restText(rest)}`;
}

function filesText(rule: FilesRule): string {
  const { files, open } = rule;
  const places = files.map(({ at, path }) => `${named(at)} ${quoted(path)}`);
  return `${toolOf(rule)} with ${listed(places)}, whatever ${listed(open.map(named))} ${open.length === 1 ? 'is' : 'are'}.`;
}

function addressesText(rule: AddressesRule): string {
  const { argument, origin, rest } = rule;
  const host = `${makeVisible(origin)} (this scheme, host and port only)`;
  return `${toolOf(rule)} with any ${named(argument)} at ${host}.${restText(rest)}`;
}

function restText(rest: JsonObject): string {
  const others = Object.entries(rest).map(([name, value]) => `${named(name)} ${quoted(value)}`);
  return others.length === 0 ? '' : ` The other arguments are as they were: ${listed(others)}.`;
}

function toolOf({ server, tool }: Rule): string {
  return named(pairText(server ?? undefined, tool));
}

/** A name that could be taken for something else stands in quotes. */
function named(name: string): string {
  return /^[\w./[\]-]+$/.test(name) ? name : quoted(name);
}

/** JSON has no line breaks of its own, and none of its texts can end its quotes. */
function quoted(value: JsonValue): string {
  return makeVisible(JSON.stringify(value));
}

function listed(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}
