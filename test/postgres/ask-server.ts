/** The Postgres server all test files share. */

import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

let asked: Promise<string> | undefined;

/** Its URL, with user and password; the first one who asks waits for it to start. */
export function sharedPostgres(): Promise<string> {
  asked ??= ask();
  return asked;
}

async function ask(): Promise<string> {
  const answer = JSON.parse(await text(connect(inject('postgresDoor')))) as { url?: string; error?: string };
  if (answer.url === undefined) throw new TypeError(`Postgres does not start: ${answer.error}`);
  return answer.url;
}
