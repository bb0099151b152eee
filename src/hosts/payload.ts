/** Reads the fields of a payload. Fields that nobody reads are ignored: hosts add fields in every version. */

import { isAbsolute } from 'node:path';
import { BridleError } from '../kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json.ts';
import { kindOf } from '../kernel/kind-of.ts';

/** A field with the wrong type throws `PAYLOAD_INVALID`; a missing one does too, unless it is optional. */
export class Payload {
  constructor(
    private readonly fields: JsonObject,
    /** For messages: the path of this object in the payload. */
    private readonly prefix = '',
  ) {}

  has(name: string): boolean {
    return this.value(name) !== undefined;
  }

  /** Own fields only; null counts as missing. */
  value(name: string): JsonValue | undefined {
    return (Object.hasOwn(this.fields, name) ? this.fields[name] : undefined) ?? undefined;
  }

  text(name: string): string {
    return this.optionalText(name) ?? this.fail(name, 'is missing');
  }

  optionalText(name: string): string | undefined {
    const value = this.value(name);
    return value === undefined || typeof value === 'string' ? value : this.wrong(name, 'a string');
  }

  nonEmptyText(name: string): string {
    return this.text(name) || this.fail(name, 'is empty');
  }

  optionalFlag(name: string): boolean | undefined {
    const value = this.value(name);
    return value === undefined || typeof value === 'boolean' ? value : this.wrong(name, 'true or false');
  }

  optionalNumber(name: string): number | undefined {
    const value = this.value(name);
    return value === undefined || typeof value === 'number' ? value : this.wrong(name, 'a number');
  }

  /** An absolute path without NUL. */
  folder(name: string): string {
    const path = this.nonEmptyText(name);
    return isAbsolute(path) && !path.includes('\0') ? path : this.fail(name, 'is not an absolute path');
  }

  object(name: string): Payload {
    return this.optionalObject(name) ?? this.fail(name, 'is missing');
  }

  optionalObject(name: string): Payload | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    return isJsonObject(value) ? new Payload(value, `${this.prefix}${name}.`) : this.wrong(name, 'an object');
  }

  /** The object itself, as data. */
  get all(): JsonObject {
    return this.fields;
  }

  fail(name: string, problem: string): never {
    throw new BridleError('PAYLOAD_INVALID', `"${this.prefix}${name}" of the payload ${problem}`);
  }

  private wrong(name: string, wanted: string): never {
    return this.fail(name, `is ${kindOf(this.value(name))}, not ${wanted}`);
  }
}
