/** When a conversation is made shorter, and how. */

export interface CompactionOptions {
  /** The tokens of context at which older messages are summarised; 100,000 if not given, `false` for never. */
  readonly atTokens?: number | false | undefined;
  /** How many of the newest turns stay as they are; 2 if not given. */
  readonly keepTurns?: number | undefined;
}

export const defaultCompaction = Object.freeze({ atTokens: 100_000, keepTurns: 2 });
