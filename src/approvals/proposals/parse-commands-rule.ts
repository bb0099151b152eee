/** Parses a stored rule about commands; undefined if it is not exactly one. */

import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import type { CommandsRule } from './proposed-rule.ts';

export function parseCommandsRule(data: JsonValue): CommandsRule | undefined {
  if (!isJsonObject(data)) return undefined;
  const { kind, server, tool, argument, folder, commands, rest, ...others } = data;
  if (kind !== 'commands' || Object.keys(others).length > 0) return undefined;
  if (server !== null && typeof server !== 'string') return undefined;
  if (typeof tool !== 'string' || typeof argument !== 'string' || typeof folder !== 'string') return undefined;
  if (rest === undefined || !isJsonObject(rest)) return undefined;
  const given: readonly JsonValue[] = Array.isArray(commands) ? commands : [];
  const known = given.filter((command) => typeof command === 'string');
  if (known.length === 0 || known.length !== given.length) return undefined;
  return { kind, server, tool, argument, folder, commands: known, rest };
}
