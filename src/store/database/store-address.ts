/** The address of a store: a file, or a Postgres server. */

import { resolve } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';

export type StoreAddress =
  | { readonly type: 'sqlite'; readonly path: string }
  | { readonly type: 'postgres'; readonly url: URL; readonly schema: string };

/** The default path of a store, relative to the current folder. */
export const defaultStorePath = '.bridle/store.db';
const defaultSchema = 'bridle';

/** Parses a path, `sqlite:path`, or `postgres://…`. Other URLs are refused, not treated as paths. */
export function readStoreAddress(at: string = defaultStorePath): StoreAddress {
  if (/^postgres(ql)?:\/\//i.test(at)) return readServer(at);
  const path = at.replace(/^sqlite:/, '');
  if (path === '' || path.includes('\0')) throw invalidAddress('the path is empty');
  if (path === ':memory:') throw invalidAddress('a store needs a file, so it cannot be in memory');
  // One letter and a colon is a Windows drive.
  const scheme = /^[a-z][a-z0-9+.-]+:/i.exec(path)?.[0];
  if (scheme !== undefined) throw invalidAddress(`unknown scheme ${JSON.stringify(scheme)}`);
  return { type: 'sqlite', path: resolve(path) };
}

/** `?schema=` is our own parameter: the schema of the tables. */
function readServer(at: string): StoreAddress {
  let url: URL;
  try {
    url = new URL(at);
    for (const part of [url.username, url.password]) decodeURIComponent(part);
  } catch {
    // Not quoted, since it may contain a password.
    throw invalidAddress('malformed URL');
  }
  const schema = url.searchParams.get('schema') ?? defaultSchema;
  url.searchParams.delete('schema');
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,39}$/.test(schema)) return { type: 'postgres', url, schema };
  throw invalidAddress(`the schema must be up to 40 lowercase letters, digits and "_", not ${JSON.stringify(schema)}`);
}

/** The address of a server for display: without user, password and parameters. */
export function urlWithoutCredentials(url: URL): string {
  return `postgres://${url.host}${url.pathname}`;
}

function invalidAddress(what: string): BridleError {
  return new BridleError(
    'OPTION_INVALID',
    `Invalid store address: ${what}. Use a path, sqlite:path or postgres://user@host/database.`,
  );
}
