import { pairText } from '../../kernel/names.ts';
import type { OutcomeType } from '../../kernel/call.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import { awaitWrite } from '../options/await-write.ts';
import {
  mustBeFunction,
  checkHookOptions,
  mustBeNonNegative,
  hookSettings,
  type ReadyMadeOptions,
} from '../options/ready-made-options.ts';

/** A call that took longer than it should. */
export interface SlowCall {
  readonly callId: string;
  readonly tool: string;
  readonly server: string | undefined;
  readonly outcome: OutcomeType;
  readonly elapsedMs: number;
  readonly thresholdMs: number;
  /** All of it as a sentence. */
  readonly text: string;
}

export interface SlowToolTimerOptions extends ReadyMadeOptions {
  readonly thresholdMs: number;
  /** Is told of each slow call; if not given, the event `slow_tool` tells of it. */
  readonly report?: ((slow: SlowCall) => void | Promise<void>) | undefined;
}

/** Tells of every tool call that ran longer than `thresholdMs`, whatever came of it, and changes nothing. */
export function slowToolTimer(options: SlowToolTimerOptions): Hook {
  const checks = { thresholdMs: mustBeNonNegative, report: mustBeFunction };
  checkHookOptions('slowToolTimer', options, { checks, needed: ['thresholdMs'] });
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
