import type { ToolCall } from '../../kernel/call.ts';
import { transform } from '../../kernel/hooks/points/actions.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { isPromise } from '../../kernel/maybe-promise.ts';
import { targetText, parseTarget } from '../../kernel/policy/rules/target.ts';
import { type CallTarget, callFilter, callTarget } from '../options/call-filter.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

type NewArguments = JsonObject | undefined;

export interface RewriteArgumentsOptions extends ReadyMadeOptions {
  readonly tool: CallTarget;
  /** The new arguments; undefined keeps them unchanged. */
  readonly rewrite: (args: JsonObject, call: ToolCall) => NewArguments | Promise<NewArguments>;
}

/**
 * Changes the arguments of a tool before it runs. The new arguments are validated and decided again; an error denies
 * the call.
 */
export function rewriteArguments(options: RewriteArgumentsOptions): Hook {
  const shapes = { tool: callTarget, rewrite: is.func };
  checkHookOptions('rewriteArguments', options, { shapes, needed: ['tool', 'rewrite'] });
  const { tool, rewrite } = options;
  const isTarget = callFilter([tool]);
  return {
    tools: [targetText(parseTarget(tool))],
    ...hookSettings(options, { name: `rewrite-arguments:${targetText(parseTarget(tool))}`, failOpen: false }),
    preToolCall({ call }) {
      if (!isTarget(call)) return undefined;
      const rewritten = rewrite(call.args, call);
      return isPromise(rewritten) ? rewritten.then(toAction) : toAction(rewritten);
    },
  };
}

function toAction(args: NewArguments): ReturnType<typeof transform<JsonObject>> | undefined {
  return args === undefined ? undefined : transform(args);
}
