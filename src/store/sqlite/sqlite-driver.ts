/** The driver interface for SQLite. */

import type { Row, SqlValue } from '../database/database.ts';

/** Integers are bound as bigint: drivers bind every number as a float. */
export type BoundValue = SqlValue | bigint;

export interface DriverStatement {
  all(params: readonly BoundValue[]): readonly Row[];
  run(params: readonly BoundValue[]): number;
}

/** Synchronous. Every method throws the driver's errors. */
interface SqliteDriver {
  prepare(sql: string): DriverStatement;
  exec(sql: string): void;
  close(): void;
}

export type OpenDriver = (path: string) => SqliteDriver;
