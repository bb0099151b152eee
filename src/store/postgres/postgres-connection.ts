/** How a store connects to Postgres: the settings from its URL, and those that every connection needs. */

import type { ClientConfig } from 'pg';
import { BridleError } from '../../kernel/errors.ts';
import { urlWithoutCredentials } from '../database/store-address.ts';

export interface PostgresOptions {
  readonly url: URL;
  /** The schema of all tables. */
  readonly schema: string;
  readonly durability: 'full' | 'process';
  /** False: a missing schema is not created. */
  readonly create: boolean;
}

export interface PostgresConnection {
  readonly config: ClientConfig;
  readonly schema: string;
  /** For display. */
  readonly at: string;
  readonly password: string;
}

/** The timeout of a query. A lock waits half as long. */
const queryTimeoutMs = 60_000;

/** The type OIDs of Postgres that are parsed here. */
const boolType = 16;
const smallTypes = new Set([21, 23, 26, 700, 701]);
const largeTypes = new Set([20, 1700]);
const bytesType = 17;

export function postgresConnection({ url, schema, durability }: PostgresOptions): PostgresConnection {
  const plain = new URL(url);
  const settings = [
    `search_path=${schema}`,
    `synchronous_commit=${durability === 'full' ? 'on' : 'off'}`,
    // A stalled process must not block the others forever.
    `idle_in_transaction_session_timeout=${queryTimeoutMs}`,
    `lock_timeout=${queryTimeoutMs / 2}`,
  ];
  const given = plain.searchParams.get('options') ?? '';
  plain.searchParams.set('options', `${given} ${settings.map((setting) => `-c ${setting}`).join(' ')}`.trim());
  return {
    schema,
    at: urlWithoutCredentials(url),
    password: decodeURIComponent(url.password) || (url.searchParams.get('password') ?? ''),
    config: {
      connectionString: plain.href,
      application_name: 'bridle',
      connectionTimeoutMillis: 10_000,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
      pipeline: true,
      types: { getTypeParser: ((type: number) => parserOf(type)) as never },
    },
  };
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
