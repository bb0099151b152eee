/** Events without their own span. They become span events of the surrounding span. */

import type { Attributes } from '@opentelemetry/api';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import { bridlePrefix } from './span-names.ts';

/** The fields that are recorded. None of them can contain text from a person, a model or a tool. */
const eventFields: ReadonlyMap<BridleEvent['type'], readonly string[]> = new Map([
  ['llm_rejected', ['hook', 'next']],
  ['compacted', ['removed', 'tokensBefore', 'tokensAfter']],
  ['compaction_skipped', []],
  ['budget_exceeded', ['limit', 'used', 'of']],
  ['interaction_asked', []],
  ['interaction_settled', ['outcome']],
  ['trigger_fired', ['trigger']],
  ['trigger_failed', ['trigger']],
  ['server_status', ['server', 'status']],
  ['policy_changed', ['version', 'trusted']],
  ['policy_failed', []],
  ['memory_failed', []],
  ['session_unsaved', []],
  ['tool_late', ['callId', 'tool', 'server']],
  ['rule_shadowed', ['callId', 'tool', 'server', 'rule', 'matched', 'would']],
  ['hook_failed', ['hook', 'point', 'kind']],
  ['journal_failed', []],
]);

/** The span event for an event; undefined if it is not recorded. */
export function spanEventOf(
  event: BridleEvent,
): { readonly name: string; readonly attributes: Attributes } | undefined {
  const fields = eventFields.get(event.type);
  if (fields === undefined) return undefined;
  const values = event as unknown as Readonly<Record<string, unknown>>;
  const attributes: Attributes = {};
  for (const field of fields) {
    const value = attributeValueOf(values[field]);
    if (value !== undefined) attributes[`${bridlePrefix}${snakeCase(field)}`] = value;
  }
  return { name: `${bridlePrefix}${event.type}`, attributes };
}

/** A rule is recorded by its name. */
function attributeValueOf(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'object' && value !== null ? (value as { readonly name?: string }).name : undefined;
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
