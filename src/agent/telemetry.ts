/** Spans for OpenTelemetry. */

import type { Session } from '../guard/session.ts';
import type { BridleEvent } from '../hooks/events.ts';

export interface Telemetry {
  observe(session: Session): (event: BridleEvent) => void;
}

export async function openTelemetry(): Promise<Telemetry | undefined> {
  return undefined;
}
