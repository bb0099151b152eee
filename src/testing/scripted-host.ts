/** Hosts and approvers that follow a script and fail on anything unexpected. */

import type { ApprovalAnswer, ApprovalRequest, Approver } from '../kernel/approval.ts';
import type { ToolCall } from '../kernel/call.ts';
import { pairText } from '../kernel/names.ts';
import { BridleError } from '../kernel/errors.ts';
import type { ToolHost } from '../kernel/guard/calls/run-tool.ts';

/** A scripted tool: a value to return, an error to throw, or a function to call. */
type ScriptedTool = unknown;

export interface ScriptedHost extends ToolHost {
  /** Every call that ran, in order. */
  readonly calls: readonly ToolCall[];
}

/** Creates a host that takes its results from a table. The key of an MCP tool is `server/tool`. */
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
  /** Throws if answers are left over, or if there were too few. */
  readonly assertDone: () => void;
}

/** Creates an approver with one answer for each expected request. */
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
          `unexpected approval request ${requests.length} (${request.shown.title}): the script has only ${answers.length} answers`,
        );
      }
      return answer;
    },
    assertDone() {
      const left = answers.length - requests.length;
      if (left > 0)
        throw new BridleError('SCRIPT_FAILED', `${left} of ${answers.length} scripted answers were not used`);
      // An unexpected request made the approver throw, which the guard treats as a denial.
      if (left < 0)
        throw new BridleError('SCRIPT_FAILED', `there were ${-left} more approval requests than scripted answers`);
    },
  };
}
