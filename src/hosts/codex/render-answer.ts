/**
 * Answers in the formats that Codex was seen to honour. It ignores a refusal without a reason or with a field that it
 * does not know, and runs the call.
 */

import type { JsonObject } from '../../kernel/json.ts';
import type { HookAnswer, HookOutput, HostEvent } from '../host.ts';
import { reasonText, resultText } from '../reason-text.ts';

export function renderCodexAnswer(answer: HookAnswer, event: HostEvent): HookOutput {
  if (answer.type === 'pass') return print({});
  switch (event.type) {
    case 'tool-call':
      return answerCall(answer, event.name);
    case 'tool-result':
    case 'prompt':
      // For a result, the reason replaces what the model sees.
      return print({ decision: 'block', reason: textOf(answer) });
    case 'session-start':
    case 'compaction':
      // Ends the session, or the turn that needs the compaction.
      return print({ continue: false, stopReason: textOf(answer) });
    default:
      // A turn that must not end would never end.
      return print({});
  }
}

function answerCall(answer: HookAnswer, hookEventName: string): HookOutput {
  if (hookEventName === 'PermissionRequest') {
    const decision = { behavior: 'deny', message: textOf(answer) };
    return print({ hookSpecificOutput: { hookEventName, decision } });
  }
  if (hookEventName !== 'PreToolUse') return { stdout: '', stderr: `${textOf(answer)}\n`, exitCode: 2 };
  if (answer.type === 'rewrite') {
    // Codex takes the new input only together with `allow`, which still leaves the call to its own permissions.
    return print({ hookSpecificOutput: { hookEventName, permissionDecision: 'allow', updatedInput: answer.input } });
  }
  // Codex runs a call that a hook wants to ask about.
  const permissionDecisionReason = textOf(answer);
  return print({ hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason } });
}

function textOf(answer: HookAnswer): string {
  switch (answer.type) {
    case 'deny':
    case 'ask':
      return reasonText(answer.reason);
    case 'replace-result':
      return resultText(answer.text) || 'Bridle removed the result.';
    case 'rewrite':
      return 'The policy changes the input of this call, which Codex cannot do here.';
    default:
      return '';
  }
}

function print(output: JsonObject): HookOutput {
  return { stdout: JSON.stringify(output), stderr: '', exitCode: 0 };
}
