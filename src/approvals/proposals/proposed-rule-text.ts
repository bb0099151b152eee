/** The text that a person sees before a rule is stored: complete, in plain words, without invisible characters. */

import { pairText } from '../../kernel/names.ts';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { AddressesRule, CommandsRule, FilesRule, ProposedRule } from './proposed-rule.ts';

export function proposedRuleText(rule: ProposedRule): string {
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
  const lines = `${toolName(rule)} in ${quotedValue(folder)} with any ${nameText(argument)}`;
  const runs = `that runs only ${joinWithAnd(commands.map((words) => `\`${makeVisible(words)}\``))}`;
  const more = 'Their arguments must not write files, start programs or name files outside that folder.';
  return `${lines} ${runs}. ${more}${restText(rest)}`;
}

function filesText(rule: FilesRule): string {
  const { files, open } = rule;
  const places = files.map(({ at, path }) => `${nameText(at)} ${quotedValue(path)}`);
  return `${toolName(rule)} with ${joinWithAnd(places)}, with any ${joinWithAnd(open.map(nameText))}.`;
}

function addressesText(rule: AddressesRule): string {
  const { argument, origin, rest } = rule;
  const host = `${makeVisible(origin)} (this scheme, host and port only)`;
  return `${toolName(rule)} with any ${nameText(argument)} at ${host}.${restText(rest)}`;
}

function restText(rest: JsonObject): string {
  const others = Object.entries(rest).map(([name, value]) => `${nameText(name)} ${quotedValue(value)}`);
  return others.length === 0 ? '' : ` All other arguments must stay the same: ${joinWithAnd(others)}.`;
}

function toolName({ server, tool }: ProposedRule): string {
  return nameText(pairText(server ?? undefined, tool));
}

/** Quotes a name that could be misread. */
function nameText(name: string): string {
  return /^[\w./[\]-]+$/.test(name) ? name : quotedValue(name);
}

/** JSON escapes line breaks and quotes, so a value cannot break out of its quotes. */
function quotedValue(value: JsonValue): string {
  return makeVisible(JSON.stringify(value));
}

function joinWithAnd(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}
