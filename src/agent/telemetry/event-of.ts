import type { BridleEvent } from '../../hooks/events.ts';

/** The event, or one of the events, of these types. */
export type EventOf<T extends BridleEvent['type']> = Extract<BridleEvent, { readonly type: T }>;
