import { isDeepStrictEqual } from 'node:util';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import type { JsonValue } from '../../kernel/json.ts';

/** Finds calls that run with other args than the model requested, because a person or a hook changed them. */
export class ChangedArgs {
  private readonly requested = new Map<string, JsonValue>();

  /** The args a call starts with, if they differ from the requested ones. */
  changedArgs(event: BridleEvent): JsonValue | undefined {
    if (event.type === 'tool_requested') this.requested.set(keyOf(event), event.args);
    else if (event.type === 'tool_started') return this.changed(keyOf(event), event.args);
    else if (event.type === 'tool_denied') this.requested.delete(keyOf(event));
    return undefined;
  }

  private changed(key: string, args: JsonValue): JsonValue | undefined {
    const requested = this.requested.get(key);
    this.requested.delete(key);
    return requested === undefined || isDeepStrictEqual(requested, args) ? undefined : args;
  }
}

function keyOf({ session, callId }: Pick<BridleEvent, 'session'> & { readonly callId: string }): string {
  return `${session} ${callId}`;
}
