import type { JournalEntry } from '../../kernel/records/journal-entry.ts';

/** The limits of one write. A single entry may exceed them. */
const maxEntries = 1_000;
const maxCharacters = 4 * 1024 * 1024;

/** Entries that are written together and fail together, with one promise for all. */
export class JournalBatch {
  /** Entries with their JSON text, in order of arrival. */
  readonly texts = new Map<JournalEntry, string>();
  readonly written: Promise<void>;
  resolve!: () => void;
  reject!: (error: unknown) => void;
  private total = 0;

  constructor() {
    this.written = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get characters(): number {
    return this.total;
  }

  /** True if there is room for a text. */
  hasRoomFor(text: string): boolean {
    const { size } = this.texts;
    return size === 0 || (size < maxEntries && this.total + text.length <= maxCharacters);
  }

  add(entry: JournalEntry, text: string): void {
    this.texts.set(entry, text);
    this.total += text.length;
  }
}
