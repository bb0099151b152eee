/** Answers in the forms that Copilot CLI understands: one for its own events, one for those in another host's format. */

import type { HookAnswer, HookInput, HookOutput, HostEvent } from '../host.ts';
import { reasonText, resultText } from '../reason-text.ts';

function print(body: object): HookOutput {
  return { stdout: JSON.stringify(body), stderr: '', exitCode: 0 };
}

/** `allow` is never said: it would override the denials of the user. `{}` leaves everything to Copilot's permissions. */
export function renderCopilotAnswer(answer: HookAnswer, event: HostEvent): HookOutput {
  switch (answer.type) {
    case 'pass':
      return print({});
    case 'deny':
      return print(denial(event, reasonText(answer.reason)));
    case 'ask':
      // Only the hook before a tool can ask; elsewhere, a question is a refusal.
      return print(
        isPreTool(event)
          ? toolAnswer(event, { permissionDecision: 'ask', permissionDecisionReason: reasonText(answer.reason) })
          : denial(event, reasonText(answer.reason)),
      );
    case 'rewrite':
      if (!isPreTool(event))
        return print(denial(event, `Copilot CLI cannot change the input of a tool at ${event.name}.`));
      return print(
        event.name === 'PreToolUse'
          ? toolAnswer(event, { updatedInput: answer.input })
          : { modifiedArgs: answer.input },
      );
    case 'replace-result':
      return print(
        event.type === 'tool-result'
          ? { modifiedResult: { textResultForLlm: resultText(answer.text), resultType: 'success' } }
          : {},
      );
    default:
      return answer satisfies never;
  }
}

function isPreTool({ name }: HostEvent): boolean {
  return name === 'preToolUse' || name === 'PreToolUse';
}

function denial(event: HostEvent, reason: string): object {
  switch (event.type) {
    case 'tool-call':
      if (isPreTool(event)) return toolAnswer(event, { permissionDecision: 'deny', permissionDecisionReason: reason });
      return event.name === 'permissionRequest' ? { behavior: 'deny', message: reason } : everyDenial(reason);
    case 'tool-result':
    case 'prompt':
      return { decision: 'block', reason };
    default:
      // A refusal at the end of a turn would start another turn; the others have no effect.
      return {};
  }
}

function toolAnswer({ name }: HostEvent, fields: object): object {
  return name === 'PreToolUse' ? { hookSpecificOutput: { hookEventName: name, ...fields } } : fields;
}

/** Denies a call at any event. Copilot ignores fields that it does not know. */
function everyDenial(reason: string): object {
  return {
    permissionDecision: 'deny',
    permissionDecisionReason: reason,
    behavior: 'deny',
    message: reason,
    decision: 'block',
    reason,
  };
}

/** Copilot does not show what a failing hook prints, so a reason needs an answer. */
export function refuseCopilotEvent(reason: string, { payload }: HookInput): HookOutput | undefined {
  const has = (name: string): boolean => Object.hasOwn(payload, name) && payload[name] !== null;
  if (['toolName', 'toolArgs', 'toolInput', 'tool_name', 'tool_input'].some(has)) {
    return print(everyDenial(reasonText(reason)));
  }
  return has('prompt') ? print({ decision: 'block', reason: reasonText(reason) }) : undefined;
}
