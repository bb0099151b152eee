/** The migrations of one part of the store. */

/** By schema version: the statements that migrate the tables of a part from the previous version. */
export type TableMigrations = Readonly<Record<number, readonly string[]>>;
