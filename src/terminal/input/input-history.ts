/**
 * The prompts of earlier sessions, in a file that only its owner can read. Secrets are masked before they are written.
 * Several chats can use the file: each prompt is appended with one write, and a full file is moved aside, not rewritten.
 */

import { closeSync, fchmodSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { createFolderSync } from '../../files/atomic-write.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';

/** Two files of this size are kept: the current one and the one before. */
const maxFileBytes = 200_000;
const maxEntryLength = 20_000;
const ownerOnly = 0o600;

export class InputHistory {
  private entries: string[] | undefined;

  /** Without a file, the history ends with the session. */
  constructor(private readonly file?: string | undefined) {}

  /** All prompts, the newest last, each once. The file is read at the first use. */
  get prompts(): readonly string[] {
    return this.loaded();
  }

  /** Adds a prompt. As in a shell, one that starts with a space is not kept. */
  add(prompt: string): void {
    if (prompt.trim() === '' || prompt.startsWith(' ')) return;
    const entries = this.loaded();
    if (entries.at(-1) === prompt) return;
    this.entries = [...entries.filter((each) => each !== prompt), prompt];
    if (this.file !== undefined && prompt.length <= maxEntryLength) append(this.file, prompt);
  }

  private loaded(): string[] {
    if (this.entries !== undefined) return this.entries;
    const { file } = this;
    const lines = file === undefined ? [] : [previousOf(file), file].flatMap(readLines);
    // The last of equal prompts counts.
    this.entries = [...new Set(lines.flatMap(readPrompt).toReversed())].toReversed();
    return this.entries;
  }
}

function previousOf(file: string): string {
  return `${file}.1`;
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    // Missing or unreadable: the history starts empty.
    return [];
  }
}

/** Each line is a JSON string. Other lines, such as one that was cut off by a crash, are skipped. */
function readPrompt(line: string): readonly string[] {
  if (!line.startsWith('"')) return [];
  try {
    const prompt: unknown = JSON.parse(line);
    return typeof prompt === 'string' ? [prompt] : [];
  } catch {
    return [];
  }
}

/** A history that cannot be written is no reason to stop a chat. */
function append(file: string, prompt: string): void {
  try {
    createFolderSync(dirname(file));
    moveAsideIfFull(file);
    const opened = openSync(file, 'a', ownerOnly);
    try {
      fchmodSync(opened, ownerOnly);
      writeSync(opened, `${JSON.stringify(maskSecrets()(prompt))}\n`);
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

function moveAsideIfFull(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= maxFileBytes) renameSync(file, previousOf(file));
}
