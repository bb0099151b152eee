/** How a store connects to Postgres: what its URL says, and what must hold on every connection. */

import type { ClientConfig } from 'pg';
import { BridleError } from '../../errors.ts';
import { shownUrl } from './store-address.ts';

export interface PostgresOptions {
  readonly url: URL;
  readonly durability: 'full' | 'process';
  /** False: a schema that is missing stays so. */
  readonly create: boolean;
}

export interface PostgresConnection {
  readonly config: ClientConfig;
  /** The schema all tables are in. */
  readonly schema: string;
  /** For people. */
  readonly at: string;
  readonly password: string;
}

const defaultSchema = 'bridle';

/** No query takes longer than this; a lock waits for half of it. */
const queryMs = 60_000;

/** What Postgres calls the types whose texts are read as numbers. */
const boolType = 16;
const smallTypes = new Set([21, 23, 26, 700, 701]);
const largeTypes = new Set([20, 1700]);
const bytesType = 17;

export function postgresConnection({ url, durability }: PostgresOptions): PostgresConnection {
  const plain = new URL(url);
  const schema = readSchemaName(plain.searchParams.get('schema') ?? defaultSchema);
  plain.searchParams.delete('schema');
  const settings = [
    `search_path=${schema}`,
    `synchronous_commit=${durability === 'full' ? 'on' : 'off'}`,
    // A process that stands still must not hold up the others for ever.
    `idle_in_transaction_session_timeout=${queryMs}`,
    `lock_timeout=${queryMs / 2}`,
  ];
  const given = plain.searchParams.get('options') ?? '';
  plain.searchParams.set('options', `${given} ${settings.map((setting) => `-c ${setting}`).join(' ')}`.trim());
  return {
    schema,
    at: shownUrl(url),
    password: decodeURIComponent(url.password),
    config: {
      connectionString: plain.href,
      application_name: 'bridle',
      connectionTimeoutMillis: 10_000,
      query_timeout: queryMs,
      keepAlive: true,
      types: { getTypeParser: ((type: number) => parserOf(type)) as never },
    },
  };
}

function readSchemaName(name: string): string {
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,39}$/.test(name)) return name;
  throw new BridleError(
    'OPTION_INVALID',
    `${JSON.stringify(name)} cannot be the schema of a store: use up to 40 small letters, digits and "_".`,
  );
}

function parserOf(type: number): (text: string) => unknown {
  if (smallTypes.has(type)) return Number;
  if (largeTypes.has(type)) return readLarge;
  if (type === boolType) return (text) => (text === 't' ? 1 : 0);
  if (type === bytesType) return (text) => Buffer.from(text.slice(2), 'hex');
  return (text) => text;
}

function readLarge(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new BridleError('STORE_DAMAGED', `The number ${text} in the store is too large to be read exactly.`);
  }
  return value;
}
