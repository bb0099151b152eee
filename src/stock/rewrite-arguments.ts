import type { ToolCall } from '../call.ts';
import { transform } from '../hooks/actions.ts';
import type { Hook } from '../hooks/hook.ts';
import type { JsonObject } from '../json.ts';
import { isPromise } from '../maybe-promise.ts';
import { targetText, readTarget } from '../policy/target.ts';
import { type CallTarget, callFilter, isCallTarget } from './call-filter.ts';
import { callable, checkOptions, hookOptions, type StockOptions } from './stock-options.ts';

type Rewritten = JsonObject | undefined;

export interface RewriteArgumentsOptions extends StockOptions {
  readonly tool: CallTarget;
  /** The arguments to run with; undefined leaves them as they are. */
  readonly rewrite: (args: JsonObject, call: ToolCall) => Rewritten | Promise<Rewritten>;
}

/** Changes the arguments of a tool before it runs; they are validated and decided again, and a failure denies the call. */
export function rewriteArguments(options: RewriteArgumentsOptions): Hook {
  const checks = { tool: isCallTarget, rewrite: callable };
  checkOptions('rewriteArguments', options, { checks, needed: ['tool', 'rewrite'] });
  const { tool, rewrite } = options;
  const concerns = callFilter([tool]);
  return {
    tools: [targetText(readTarget(tool))],
    ...hookOptions(options, { name: `rewrite-arguments:${targetText(readTarget(tool))}`, failOpen: false }),
    preToolCall({ call }) {
      if (!concerns(call)) return undefined;
      const rewritten = rewrite(call.args, call);
      return isPromise(rewritten) ? rewritten.then(answer) : answer(rewritten);
    },
  };
}

function answer(args: Rewritten): ReturnType<typeof transform<JsonObject>> | undefined {
  return args === undefined ? undefined : transform(args);
}
