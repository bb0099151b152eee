/** The libsql driver, for Node versions without `node:sqlite`. */

import { isUtf8 } from 'node:buffer';
import { BridleError } from '../../kernel/errors.ts';
import type { Row, SqlValue } from '../database/database.ts';
import type { OpenDriver } from './sqlite-driver.ts';

export async function libsqlDriver(): Promise<OpenDriver> {
  const { default: Libsql } = await import('libsql');
  return (path) => {
    const database = new Libsql(path, { timeout: 0 });
    return {
      prepare: (sql) => {
        const plain = database.prepare(sql);
        const reads = /^\s*(SELECT|WITH)\b/i.test(sql);
        const statement = reads ? database.prepare(withTextsAsBytes(sql, plain.columns())) : plain;
        return {
          all: (params) => statement.all(params).map(withTexts),
          run: (params) => statement.run(params).changes,
        };
      },
      exec: (sql) => void database.exec(sql),
      close: () => void database.close(),
    };
  };
}

/**
 * libsql aborts the process if a text is not UTF-8, and one damaged byte is enough. So texts are read as bytes and
 * decoded here.
 */
function withTextsAsBytes(sql: string, columns: readonly { readonly name: string }[]): string {
  const names = columns.map((_, i) => `c${i}`);
  const values = columns.map(({ name }, i) => {
    const value = `CASE typeof(c${i}) WHEN 'text' THEN CAST(c${i} AS BLOB) ELSE c${i} END`;
    return `${value} AS "${name.replaceAll('"', '""')}"`;
  });
  return `WITH bridle_rows (${names.join(', ')}) AS (${sql}) SELECT ${values.join(', ')} FROM bridle_rows`;
}

/** Decodes the texts of a row. A store has no other binary values. */
function withTexts(row: unknown): Row {
  const read = row as Record<string, SqlValue | ArrayBuffer>;
  for (const name in read) {
    const value = read[name];
    if (typeof value === 'object' && value !== null) read[name] = utf8Text(Buffer.from(value as ArrayBuffer));
  }
  return read as Row;
}

function utf8Text(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new BridleError(
    'STORE_DAMAGED',
    'A text in the store is damaged: it is not UTF-8. Restore the store from a backup.',
  );
}
