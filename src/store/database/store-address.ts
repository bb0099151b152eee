/** Where a store is: a file, or a Postgres server. */

import { resolve } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';

export type StoreAddress =
  | { readonly type: 'sqlite'; readonly path: string }
  | { readonly type: 'postgres'; readonly url: URL; readonly schema: string };

/** Where a store is kept in a folder, if nothing else is said. */
export const defaultStorePath = '.bridle/store.db';
const defaultSchema = 'bridle';

/** Reads a path, `sqlite:path`, or `postgres://…`; nothing else that looks like a URL is taken for a path. */
export function readStoreAddress(at: string = defaultStorePath): StoreAddress {
  if (/^postgres(ql)?:\/\//i.test(at)) return readServer(at);
  const path = at.replace(/^sqlite:/, '');
  if (path === '' || path.includes('\0')) throw invalidAddress('an empty path');
  if (path === ':memory:') throw invalidAddress('a store in memory: give it a file');
  // A letter and a colon begin a path on Windows.
  const scheme = /^[a-z][a-z0-9+.-]+:/i.exec(path)?.[0];
  if (scheme !== undefined) throw invalidAddress(`an address that begins with ${scheme}`);
  return { type: 'sqlite', path: resolve(path) };
}

/** `?schema=` names the schema of the tables, and is nothing that Postgres knows. */
function readServer(at: string): StoreAddress {
  let url: URL;
  try {
    url = new URL(at);
    for (const part of [url.username, url.password]) decodeURIComponent(part);
  } catch {
    // The text may hold a password: it is not repeated.
    throw invalidAddress('a malformed URL');
  }
  const schema = url.searchParams.get('schema') ?? defaultSchema;
  url.searchParams.delete('schema');
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,39}$/.test(schema)) return { type: 'postgres', url, schema };
  throw invalidAddress(`the schema ${JSON.stringify(schema)}: use up to 40 small letters, digits and "_"`);
}

/** The address of a server for people: without user, password and settings. */
export function urlWithoutCredentials(url: URL): string {
  return `postgres://${url.host}${url.pathname}`;
}

function invalidAddress(what: string): BridleError {
  return new BridleError(
    'OPTION_INVALID',
    `A store cannot be at ${what}. Give a path, sqlite:path, or postgres://user@host/database.`,
  );
}
