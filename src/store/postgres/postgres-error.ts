/** Turns Postgres and network errors into Bridle errors, without the password. */

import { BridleError, messageOf, type ErrorCode } from '../../kernel/errors.ts';

/** The connection was lost or refused; the server is starting, stopping or full. */
const connectionCodes =
  /^(08...|57P0[123]|53300|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/;
const connectionTexts =
  /connection terminated|connection error|timeout exceeded when trying to connect|query read timeout/i;

const failures: Readonly<Record<string, readonly [code: ErrorCode, text: string]>> = {
  '23505': ['STORE_CONFLICT', 'the same row already exists'],
  '28P01': ['STORE_FAILED', 'the user or password is wrong'],
  '28000': ['STORE_FAILED', 'the server does not accept this user'],
  '3D000': ['STORE_FAILED', 'the database does not exist on the server; create it first'],
  '42501': ['STORE_FAILED', 'the user lacks permission; grant it the schema and its tables'],
  '53100': ['STORE_FAILED', 'the disk of the server is full'],
  '55P03': ['STORE_FAILED', 'another transaction has locked a row that is needed'],
  ENOTFOUND: ['STORE_FAILED', 'the host does not exist'],
};

function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return code;
  // If a host has several addresses, each has its own error.
  return errors === undefined || errors.length === 0 ? '' : codeOf(errors[0]);
}

/** True if the server is unreachable or the connection was lost: a new connection may work. */
export function isConnectionLost(error: unknown): boolean {
  return connectionCodes.test(codeOf(error)) || (codeOf(error) === '' && connectionTexts.test(messageOf(error)));
}

/** True if the server rolled back a transaction because of another one. */
export function isRolledBack(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

export interface PostgresTarget {
  /** For display. */
  readonly at: string;
  readonly password: string;
}

/** The Bridle error for a database error. Other errors are returned unchanged. */
export function postgresError({ at, password }: PostgresTarget, error: unknown): Error {
  if (error instanceof Error && codeOf(error) === '' && !isConnectionLost(error)) return error;
  if (error instanceof BridleError) return error;
  const [code, text] = failures[codeOf(error)] ?? [
    'STORE_FAILED',
    isConnectionLost(error) ? 'the server is unreachable or shutting down' : 'the server reported an error',
  ];
  const detail = `${messageOf(error)} ${codeOf(error)}`.trim();
  const message = `The store ${at}: ${text} (${password === '' ? detail : detail.replaceAll(password, '***')}).`;
  return new BridleError(code, message, { cause: error });
}
