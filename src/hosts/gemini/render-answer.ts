/** Answers in the form that Gemini CLI understands. */

import type { HookAnswer, HookOutput, HostEvent } from '../host.ts';
import { reasonText, resultText } from '../reason-text.ts';

/** `allow` is never said: it means nothing to Gemini, and `{}` leaves everything to its own permissions. */
export function renderGeminiAnswer(answer: HookAnswer, event: HostEvent): HookOutput {
  return { stdout: JSON.stringify(answerBody(answer, event)), stderr: '', exitCode: 0 };
}

function answerBody(answer: HookAnswer, event: HostEvent): object {
  switch (answer.type) {
    case 'pass':
      return {};
    case 'deny':
    // Gemini's prompt would turn a denial of the user's own policy into a question, and ends runs without a terminal.
    case 'ask':
      return canRefuse(event) ? { decision: 'deny', reason: reasonText(answer.reason) } : {};
    case 'rewrite':
      return event.name === 'BeforeTool'
        ? { hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: answer.input } }
        : { decision: 'deny', reason: `Gemini CLI cannot change the input of a tool at ${reasonText(event.name)}.` };
    case 'replace-result':
      return event.type === 'tool-result' ? { decision: 'deny', reason: resultText(answer.text) || ' ' } : {};
    default:
      return answer satisfies never;
  }
}

/** A refusal at the end of a turn would start another turn. */
function canRefuse({ type }: HostEvent): boolean {
  return type !== 'turn-end' && type !== 'session-end' && type !== 'compaction';
}
