/** The commands that a call's command lines would run, to explain a decision. */

import { lineRunsOnly } from '../../../facts/shell/conditions/call-facts.ts';
import { commandsAllowedBy } from '../../../policy-files/policy-rules.ts';
import { canonicalArgs } from '../../../kernel/catalog/read-call.ts';
import type { CallRequest } from '../../../kernel/call.ts';
import type { LoadedPolicy } from '../../../policy-files/loaded-policy.ts';
import { copyJson, isJsonObject, type JsonObject } from '../../../kernel/json.ts';
import { defaultLimits } from '../../../kernel/limits.ts';
import { analyseCommand } from '../../../facts/shell/analysis/analyse-command.ts';

export interface CommandFacts {
  readonly argument: string;
  readonly line: string;
  /** Every command that would run; words that are not literal are shown as `…`. */
  readonly runs: readonly {
    readonly command: string;
    readonly via: readonly string[];
    /** True if no allow rule's `runsOnly` covers it. Only set for calls that no rule decides. */
    readonly uncovered?: boolean | undefined;
  }[];
  /** Why there may be more commands. */
  readonly unknown?: string | undefined;
  /** Why the line hides what it does. */
  readonly opaque?: string | undefined;
}

/** Facts about every argument that the tool declares as a bash command line. */
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

/** Quotes a word that bash would otherwise split or expand. */
function quoteWord(word: string): string {
  return /^[\w@%+=:,./~^-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Marks commands that no allow rule's `runsOnly` covers. Commands with non-literal words stay unmarked. */
export function markUncovered(
  commands: readonly CommandFacts[],
  { layers }: Pick<LoadedPolicy, 'layers'>,
): readonly CommandFacts[] {
  const entries = commandsAllowedBy(layers);
  if (entries.length === 0) return commands;
  return commands.map((facts) => ({
    ...facts,
    runs: facts.runs.map((run) => {
      const isLiteral = run.via.length === 0 && !run.command.includes('…');
      return isLiteral && lineRunsOnly(run.command, entries) === false ? { ...run, uncovered: true } : run;
    }),
  }));
}
