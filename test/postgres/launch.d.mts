/** A real Postgres server of this process alone. */
export interface PostgresServer {
  /** With user and password. */
  readonly url: string;
  /** Kills it with SIGKILL; settles when it is dead. */
  kill(): Promise<void>;
  /** Lets it end in an orderly way. */
  stop(): Promise<void>;
  /** Starts it again, on the same data and port; settles when it answers. */
  restart(): Promise<void>;
  /** Ends it and deletes its data. */
  remove(): Promise<void>;
}

export interface PostgresSettings {
  /** False: commits are not synced to the disk. True if not given. */
  readonly sync?: boolean | undefined;
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string | number>> | undefined;
}

/** Why there is no Postgres here; undefined if there is one. */
export function postgresMissing(): string | undefined;

export function startPostgres(options?: PostgresSettings): Promise<PostgresServer>;
