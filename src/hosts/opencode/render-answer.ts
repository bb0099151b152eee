/** Answers for Bridle's plugin: `{"decision": …}`. The plugin refuses everything else. */

import type { JsonValue } from '../../kernel/json.ts';
import type { HookAnswer, HookInput, HookOutput, HostEvent } from '../host.ts';
import { reasonText, resultText } from '../reason-text.ts';

type Verdict =
  | { readonly decision: 'pass' }
  | { readonly decision: 'deny'; readonly reason: string }
  | { readonly decision: 'rewrite'; readonly input: JsonValue }
  | { readonly decision: 'replace'; readonly output: string };

function print(verdict: Verdict): HookOutput {
  return { stdout: JSON.stringify(verdict), stderr: '', exitCode: 0 };
}

export function renderOpencodeAnswer(answer: HookAnswer, event: HostEvent): HookOutput {
  switch (answer.type) {
    case 'pass':
      return print({ decision: 'pass' });
    case 'deny':
    // opencode has no prompt that a plugin could use.
    case 'ask':
      return print({ decision: 'deny', reason: reasonText(answer.reason) });
    case 'rewrite':
      return event.name === 'tool.execute.before'
        ? print({ decision: 'rewrite', input: answer.input })
        : print({ decision: 'deny', reason: `opencode cannot change the input of a tool at ${event.name}.` });
    case 'replace-result':
      return print({ decision: 'replace', output: resultText(answer.text) });
    default:
      return answer satisfies never;
  }
}

export function refuseOpencodeEvent(reason: string, _input: HookInput): HookOutput {
  return print({ decision: 'deny', reason: reasonText(reason) });
}
