import type { ToolCall } from '../../kernel/call.ts';
import { makeVisible } from '../../kernel/guard/calls/show-call.ts';
import { BridleError } from '../../kernel/errors.ts';
import { reject, transform } from '../../kernel/hooks/points/actions.ts';
import type { HookContext } from '../../kernel/hooks/points/hook-context.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { Interaction, Question } from '../../kernel/hooks/points/payloads.ts';
import type { ActionAt } from '../../kernel/hooks/points/points.ts';
import { cutText, type JsonObject } from '../../kernel/json.ts';
import { type CallTarget, callFilter, callTarget } from '../options/call-filter.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

/** A migration from one API to another that can be done in several ways. */
export interface Migration {
  readonly from: string;
  readonly to: string;
}

export interface MigrationQuestionOptions extends ReadyMadeOptions {
  /** The tools that make changes. */
  readonly tools: readonly CallTarget[];
  /** What the call would migrate; undefined if there is nothing to ask. */
  readonly detect: (call: ToolCall) => Migration | undefined;
  /** The arguments for creating a wrapper instead of a direct replacement. */
  readonly wrap: (call: ToolCall, migration: Migration) => JsonObject | Promise<JsonObject>;
}

const options = [
  { text: 'Direct replacement — swap the call in-place' },
  { text: 'Wrapper function — create a compatibility shim' },
  { text: 'Skip — flag for manual review' },
];

/**
 * Asks a person how to migrate: direct replacement runs the call, wrapper runs it with the arguments of `wrap`, skip
 * refuses it. Without a choice the call is refused too.
 */
export function migrationQuestion(given: MigrationQuestionOptions): Hook {
  const shapes = { tools: is.nonEmptyList(callTarget), detect: is.func, wrap: is.func };
  checkHookOptions('migrationQuestion', given, { shapes, needed: ['tools', 'detect', 'wrap'] });
  const { detect, wrap } = given;
  const isTarget = callFilter(given.tools);
  async function choose(call: ToolCall, migration: Migration, ctx: HookContext): Promise<PreToolCallAction> {
    const chosen = chosenOption(await ctx.ask([questionOf(migration)]));
    if (chosen === 0) return undefined;
    if (chosen === 1) return transform(await wrap(call, migration));
    const what = `The migration from ${displayName(migration.from)} to ${displayName(migration.to)}`;
    return reject(
      chosen === 2 ? `${what} was skipped and flagged for manual review` : `${what} was not decided: ${chosen}`,
    );
  }

  return {
    ...hookSettings(given, { name: 'migration-question', failOpen: false }),
    preToolCall({ call }, ctx) {
      const migration = isTarget(call) ? readMigration(detect(call)) : undefined;
      return migration === undefined ? undefined : choose(call, migration, ctx);
    },
  };
}

type PreToolCallAction = ActionAt<'preToolCall'> | undefined;

function questionOf({ from, to }: Migration): Question {
  const question = `The migration from \`${displayName(from)}\` to \`${displayName(to)}\` has multiple valid approaches. Which strategy?`;
  return { question, options, multiSelect: false };
}

/** The index of the chosen option, or why there is none. */
function chosenOption(interaction: Interaction): number | string {
  if (interaction.type !== 'answered') return `the question is ${interaction.type}`;
  const [response] = interaction.responses;
  const [selected] = response?.selected ?? [];
  if (selected !== undefined) return selected;
  return response?.text === undefined ? 'nothing was chosen' : `the answer was "${cutText(response.text, 500)}"`;
}

function readMigration(found: Migration | undefined): Migration | undefined {
  if (found === undefined) return undefined;
  if (typeof found?.from === 'string' && typeof found.to === 'string') return found;
  throw new BridleError('OPTION_INVALID', 'migrationQuestion: detect must return { from, to } or undefined');
}

function displayName(api: string): string {
  return makeVisible(cutText(api, 200)).replaceAll('\n', ' ');
}
