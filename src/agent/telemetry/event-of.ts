import type { BridleEvent } from '../../kernel/hooks/points/events.ts';

/** The event with this type, or one of these types. */
export type EventOf<T extends BridleEvent['type']> = Extract<BridleEvent, { readonly type: T }>;
