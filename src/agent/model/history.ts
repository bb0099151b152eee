/** The conversation as it is sent to the model. It contains complete steps only, so every tool call has its result. */

import type { ModelMessage } from './model-interface.ts';

/** The option `compaction`: when a conversation is compacted, and how much of it stays. */
export interface CompactionOptions {
  /**
   * The context size in tokens at which older messages are summarised. Default: 100,000. `false` turns compaction off.
   */
  readonly atTokens?: number | false | undefined;
  /** How many of the newest turns stay unchanged. Default: 2. */
  readonly keepTurns?: number | undefined;
}

export const defaultCompaction = Object.freeze({ atTokens: 100_000, keepTurns: 2 });

export class History {
  /** Changed only by the methods below. */
  messages: ModelMessage[] = [];
  private sizes: number[] = [];
  /** The number of characters of all messages, for token estimates. Updated with every change. */
  characters = 0;
  /** How many messages from the start are already saved and unchanged since. */
  private savedCount = 0;
  /** True once a tool result contained media. */
  containsMedia = false;

  constructor(saved: readonly ModelMessage[] = []) {
    for (const message of saved) this.append(message);
    this.savedCount = saved.length;
  }

  append(message: ModelMessage, characters = charactersOf(message)): void {
    // Hooks and models get these very objects, so they must not be able to change them.
    this.messages.push(freezeDeeply(message));
    this.containsMedia ||= message.role === 'tool' && message.content.some(hasMedia);
    this.sizes.push(characters);
    this.characters += characters;
  }

  /** Removes everything after the first `length` messages. */
  truncate(length: number): void {
    this.messages.length = Math.min(length, this.messages.length);
    this.savedCount = Math.min(this.savedCount, length);
    for (const size of this.sizes.splice(length)) this.characters -= size;
  }

  /** Replaces the first `count` messages with one. */
  replaceStart(count: number, message: ModelMessage): void {
    const rest = this.messages.slice(count);
    this.messages = [];
    this.sizes = [];
    this.characters = 0;
    this.savedCount = 0;
    for (const each of [message, ...rest]) this.append(each);
  }

  /** The changes since the last call: `messages` replaces everything from index `from`. */
  takeChanges(): { readonly from: number; readonly messages: readonly ModelMessage[] } {
    const from = this.savedCount;
    this.savedCount = this.messages.length;
    return { from, messages: this.messages.slice(from) };
  }

  /** A copy of the messages, preceded by those in `head`. A copy, because a model may keep it. */
  snapshot(head: readonly ModelMessage[] = []): ModelMessage[] {
    return head.concat(this.messages);
  }
}

function hasMedia(part: Extract<ModelMessage, { role: 'tool' }>['content'][number]): boolean {
  return part.type === 'tool-result' && part.output.type === 'content';
}

/** Freezes data in place. Typed arrays cannot be frozen. */
export function freezeDeeply<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) for (const each of value as readonly unknown[]) freezeDeeply(each);
  else for (const key in value) freezeDeeply(value[key]);
  return value;
}

/** Each media item counts the same, because its size in bytes says little about its tokens. */
const mediaCharacters = 4000;

function charactersOf({ content }: ModelMessage): number {
  if (typeof content === 'string') return content.length;
  let characters = 0;
  for (const part of content) {
    if (part.type === 'text' || part.type === 'reasoning') characters += part.text.length;
    else if (part.type === 'file') characters += mediaCharacters;
    else if (part.type === 'tool-call') characters += JSON.stringify(part.input ?? null).length + part.toolName.length;
    else if (part.type === 'tool-result') characters += outputCharacters(part.output);
  }
  return characters;
}

type Output = Extract<Exclude<ModelMessage['content'], string>[number], { type: 'tool-result' }>['output'];

function outputCharacters(output: Output): number {
  if (output.type === 'text' || output.type === 'error-text') return output.value.length;
  if (output.type !== 'content') return JSON.stringify(output).length;
  return output.value.reduce((sum, item) => sum + (item.type === 'text' ? item.text.length : mediaCharacters), 0);
}
