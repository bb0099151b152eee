/** What is used of a driver of SQLite, whichever this Node has. */

import type { Row, SqlValue } from '../database/database.ts';

/** Whole numbers as such: drivers bind every other number as a float. */
export type BoundValue = SqlValue | bigint;

export interface DriverStatement {
  all(params: readonly BoundValue[]): readonly Row[];
  run(params: readonly BoundValue[]): number;
}

/** Synchronous; every method throws what the driver throws. */
interface SqliteDriver {
  prepare(sql: string): DriverStatement;
  exec(sql: string): void;
  close(): void;
}

export type OpenDriver = (path: string) => SqliteDriver;
