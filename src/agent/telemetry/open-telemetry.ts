/**
 * OpenTelemetry spans, recorded if the API is installed and an SDK is registered. Otherwise there is no listener and no
 * cost. Spans record what happened and when, never prompts, answers or arguments. Errors here never affect the agent.
 */

import type { TracerProvider } from '@opentelemetry/api';
import type { Session } from '../../kernel/guard/session.ts';
import type { BridleEvent } from '../../kernel/hooks/points/events.ts';
import { SessionSpans } from './session-spans.ts';
import { type OpenTelemetryApi, SpanMaker } from './span-maker.ts';

const tracerName = 'bridle';

export interface Telemetry {
  /** Opens the span of a session. Call the returned function with each of its events. */
  observe(session: Session): (event: BridleEvent) => void;
}

/** Returns undefined if no OpenTelemetry SDK would receive the spans. */
export async function openTelemetry(
  load: () => Promise<OpenTelemetryApi> = () => import('@opentelemetry/api'),
): Promise<Telemetry | undefined> {
  const api = await load().catch(() => undefined);
  if (api === undefined || !hasSdk(api)) return undefined;
  return { observe: (session) => observe(api, session) };
}

/**
 * Until an SDK is registered, the API returns a proxy provider without a delegate tracer. The provider may come from
 * another copy of the API, so `instanceof` does not work here.
 */
function hasSdk({ trace }: OpenTelemetryApi): boolean {
  const provider: TracerProvider & { getDelegateTracer?: (name: string) => unknown } = trace.getTracerProvider();
  return provider.getDelegateTracer === undefined || provider.getDelegateTracer(tracerName) !== undefined;
}

function observe(api: OpenTelemetryApi, session: Session): (event: BridleEvent) => void {
  const { info, parts } = session;
  const spans = logErrors(api, () => {
    const maker = new SpanMaker(api, api.trace.getTracer(tracerName));
    return new SessionSpans(maker, { at: parts.clock.wall(), id: info.id, agent: info.agent[0] ?? '' });
  });
  return (event) => logErrors(api, () => spans?.handle(event));
}

/** A span processor that throws must not end a turn. */
function logErrors<T>(api: OpenTelemetryApi, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    api.diag.error('bridle: a span could not be created or ended', error);
    return undefined;
  }
}
