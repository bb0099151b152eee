/** Keeps the last decided call of a chat, for `/policy` and `/explain`. */

import type { CallRequest, RuleRef } from '../../kernel/call.ts';
import { type BridleEvent, type CallInfo, omittedArgs } from '../../kernel/hooks/points/events.ts';
import { describeRule } from '../../terminal/renderer/explain-text.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

export class LastDecision {
  private readonly requested = new Map<string, CallRequest>();
  private readonly approvedBy = new Map<string, string>();
  private lastCall: CallRequest | undefined;
  private lastText: string | undefined;

  /** Called for every event of the chat. */
  event(event: BridleEvent): void {
    switch (event.type) {
      case 'turn_started':
        if (event.agent.length === 1) this.startTurn();
        return;
      case 'tool_requested':
        this.requested.set(event.callId, { tool: event.tool, server: event.server, args: event.args });
        return;
      case 'tool_approved':
        this.approvedBy.set(event.callId, event.by);
        return;
      case 'tool_denied':
        return this.keep(event, `denied${byText(event.rule, event.hook)}: ${safeText(event.reason)}`);
      case 'tool_started': {
        const by = this.approvedBy.get(event.callId);
        const how = by === undefined ? 'allowed' : `approved by ${safeText(by)}, as asked`;
        return this.keep(event, `${how}${byText(event.rule, undefined)}`);
      }
      default:
    }
  }

  /** One line about the last decided call; undefined before the first one. */
  get text(): string | undefined {
    return this.lastText;
  }

  /** The last decided call with its args; undefined if there is none, or its args were too large to keep. */
  get call(): CallRequest | undefined {
    return this.lastCall?.args === omittedArgs ? undefined : this.lastCall;
  }

  private startTurn(): void {
    this.requested.clear();
    this.approvedBy.clear();
  }

  private keep({ callId, tool, server }: CallInfo, text: string): void {
    this.lastCall = this.requested.get(callId) ?? { tool, server };
    this.lastText = `${safeText(server === undefined ? tool : `${server}/${tool}`)} was ${text}`;
  }
}

function byText(rule: RuleRef | undefined, hook: string | undefined): string {
  if (rule !== undefined) return ` by rule ${describeRule(rule)}`;
  return hook === undefined ? '' : ` by hook ${safeText(hook)}`;
}
