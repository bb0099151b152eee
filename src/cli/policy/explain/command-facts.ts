/** What is seen in the command lines of a call, for a person who wonders about a decision. */

import { canonicalArgs } from '../../../kernel/catalog/argument-aliases.ts';
import type { CallRequest } from '../../../kernel/call.ts';
import type { LoadedPolicy } from '../../../policy-files/loaded-policy.ts';
import { copyJson, isJsonObject, type JsonObject } from '../../../kernel/json.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import { analyseCommand } from '../../../facts/shell/analysis/analyse-command.ts';

export interface CommandFacts {
  readonly argument: string;
  readonly line: string;
  /** Every command that would run, words that are not literal as `…`. */
  readonly runs: readonly {
    readonly command: string;
    readonly via: readonly string[];
    /** True: `runsOnly` of no allow rule covers it. Only said of a call that no rule decides. */
    readonly uncovered?: boolean | undefined;
  }[];
  /** Why there may be others. */
  readonly unknown?: string | undefined;
  /** Why the line does not show what is done. */
  readonly opaque?: string | undefined;
}

/** Of every argument that bash would run; none if the tool tells of none. */
export function commandFacts(
  request: CallRequest,
  { catalog }: Pick<LoadedPolicy, 'catalog'>,
): readonly CommandFacts[] {
  const { tool } = catalog.find(request.server, request.tool);
  const copy = copyJson(request.args ?? {}, { bytes: defaultLimits.argsBytes, depth: defaultLimits.depth });
  if (tool === undefined || copy.problem !== undefined || !isJsonObject(copy.value)) return [];
  const read = canonicalArgs(tool, copy.value);
  const args: JsonObject = read.problem === undefined ? read.args : {};
  return (tool.touches?.bash ?? []).flatMap((argument) => {
    const line = Object.hasOwn(args, argument) ? args[argument] : undefined;
    return typeof line === 'string' ? [factsOf(argument, line)] : [];
  });
}

function factsOf(argument: string, line: string): CommandFacts {
  const { commands, unknown, opaque } = analyseCommand(line);
  const runs = commands.map(({ argv, more, via }) => ({
    command: [...argv.map((word) => ('value' in word ? quoteWord(word.value) : '…')), ...(more ? ['…'] : [])].join(' '),
    via,
  }));
  return {
    argument,
    line,
    runs,
    ...(unknown === undefined ? {} : { unknown }),
    ...(opaque === undefined ? {} : { opaque }),
  };
}

/** Words that would not be one word in a line are shown in quotes. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./~^-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
