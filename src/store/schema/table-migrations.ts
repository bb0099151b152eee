/** What a part of the store says about its tables. */

/** Per schema version, the statements that bring the tables of a part from the version before to this one. */
export type TableMigrations = Readonly<Record<number, readonly string[]>>;
