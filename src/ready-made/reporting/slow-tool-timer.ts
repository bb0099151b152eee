import { pairText } from '../../kernel/names.ts';
import type { OutcomeType } from '../../kernel/call.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { awaitWrite } from '../options/await-write.ts';
import { checkHookOptions, hookSettings, type ReadyMadeOptions } from '../options/ready-made-options.ts';
import * as is from '../../kernel/shapes.ts';

/** A call that took longer than the threshold. */
export interface SlowCall {
  readonly callId: string;
  readonly tool: string;
  readonly server: string | undefined;
  readonly outcome: OutcomeType;
  readonly elapsedMs: number;
  readonly thresholdMs: number;
  /** The same as a sentence. */
  readonly text: string;
}

export interface SlowToolTimerOptions extends ReadyMadeOptions {
  readonly thresholdMs: number;
  /** Called with each slow call. Default: sends the event `slow_tool`. */
  readonly report?: ((slow: SlowCall) => void | Promise<void>) | undefined;
}

/** Reports every tool call that ran longer than `thresholdMs`, with any outcome. It only observes. */
export function slowToolTimer(options: SlowToolTimerOptions): Hook {
  const shapes = { thresholdMs: is.count, report: is.func };
  checkHookOptions('slowToolTimer', options, { shapes, needed: ['thresholdMs'] });
  const { thresholdMs, report } = options;
  return {
    ...hookSettings(options, { name: 'slow-tool-timer', observes: true }),
    postToolCall({ call, outcome, elapsedMs }, ctx) {
      if (elapsedMs <= thresholdMs) return undefined;
      const { id: callId, tool, server } = call;
      const took = `${pairText(server, tool)} took ${Math.round(elapsedMs)}ms`;
      const text = `Slow tool call: ${took} (threshold: ${thresholdMs}ms)`;
      const slow = { callId, tool, server, outcome: outcome.type, elapsedMs, thresholdMs, text };
      return report === undefined ? ctx.emit('slow_tool', slow) : awaitWrite(report(slow));
    },
  };
}
