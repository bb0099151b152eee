/** What Postgres and the way to it say when they fail, as errors of Bridle; never with a password. */

import { BridleError, messageOf, type ErrorCode } from '../../kernel/errors.ts';

/** Connection lost or never made; the server starts, stops or is full. */
const connectionCodes =
  /^(08...|57P0[123]|53300|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;
const connectionTexts =
  /connection terminated|connection error|timeout exceeded when trying to connect|query read timeout/i;

const failures: Readonly<Record<string, readonly [code: ErrorCode, text: string]>> = {
  '23505': ['STORE_CONFLICT', 'the same row is there already'],
  '28P01': ['STORE_FAILED', 'user or password is wrong'],
  '28000': ['STORE_FAILED', 'the server does not let this user in'],
  '3D000': ['STORE_FAILED', 'there is no such database on the server; make it first'],
  '42501': ['STORE_FAILED', 'the user may not do this; grant it the schema and its tables'],
  '53100': ['STORE_FAILED', 'the disk of the server is full'],
  '55P03': ['STORE_FAILED', 'another transaction keeps what is needed locked'],
  ENOTFOUND: ['STORE_FAILED', 'there is no such host'],
};

function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return code;
  // Where a host has several addresses, each failed in its own way.
  return errors === undefined || errors.length === 0 ? '' : codeOf(errors[0]);
}

/** True if the server could not be reached, or was lost: another connection may do better. */
export function isConnectionLost(error: unknown): boolean {
  return connectionCodes.test(codeOf(error)) || (codeOf(error) === '' && connectionTexts.test(messageOf(error)));
}

/** True if the server has undone a transaction because of another one. */
export function isRolledBack(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

export interface PostgresTarget {
  /** For people. */
  readonly at: string;
  readonly password: string;
}

/** Whatever was thrown, for whoever uses the store; what is no failure of the database stays as it is. */
export function postgresError({ at, password }: PostgresTarget, error: unknown): Error {
  if (error instanceof Error && codeOf(error) === '' && !isConnectionLost(error)) return error;
  if (error instanceof BridleError) return error;
  const [code, text] = failures[codeOf(error)] ?? [
    'STORE_FAILED',
    isConnectionLost(error) ? 'the server cannot be reached, or is going down' : 'the server refused',
  ];
  const detail = `${messageOf(error)} ${codeOf(error)}`.trim();
  const message = `The store ${at}: ${text} (${password === '' ? detail : detail.replaceAll(password, '***')}).`;
  return new BridleError(code, message, { cause: error });
}
