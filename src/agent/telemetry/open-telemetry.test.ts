import * as api from '@opentelemetry/api';
import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { spanRig, type SpanRig } from '../../../test/rigs/span-rig.ts';
import { Session } from '../../kernel/guard/session.ts';
import { openTelemetry } from './open-telemetry.ts';

let rig: SpanRig | undefined;

afterEach(async () => {
  vi.restoreAllMocks();
  await rig?.stop();
  rig = undefined;
});

async function listenersOfOneTurn(telemetry?: boolean): Promise<number> {
  const listen = vi.spyOn(Session.prototype, 'listen');
  const agent = await createAgent({ model: scriptedModel(['hi']), capabilities: 'none', telemetry }).start();
  await agent.chat('hi');
  await agent.stop();
  return listen.mock.calls.length;
}

describe('openTelemetry', () => {
  it('returns undefined if the API is not installed', async () => {
    rig = spanRig();
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    expect(await openTelemetry(() => Promise.reject(missing))).toBeUndefined();
  });

  it('returns undefined if no SDK is registered, or no longer', async () => {
    expect(await openTelemetry()).toBeUndefined();
    rig = spanRig();
    expect(await openTelemetry()).toBeDefined();
    await rig.stop();
    expect(await openTelemetry()).toBeUndefined();
  });

  it('treats a provider that is not a proxy as an SDK', async () => {
    const provider: api.TracerProvider = { getTracer: () => api.trace.getTracer('own') };
    vi.spyOn(api.trace, 'getTracerProvider').mockReturnValue(provider);
    expect(await openTelemetry()).toBeDefined();
  });
});

describe('an agent', () => {
  it('has no listener without an SDK', async () => {
    expect(await listenersOfOneTurn()).toBe(0);
  });

  it('has no listener with telemetry: false', async () => {
    rig = spanRig();
    expect(await listenersOfOneTurn(false)).toBe(0);
    expect(rig.spans()).toEqual([]);
  });

  it('has one listener with an SDK', async () => {
    rig = spanRig();
    expect(await listenersOfOneTurn()).toBe(1);
    expect(rig.spans()).toHaveLength(3);
  });
});
