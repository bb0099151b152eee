/** The payloads of the points: plain, readonly data. */

import type { Grant, OutcomeType, ToolCall } from '../../call.ts';
import type { SessionId } from '../../ids.ts';
import type { JsonObject, JsonValue } from '../../json.ts';

/** Text with media: images, documents, audio, video. */
export interface Prompt {
  readonly text: string;
  readonly media: readonly Media[];
}

export interface Media {
  readonly mediaType: string;
  readonly data: string | Uint8Array;
  readonly name?: string | undefined;
}

export type TurnOrigin = 'user' | 'trigger' | 'subagent';

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheCreationTokens: number;
}

export interface TurnOutput {
  readonly text: string;
  readonly thinking: string;
  readonly steps: number;
  readonly usage: Usage;
  readonly stopReason: string;
  /** The tool calls of the turn, in the order in which they ended. Hooks cannot change it. */
  readonly toolCalls?: readonly TurnCall[] | undefined;
}

/** One tool call of a turn and its outcome. Secrets in it are masked. */
export interface TurnCall {
  readonly id: string;
  readonly tool: string;
  readonly server: string | undefined;
  readonly step: number;
  /** The args that the model requested. */
  readonly requested: JsonValue;
  /** The args that the tool ran with, or would have: after changes by hooks and people. */
  readonly args: JsonValue;
  /** `invalid`: unknown tool or invalid args. `not_run`: the turn ended first. */
  readonly outcome: OutcomeType | 'denied' | 'invalid' | 'not_run';
  /** For a denied call: denied by a rule or hook, refused by a person, expired or cancelled. */
  readonly status: string | undefined;
  /** Why it did not run, or what went wrong. */
  readonly reason: string | undefined;
  /** The name of the rule that decided it. */
  readonly rule: string | undefined;
  /** The hook that refused it. */
  readonly hook: string | undefined;
  /** How long it ran, in milliseconds. */
  readonly elapsedMs: number | undefined;
}

/** One message of the conversation; `content` is text or a list of parts. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | readonly MessagePart[];
}

/** A part of a message: text, an image, a tool's result. Other fields depend on the model. */
export interface MessagePart {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A tool as the model sees it. */
export interface ListedTool {
  readonly name: string;
  readonly server?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

export interface LlmRequest {
  /** The id of the model that gets the request, such as `anthropic/<id>`. Hooks cannot change it. */
  readonly model?: string | undefined;
  readonly messages: readonly Message[];
  readonly tools: readonly ListedTool[];
  readonly settings: JsonObject;
}

/** A tool call that the model requests. */
export interface RequestedCall {
  readonly id: string;
  readonly tool: string;
  readonly server?: string | undefined;
  readonly args: JsonValue;
}

export interface LlmResponse {
  readonly text: string;
  readonly thinking: string;
  readonly toolCalls: readonly RequestedCall[];
  readonly usage: Usage;
  /** The id of the model that answered, such as `anthropic/<id>`. */
  readonly model: string;
  /** The provider's id of the answer, if it has one. */
  readonly responseId?: string | undefined;
  readonly finishReason: string;
}

/** The failure of a tool, and the call in which it happened. */
export interface ToolError {
  readonly message: string;
  readonly tool: string;
  readonly server: string | undefined;
  readonly callId: string;
  readonly step: number;
  readonly cause: unknown;
}

/** How a call ended, before `postToolCall`. */
export interface Outcome {
  readonly type: OutcomeType;
  readonly error: ToolError | undefined;
}

export interface Question {
  readonly question: string;
  readonly options?: readonly { readonly text: string; readonly description?: string | undefined }[] | undefined;
  readonly multiSelect?: boolean | undefined;
}

/** The answer to one question: chosen options by index, free text, or skipped. */
export interface QuestionResponse {
  readonly selected?: readonly number[] | undefined;
  readonly text?: string | undefined;
  readonly skipped?: boolean | undefined;
}

/** The result of asking a person. `responses` are in the order of the questions. */
export type Interaction =
  | { readonly type: 'answered'; readonly responses: readonly QuestionResponse[] }
  | { readonly type: 'cancelled' }
  | { readonly type: 'unanswered' };

export interface Payloads {
  onSessionStart: {
    readonly session: SessionId;
    readonly host: string;
    readonly agent: readonly string[];
    readonly resumed: boolean;
  };
  onSessionEnd: { readonly reason: string };
  preTurn: { readonly prompt: Prompt; readonly origin: TurnOrigin };
  postTurn: { readonly input: Prompt; readonly output: TurnOutput };
  onTurnError: { readonly input: Prompt; readonly error: unknown };
  preLlmCall: LlmRequest;
  postLlmCall: { readonly response: LlmResponse };
  onLlmError: { readonly error: unknown; readonly attempt: number; readonly model: string };
  preToolCall: { readonly call: ToolCall; readonly grant: Grant };
  postToolCall: {
    readonly call: ToolCall;
    readonly outcome: Outcome;
    /** The result that the model would see. */
    readonly result: JsonValue;
    readonly elapsedMs: number;
  };
  onToolError: { readonly call: ToolCall; readonly error: ToolError };
  onInteraction: { readonly questions: readonly Question[] };
  preCompaction: {
    readonly messages: readonly Message[];
    readonly budget: { readonly tokens: number; readonly used: number };
  };
  postCompaction: {
    readonly removed: number;
    readonly summary: string;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
  };
}
