/** Hosts and approvers that follow a script and fail on anything else. */

import type { ApprovalAnswer, ApprovalRequest, Approver } from '../kernel/approval.ts';
import type { ToolCall } from '../kernel/call.ts';
import { pairText } from '../kernel/names.ts';
import { BridleError } from '../kernel/errors.ts';
import type { ToolHost } from '../kernel/guard/calls/run-tool.ts';

/** What a scripted tool does: give a value, throw an error, or do as a function says. */
type ScriptedTool = unknown;

export interface ScriptedHost extends ToolHost {
  /** Every call that really ran, in order. */
  readonly calls: readonly ToolCall[];
}

/** A host whose tools answer from a table; `server/tool` names an MCP tool. */
export function scriptedHost(tools: Readonly<Record<string, ScriptedTool>>): ScriptedHost {
  const calls: ToolCall[] = [];
  return {
    calls,
    run(call, context) {
      const name = pairText(call.server, call.tool);
      if (!Object.hasOwn(tools, name)) {
        throw new BridleError('SCRIPT_FAILED', `the script has no tool "${name}"`);
      }
      calls.push(call);
      const tool = tools[name];
      if (tool instanceof Error) throw tool;
      return typeof tool === 'function' ? (tool as ToolHost['run'])(call, context) : tool;
    },
  };
}

export interface ScriptedApprover {
  readonly approver: Approver;
  /** Every request, in order. */
  readonly requests: readonly ApprovalRequest[];
  /** An error if answers are left over, or did not suffice. */
  readonly assertDone: () => void;
}

/** An approver with one answer for each question it will be asked. */
export function scriptedApprover(answers: readonly (boolean | ApprovalAnswer)[]): ScriptedApprover {
  const requests: ApprovalRequest[] = [];
  return {
    requests,
    approver(request) {
      requests.push(request);
      const answer = answers[requests.length - 1];
      if (answer === undefined) {
        throw new BridleError(
          'SCRIPT_FAILED',
          `question ${requests.length} about ${request.shown.title} is not in the script`,
        );
      }
      return answer;
    },
    assertDone() {
      const left = answers.length - requests.length;
      if (left > 0) throw new BridleError('SCRIPT_FAILED', `${left} answers of the script were not asked for`);
      // What the approver threw at a question too many became a refusal.
      if (left < 0) throw new BridleError('SCRIPT_FAILED', `${-left} questions were not in the script`);
    },
  };
}
