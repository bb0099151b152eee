/**
 * Spans for OpenTelemetry, where its API is installed and an SDK is registered; elsewhere nothing watches, and no event
 * is made for it. Spans tell what happened and when, never what was said. Whatever goes wrong here stays here.
 */

import type { TracerProvider } from '@opentelemetry/api';
import type { Session } from '../../kernel/guard/session.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import { SessionSpans } from './session-spans.ts';
import { type OpenTelemetryApi, SpanMaker } from './span-maker.ts';

const tracerName = 'bridle';

export interface Telemetry {
  /** Opens the span of a session; what is returned has to be told of each of its events. */
  observe(session: Session): (event: BridleEvent) => void;
}

/** Undefined where nobody would see a span: then there is nothing to observe. */
export async function openTelemetry(
  load: () => Promise<OpenTelemetryApi> = () => import('@opentelemetry/api'),
): Promise<Telemetry | undefined> {
  const api = await load().catch(() => undefined);
  if (api === undefined || !hasSdk(api)) return undefined;
  return { observe: (session) => observe(api, session) };
}

/**
 * The API hands out a provider that stands in until an SDK is registered, and says so by having no tracer of another
 * one. It may come from another copy of the API, so its class tells nothing.
 */
function hasSdk({ trace }: OpenTelemetryApi): boolean {
  const provider: TracerProvider & { getDelegateTracer?: (name: string) => unknown } = trace.getTracerProvider();
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer(tracerName) !== undefined;
}

function observe(api: OpenTelemetryApi, session: Session): (event: BridleEvent) => void {
  const { info, parts } = session.sessionState;
  const spans = logErrors(api, () => {
    const maker = new SpanMaker(api, api.trace.getTracer(tracerName));
    return new SessionSpans(maker, { at: parts.clock.wall(), id: info.id, agent: info.agent[0] ?? '' });
  });
  return (event) => logErrors(api, () => spans?.handle(event));
}

/** A processor of spans that throws must not end a turn. */
function logErrors<T>(api: OpenTelemetryApi, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    api.diag.error('bridle: a span could not be made or ended', error);
    return undefined;
  }
}
