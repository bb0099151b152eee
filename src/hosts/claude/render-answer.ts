/** Answers in the formats that Claude Code was seen to honour. */

import type { JsonObject } from '../../kernel/json.ts';
import type { HookAnswer, HookOutput, HostEvent } from '../host.ts';
import { reasonText, resultText } from '../reason-text.ts';
import { replaceOutput } from './replace-output.ts';

export function renderClaudeAnswer(answer: HookAnswer, event: HostEvent): HookOutput {
  if (answer.type === 'pass') return print({});
  switch (event.type) {
    case 'tool-call':
      return answerCall(answer, event.name);
    case 'tool-result':
      return print(answerResult(answer, event));
    case 'prompt':
    case 'compaction':
      return print({ decision: 'block', reason: textOf(answer) });
    case 'settings-change':
      return refuse(textOf(answer));
    default:
      // A session cannot be refused, and a turn that must not end would never end.
      return print({});
  }
}

function answerCall(answer: HookAnswer, hookEventName: string): HookOutput {
  if (hookEventName === 'PermissionRequest') return answerPermissionRequest(answer);
  if (hookEventName !== 'PreToolUse') return refuse(textOf(answer));
  if (answer.type === 'rewrite') {
    // Without a decision, the host still applies its own permissions to the new input.
    return print({ hookSpecificOutput: { hookEventName, updatedInput: answer.input } });
  }
  const permissionDecision = answer.type === 'ask' ? 'ask' : 'deny';
  const permissionDecisionReason = textOf(answer);
  return print({ hookSpecificOutput: { hookEventName, permissionDecision, permissionDecisionReason } });
}

/** The host is about to ask the person. Its answer to a rewrite would also allow the call. */
function answerPermissionRequest(answer: HookAnswer): HookOutput {
  if (answer.type === 'ask') return print({});
  const decision = { behavior: 'deny', message: textOf(answer) };
  return print({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
}

type ResultEvent = Extract<HostEvent, { readonly type: 'tool-result' }>;

/** If the result cannot be replaced, the model sees the text in addition to the result. */
function answerResult(answer: HookAnswer, { name: hookEventName, outcome }: ResultEvent): JsonObject {
  const text = textOf(answer);
  if (hookEventName !== 'PostToolUse') return { hookSpecificOutput: { hookEventName, additionalContext: text } };
  const updatedToolOutput = answer.type === 'replace-result' ? replaceOutput(outcome.value, text) : undefined;
  if (updatedToolOutput === undefined) return { decision: 'block', reason: text };
  return { hookSpecificOutput: { hookEventName, updatedToolOutput } };
}

function textOf(answer: HookAnswer): string {
  switch (answer.type) {
    case 'deny':
    case 'ask':
      return reasonText(answer.reason);
    case 'replace-result':
      return resultText(answer.text);
    case 'rewrite':
      return 'The policy changes the input of this call, which Claude Code cannot do here.';
    default:
      return '';
  }
}

function print(output: JsonObject): HookOutput {
  return { stdout: JSON.stringify(output), stderr: '', exitCode: 0 };
}

function refuse(reason: string): HookOutput {
  return { stdout: '', stderr: `${reason}\n`, exitCode: 2 };
}
