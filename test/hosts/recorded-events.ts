/** The recorded payloads as inputs of hook processes. */

import type { HookInput, HostEnv, HostName } from '../../src/hosts/host.ts';
import { type Fixture, fixtureEnv, fixturesOf } from './fixtures.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

export interface RecordedEvent {
  /** The file: event, tool and variant. */
  readonly name: string;
  readonly input: HookInput;
}

export const project = '/home/user/project';

export function recordedEvents(host: HostName, env: HostEnv = recordedEnv(host)): readonly RecordedEvent[] {
  return fixturesOf(host).map((fixture) => {
    const payload = host === 'opencode' ? fromPlugin(fixture) : fixture.payload;
    return { name: fixture.name, input: { payload, env, folder: project } };
  });
}

/** opencode calls its plugin; the plugin sends this. */
function fromPlugin({ host, name, payload }: Fixture): JsonObject {
  const event = /^(?:tool\.execute\.(?:before|after)|chat\.\w+|shell\.env|plugin\.init|event)/.exec(name)?.[0] ?? name;
  return { host, event, directory: project, shell: '/bin/bash', servers: ['lab'], ...payload };
}

export function recordedEnv(host: HostName): HostEnv {
  return fixtureEnv(host);
}
