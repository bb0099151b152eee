/** Converts a complete reply to stream parts and back, so that `doGenerate` returns exactly what `doStream` streams. */

import type {
  AnswerContent,
  FinishReason,
  GeneratedAnswer,
  StreamPart,
  StreamedAnswer,
  ModelUsage,
} from './model-interface.ts';

export interface StreamedReply {
  readonly thinking: string;
  readonly text: string;
  readonly toolCalls: readonly StreamedCall[];
  readonly finishReason: FinishReason['unified'];
  readonly usage: ModelUsage;
  /** The provider's id of the answer. */
  readonly responseId?: string | undefined;
}

export interface StreamedCall {
  readonly id: string;
  readonly tool: string;
  /** The arguments as JSON text, which may be invalid. */
  readonly input: string;
}

/** Splits a text into the pieces that are streamed. */
export type TextSplitter = (text: string) => readonly string[];

/** The parts of a reply without its end. The caller adds {@link finishPart}, unless the stream is to be cut. */
export function replyParts(reply: StreamedReply, split: TextSplitter | undefined): StreamPart[] {
  const parts: StreamPart[] = [{ type: 'stream-start', warnings: [] }];
  if (reply.responseId !== undefined) parts.push({ type: 'response-metadata', id: reply.responseId });
  if (reply.thinking !== '') {
    parts.push({ type: 'reasoning-start', id: 'thinking' });
    for (const delta of pieces(reply.thinking, split)) parts.push({ type: 'reasoning-delta', id: 'thinking', delta });
    parts.push({ type: 'reasoning-end', id: 'thinking' });
  }
  if (reply.text !== '') {
    parts.push({ type: 'text-start', id: 'text' });
    for (const delta of pieces(reply.text, split)) parts.push({ type: 'text-delta', id: 'text', delta });
    parts.push({ type: 'text-end', id: 'text' });
  }
  for (const call of reply.toolCalls) pushCall(parts, call, split);
  return parts;
}

/** Without a splitter, the arguments are not streamed separately. */
function pushCall(parts: StreamPart[], { id, tool, input }: StreamedCall, split: TextSplitter | undefined) {
  if (split !== undefined) {
    parts.push({ type: 'tool-input-start', id, toolName: tool });
    for (const delta of split(input)) parts.push({ type: 'tool-input-delta', id, delta });
    parts.push({ type: 'tool-input-end', id });
  }
  parts.push({ type: 'tool-call', toolCallId: id, toolName: tool, input });
}

function pieces(text: string, split: TextSplitter | undefined): readonly string[] {
  return split === undefined ? [text] : split(text);
}

export function finishPart({ finishReason, usage }: StreamedReply): StreamPart {
  return { type: 'finish', finishReason: { unified: finishReason, raw: undefined }, usage };
}

/** Reads a stream to its end and returns the result of a non-streaming call. */
export async function collectStream({ stream }: StreamedAnswer): Promise<GeneratedAnswer> {
  const content: AnswerContent[] = [];
  const open = new Map<string, { type: 'text' | 'reasoning'; text: string }>();
  const result: GeneratedAnswer = {
    content,
    finishReason: { unified: 'other', raw: undefined },
    usage: zeroModelUsage,
    warnings: [],
  };
  const reader = stream.getReader();
  for (;;) {
    const { done, value: part } = await reader.read();
    if (done) return result;
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const opened = { type: part.type === 'text-start' ? ('text' as const) : ('reasoning' as const), text: '' };
        open.set(part.id, opened);
        content.push(opened);
        break;
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const opened = open.get(part.id);
        if (opened !== undefined) opened.text += part.delta;
        break;
      }
      case 'tool-call':
        content.push(part);
        break;
      case 'finish':
        result.finishReason = part.finishReason;
        result.usage = part.usage;
        break;
      case 'error':
        throw part.error;
      default:
    }
  }
}

export const zeroModelUsage: ModelUsage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};
