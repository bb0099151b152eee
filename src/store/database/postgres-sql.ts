/** Statements as Postgres takes them: `$1` for `?`, prepared under a short name while there are few enough. */

const mostPrepared = 300;

export interface PostgresStatement {
  readonly text: string;
  /** Undefined: not worth keeping ready on the server. */
  readonly name: string | undefined;
}

const known = new Map<string, PostgresStatement>();

export function postgresStatement(sql: string): PostgresStatement {
  const ready = known.get(sql);
  if (ready !== undefined) return ready;
  const text = numberParameters(sql);
  if (known.size >= mostPrepared) return { text, name: undefined };
  const statement = { text, name: `bridle_${known.size}` };
  known.set(sql, statement);
  return statement;
}

/** Leaves question marks in quotes alone; `?1` is the first parameter once more. */
export function numberParameters(sql: string): string {
  let count = 0;
  return sql.replaceAll(/'[^']*'|"[^"]*"|\?(\d*)/g, (part: string, number?: string) => {
    if (number === undefined) return part;
    return `$${number === '' ? ++count : number}`;
  });
}

/** Texts are compared byte by byte, as SQLite does: whatever the server's language, and whatever it changes in that. */
export function postgresDefinition(sql: string): string {
  return sql.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}
