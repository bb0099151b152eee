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
