/** Statements as Postgres takes them: `$1` for `?`, prepared under a short name while there are few enough. */

const maxPrepared = 300;

export interface PostgresStatement {
  readonly text: string;
  /** Undefined: not worth keeping ready on the server. */
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
