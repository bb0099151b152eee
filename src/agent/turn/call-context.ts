/** What a tool gets in addition to its call, and the result of the call with the media that the tool attached. */

import type { ToolCall } from '../../kernel/call.ts';
import type { CallResult } from '../../kernel/guard/calls/call-result.ts';
import type { RunContext } from '../../kernel/guard/calls/run-tool.ts';
import type { Interaction, Media, Question } from '../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { ToolContext } from '../../tools/definition/runnable-tool.ts';
import type { ResultPart } from '../model/model-interface.ts';
import { CallOutput } from '../../tools/definition/call-output.ts';
import { allowedMedia } from './prompt-input.ts';
import type { TurnWork } from './turn-work.ts';

/** The context passed to a tool: what the guard grants, plus what the agent adds. */
export class CallContext implements ToolContext {
  readonly cwd: string;
  readonly #work: TurnWork;
  readonly #granted: RunContext;
  readonly #reported = new CallOutput((text) => this.#emitOutput(text));

  constructor(
    work: TurnWork,
    readonly call: ToolCall,
    granted: RunContext,
  ) {
    this.cwd = call.cwd ?? work.agent.parts.cwd;
    this.#work = work;
    this.#granted = granted;
  }

  get signal(): AbortSignal {
    return this.#granted.signal;
  }

  get grant(): RunContext['grant'] {
    return this.#granted.grant;
  }

  get paths(): RunContext['paths'] {
    return this.#granted.paths;
  }

  get idempotencyKey(): string {
    return this.#granted.idempotencyKey;
  }

  get store(): RunContext['store'] {
    return this.#granted.store;
  }

  // Arrow functions, so that tools can destructure them.
  readonly output = (text: string): void => {
    // Nothing may follow the end of the call.
    if (!this.signal.aborted) this.#reported.push(text);
  };

  readonly ask = (questions: readonly Question[]): Promise<Interaction> => this.#work.turn.ask(questions);

  readonly attach = (media: Media): JsonValue => {
    const { attached, agent } = this.#work;
    const bytes = bytesOf(media);
    // Text becomes part of the result, so that hooks, journal and people can read it.
    if (isTextual(media.mediaType)) return textOf(media);
    if (!allowedMedia.has(media.mediaType))
      return `[${media.mediaType}, ${bytes} bytes, left out: unsupported media type]`;
    const { mediaBytes } = agent.parts.limits;
    if (attached.bytes + bytes > mediaBytes) {
      return `[${media.mediaType}, ${bytes} bytes, left out: the limit is ${mediaBytes} bytes per turn]`;
    }
    attached.bytes += bytes;
    const note = `[${media.mediaType}, ${bytes} bytes, attached as media-${++attached.count}]`;
    const mediaByCall = (this.#work.media ??= new Map());
    const ofCall = mediaByCall.get(this.call.id) ?? new Map<string, Media>();
    mediaByCall.set(this.call.id, ofCall.set(note, media));
    return note;
  };

  /** Masked like the result: a secret that an argument names is masked in the output as well. */
  #emitOutput(text: string): void {
    const { id: callId, tool, server, args } = this.call;
    const { mask = <T>(value: T): T => value } = this.#work.agent.parts;
    this.#work.turn.emit(() => ({ type: 'tool_output', text: mask({ args, text }).text, callId, tool, server }));
  }
}

function isTextual(mediaType: string): boolean {
  return /^text\/|^application\/(json|xml|javascript)\b|\+(json|xml)\b/.test(mediaType);
}

function textOf({ data }: Media): string {
  return (typeof data === 'string' ? Buffer.from(data, 'base64') : Buffer.from(data)).toString('utf8');
}

function bytesOf({ data }: Media): number {
  return typeof data === 'string' ? Math.floor(data.length * 0.75) : data.byteLength;
}

/** A result as it is sent to the model, with the attached media that its text still mentions after the hooks. */
export function resultPartOf(work: TurnWork, toolCallId: string, { text, isError }: CallResult): ResultPart {
  const open = work.pending.get(toolCallId) ?? '';
  const toolName = typeof open === 'string' ? open : open.toolName;
  const media = [...(work.media?.get(toolCallId) ?? [])].filter(([note]) => text.includes(note));
  work.media?.delete(toolCallId);
  const output: ResultPart['output'] =
    media.length === 0
      ? { type: isError ? 'error-text' : 'text', value: text }
      : { type: 'content', value: [{ type: 'text', text }, ...media.map(([, each]) => filePartOf(each))] };
  return { type: 'tool-result', toolCallId, toolName, output };
}

/** Encodes media as text, so that the session can be saved and the bytes cannot change later. */
export function filePartOf({ mediaType, data, name }: Media): FilePart {
  const encoded = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
  const part = { type: 'file', mediaType, data: { type: 'data', data: encoded } } as const;
  return name === undefined ? part : { ...part, filename: name };
}

interface FilePart {
  type: 'file';
  mediaType: string;
  data: { type: 'data'; data: string };
  filename?: string;
}
