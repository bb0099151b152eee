/** Payloads with random changes, and what must hold for every event that a host reads from one. */

import { basename, resolve } from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { HookInput, Host, HostEvent } from '../../src/hosts/host.ts';
import { BridleError } from '../../src/kernel/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/kernel/json.ts';
import { fixtureEnv, fixturesOf } from './fixtures.ts';

const oddities: readonly JsonValue[] = [
  '',
  ' ',
  'ls',
  '../x',
  '~/x',
  '/etc/passwd',
  'a\0b',
  0,
  -1,
  1.5,
  true,
  false,
  null,
];
const values: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom(...oddities, [], {}, ['x'], { x: 'y' }, 'PreToolUse', 'PostToolUse', 'Bash', 'Read', 'mcp__a__b__c'),
  fc.string({ maxLength: 20, unit: 'binary' }),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
);
const change = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('set', 'delete', 'add', 'swap'),
  value: values,
  to: fc.nat(),
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Every object in the payload, the payload first. */
function objectsIn(value: JsonValue): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((item: JsonValue) => objectsIn(item));
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : [];
}

function applyChange(payload: JsonObject, { at, kind, value, to }: Change): void {
  const places = objectsIn(payload).flatMap((object) =>
    Object.keys(object).map((key) => [object as Record<string, JsonValue>, key] as const),
  );
  const place = places[at % Math.max(places.length, 1)];
  const other = places[to % Math.max(places.length, 1)];
  if (place === undefined || other === undefined) return;
  const [object, key] = place;
  if (kind === 'set') object[key] = structuredClone(value);
  else if (kind === 'delete') delete object[key];
  else if (kind === 'add') object[`new_${to}`] = structuredClone(value);
  else object[key] = structuredClone(other[0][other[1]] ?? null);
}

/** Inputs of the host with one to four changes each. */
export function mutatedInputs(host: Host, env = fixtureEnv(host.name)): fc.Arbitrary<HookInput> {
  return fc
    .tuple(fc.constantFrom(...fixturesOf(host.name)), fc.array(change, { minLength: 1, maxLength: 4 }))
    .map(([fixture, changes]) => {
      const payload = structuredClone(fixture.payload);
      for (const each of changes) applyChange(payload, each);
      return { payload, env, folder: '/home/user/project' };
    });
}

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
  if (!('calls' in event)) {
    // Only events that are known not to wait for a decision may carry a call without being decided.
    expect(['tool-call', 'tool-result', 'other']).not.toContain(event.type);
    return event;
  }
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
