/** A rule to remember: its data, one form per kind of tool, and its text. */

import { pairText } from '../../kernel/names.ts';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';

interface ToolRule {
  readonly server: string | null;
  readonly tool: string;
}

/** Command lines that run only these commands, in one folder. */
export interface CommandsRule extends ToolRule {
  readonly kind: 'commands';
  /** The argument with the command line. */
  readonly argument: string;
  /** Absolute, with symbolic links resolved. */
  readonly folder: string;
  /** Programs with their subcommands, as `runsOnly` takes them. */
  readonly commands: readonly string[];
  /** All other arguments, which must be equal. */
  readonly rest: JsonObject;
}

/** One tool on the same files, with any other arguments. */
export interface FilesRule extends ToolRule {
  readonly kind: 'files';
  readonly files: readonly RuleFile[];
  /** The arguments that can have any value. */
  readonly open: readonly string[];
}

export interface RuleFile {
  /** The place in the args: `file_path`, `paths[0]`. */
  readonly at: string;
  /** Absolute, with symbolic links resolved. */
  readonly path: string;
}

/** One tool on addresses of the same scheme, host and port. */
export interface AddressesRule extends ToolRule {
  readonly kind: 'addresses';
  readonly argument: string;
  readonly origin: string;
  readonly rest: JsonObject;
}

export type ProposedRule = CommandsRule | FilesRule | AddressesRule;

/** The text that a person sees before a rule is stored: complete, in plain words, without invisible characters. */
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
