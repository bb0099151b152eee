/** The rows of raw inserts: with the columns and the key of the journal, or bare, with a number and a text only. */

const hash = 'f'.repeat(64);

export const shapes = {
  same: {
    table: `CREATE TABLE %s (namespace TEXT NOT NULL, seq BIGINT NOT NULL, hash TEXT NOT NULL, text TEXT NOT NULL,
      PRIMARY KEY (namespace, seq))`,
    columns: ['namespace', 'seq', 'hash', 'text'],
    values: (seq, text) => ['default', seq, hash, text],
  },
  bare: {
    table: 'CREATE TABLE %s (seq INTEGER PRIMARY KEY, text TEXT NOT NULL)',
    columns: ['seq', 'text'],
    values: (seq, text) => [seq, text],
  },
};

/** Rows of one statement: powers of two, so that few statements are prepared. */
const most = 256;

/** What to insert: for each statement how many rows, and their values. */
export function* rowsOf({ values }, texts, first) {
  for (let at = 0; at < texts.length;) {
    const count = Math.min(most, 2 ** Math.floor(Math.log2(texts.length - at)));
    const all = [];
    for (let i = at; i < at + count; i++) all.push(...values(first + i, texts[i]));
    yield { count, values: all };
    at += count;
  }
}
