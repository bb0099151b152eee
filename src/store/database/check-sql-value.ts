/** Checks that both databases store a parameter without loss. */

import { BridleError } from '../../kernel/errors.ts';
import type { SqlValue } from './database.ts';

/** Refuses values a database would alter: NUL truncates text, and a lone surrogate becomes another character. */
export function checkSqlValue(value: SqlValue): void {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    throw new BridleError('STORE_FAILED', 'Text with a NUL character or a lone surrogate cannot be stored.');
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new BridleError('STORE_FAILED', `The number ${value} cannot be stored.`);
  }
}
