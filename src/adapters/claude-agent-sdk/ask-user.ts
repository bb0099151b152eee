/** Asks the user of the SDK about a call, through the program's own `canUseTool`. */

import { messageOf } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, sameJson } from '../../kernel/json.ts';
import type { PausedQuestion } from '../paused-questions.ts';
import type { ClaudeEvent } from './claude-event.ts';
import type { Fields, Prompt } from './claude-options.ts';

/** What the user said. `input` is set if the user changed it. */
export type UserAnswer =
  | { readonly type: 'approve'; readonly by: string; readonly input?: JsonObject | undefined }
  | {
      readonly type: 'deny';
      readonly by: string;
      readonly reason: string | undefined;
      /** True if the whole run is to stop. */
      readonly stops: boolean;
      readonly input?: undefined;
    };

const by = 'a user of the Claude Agent SDK';

export interface UserQuestion {
  readonly event: ClaudeEvent;
  readonly question: PausedQuestion;
  /** The input with which the tool would run. */
  readonly input: JsonObject;
  readonly signal: AbortSignal;
}

export async function askUser(prompt: Prompt, { event, question, input, signal }: UserQuestion): Promise<UserAnswer> {
  const { tool_name: tool, mcp_server: mcpServer, agent_id: agentID } = event.payload;
  try {
    const answer = await prompt(tool as string, structuredClone(input), {
      signal,
      toolUseID: event.id,
      requestId: question.id,
      title: question.text,
      description: question.shown,
      decisionReason: question.text,
      decisionReasonType: 'hook',
      ...(mcpServer === undefined ? {} : { mcpServer }),
      ...(agentID === undefined ? {} : { agentID }),
    });
    return readAnswer(answer as Fields | null | undefined, input);
  } catch (error) {
    return { type: 'deny', by, reason: `canUseTool failed: ${messageOf(error)}`, stops: false };
  }
}

/** Everything but a clear approval refuses the call. */
export function readAnswer(answer: Fields | null | undefined, input: JsonObject): UserAnswer {
  const { behavior, updatedInput = input, message, interrupt } = answer ?? {};
  const isObject = isJsonObject(updatedInput as JsonValue);
  if (behavior !== 'allow' || !isObject) {
    return { type: 'deny', by, reason: typeof message === 'string' ? message : undefined, stops: interrupt === true };
  }
  const edited = structuredClone(updatedInput) as JsonObject;
  return { type: 'approve', by, ...(sameJson(edited, input) ? {} : { input: edited }) };
}
