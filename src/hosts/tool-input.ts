/** The input of a host's tool: its fields, with paths made absolute, and the way back from changed args. */

import { resolve } from 'node:path';
import { BridleError } from '../kernel/errors.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import { quoteName } from '../kernel/names.ts';
import { Payload } from './payload.ts';

export class ToolInput extends Payload {
  constructor(
    fields: JsonObject,
    /** Absolute. Relative paths start here. */
    readonly base: string,
  ) {
    super(fields);
  }

  override fail(name: string, problem: string): never {
    throw new BridleError('PAYLOAD_INVALID', `The argument ${quoteName(name)} of the tool ${problem}.`);
  }

  /** Absolute; `.` and `..` are resolved as text, as the hosts do. */
  path(name: string): string {
    return this.resolved(name, this.nonEmptyText(name));
  }

  optionalPath(name: string): string | undefined {
    const text = this.optionalText(name);
    return text === undefined || text === '' ? undefined : this.resolved(name, text);
  }

  /** One path or a list of paths; the base folder if there is none. */
  paths(name: string): readonly string[] {
    const value = this.value(name);
    if (!Array.isArray(value)) return [this.optionalPath(name) ?? this.base];
    const paths = value.map((item: JsonValue) =>
      typeof item === 'string' ? this.resolved(name, item) : this.fail(name, 'is not a list of strings'),
    );
    return paths.length === 0 ? [this.base] : paths;
  }

  /**
   * Translates changed args back. `names` maps Bridle's names to the host's; undefined if an arg has no name there, so
   * that the host cannot get it.
   */
  renamed(names: Readonly<Record<string, string>>): (args: JsonObject) => JsonObject | undefined {
    return (args) => {
      if (Object.keys(args).some((name) => !Object.hasOwn(names, name))) return undefined;
      const replaced = new Set(Object.values(names));
      const kept = Object.entries(this.all).filter(([name]) => !replaced.has(name));
      const changed = Object.entries(args).map(([name, value]) => [names[name] ?? name, value] as const);
      return Object.fromEntries([...kept, ...changed]);
    };
  }

  private resolved(name: string, text: string): string {
    return text.includes('\0') ? this.fail(name, 'contains NUL') : resolve(this.base, text);
  }
}

const globCharacters = /[*?[\]{}()!+@\\]/;

/**
 * The folder in which files can match a glob pattern that starts at `folder`: patterns may lead out of it. The root
 * folder if that is not certain.
 */
export function patternFolder(folder: string, pattern: string): string {
  if (!pattern.includes('..') && !/(?:^|[{,(|])[/~\\]/.test(pattern)) return folder;
  const segments = pattern.split('/');
  const first = segments.findIndex((segment) => globCharacters.test(segment));
  const rest = first === -1 ? '' : segments.slice(first).join('/');
  const fixed = segments.slice(0, first === -1 ? segments.length : first).join('/');
  return rest.includes('..') || /[{,(|][/~\\]/.test(rest) || rest.includes('\\')
    ? '/'
    : resolve(folder, pattern.startsWith('/') ? `/${fixed}` : fixed);
}
