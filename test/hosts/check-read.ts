/** What must hold for every event that a host reads from a payload, however damaged. */

import { basename, resolve } from 'node:path';
import { expect } from 'vitest';
import type { HookInput, Host, HostEvent } from '../../src/hosts/host.ts';
import { BridleError } from '../../src/kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../src/kernel/json.ts';

/** Throws only a `BridleError`, or returns an event with exactly the tool and the arguments of the payload. */
export function checkRead(host: Host, input: HookInput): HostEvent | undefined {
  let event: HostEvent;
  try {
    event = host.read(input);
  } catch (error) {
    expect(error).toBeInstanceOf(BridleError);
    expect(error).toHaveProperty('code', 'PAYLOAD_INVALID');
    return undefined;
  }
  const { tool_name: tool, tool_input: args } = input.payload;
  if (typeof tool !== 'string' && !isJsonObject(args ?? null)) {
    expect('calls' in event).toBe(false);
    return event;
  }
  if (!('calls' in event)) throw new TypeError(`The call of the event ${event.name} is lost.`);
  expect(event.calls.length).toBeGreaterThan(0);
  const given = new Set(stringsIn(args ?? null));
  const allowed = new Set([
    ...given,
    ...Array.from(given, (text) => resolve(event.cwd, text)),
    event.cwd,
    typeof tool === 'string' ? tool : '',
  ]);
  for (const call of event.calls) {
    if (call.tool === tool || call.server !== undefined) expect(call.args).toEqual(args);
    else for (const text of stringsIn(call.args)) expect(isDerived(text, allowed)).toBe(true);
  }
  return event;
}

/** Also part of a given text, as the path in a patch is, and the default name of an agent. */
function isDerived(text: string, allowed: ReadonlySet<string>): boolean {
  if (allowed.has(text) || text === 'general-purpose' || text === 'default') return true;
  const part = text.startsWith('/') ? basename(text) : text;
  return Array.from(allowed).some((each) => each.includes(part));
}

function stringsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => stringsIn(item));
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}
