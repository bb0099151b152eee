/** Translates statements for Postgres: `$1` for `?`. The first ones are prepared under a short name. */

const maxPrepared = 300;

export interface PostgresStatement {
  readonly text: string;
  /** Undefined: not prepared on the server. */
  readonly name: string | undefined;
}

const prepared = new Map<string, PostgresStatement>();

export function postgresStatement(sql: string): PostgresStatement {
  const existing = prepared.get(sql);
  if (existing !== undefined) return existing;
  const text = numberParameters(sql);
  if (prepared.size >= maxPrepared) return { text, name: undefined };
  const statement = { text, name: `bridle_${prepared.size}` };
  prepared.set(sql, statement);
  return statement;
}

/** Ignores question marks in quotes. `?1` refers to the first parameter again. */
export function numberParameters(sql: string): string {
  let count = 0;
  return sql.replaceAll(/'[^']*'|"[^"]*"|\?(\d*)/g, (part: string, number?: string) => {
    if (number === undefined) return part;
    return `$${number === '' ? ++count : number}`;
  });
}

/** Compares text byte by byte, like SQLite, independent of the server's locale. */
export function postgresDefinition(sql: string): string {
  return sql.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}
