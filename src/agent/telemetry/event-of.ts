import type { BridleEvent } from '../../kernel/hooks/points/events.ts';

/** The event, or one of the events, of these types. */
export type EventOf<T extends BridleEvent['type']> = Extract<BridleEvent, { readonly type: T }>;
