/** Payloads that the real hosts have sent, and the environment of their hooks. */

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HookInput, HostEnv, HostEvent, HostName } from '../../src/hosts/host.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

export interface RecordedEvent {
  /** The file: event, tool and variant. */
  readonly name: string;
  readonly input: HookInput;
}

const folder = fileURLToPath(new URL('fixtures/', import.meta.url));
export const project = '/home/user/project';

/** Hosts whose events are recorded. */
export const recordedHosts = readdirSync(folder) as readonly HostName[];

function readJson(host: HostName, name: string): JsonObject {
  return JSON.parse(readFileSync(join(folder, host, `${name}.json`), 'utf8')) as JsonObject;
}

export function recordedEvents(host: HostName, env: HostEnv = recordedEnv(host)): readonly RecordedEvent[] {
  return readdirSync(join(folder, host))
    .map((file) => basename(file, '.json'))
    .filter((name) => !/^(?:tools|hook-env)/.test(name))
    .map((name) => ({ name, input: { payload: toPayload(host, name), env, folder: project } }));
}

function toPayload(host: HostName, name: string): JsonObject {
  const recorded = readJson(host, name);
  if (host !== 'opencode') return recorded;
  // opencode calls its plugin; the plugin sends this.
  const event = /^(?:tool\.execute\.(?:before|after)|chat\.\w+|shell\.env|plugin\.init|event)/.exec(name)?.[0] ?? name;
  return { host, event, directory: project, shell: '/bin/bash', servers: ['lab'], ...recorded };
}

export function recordedEnv(host: HostName): HostEnv {
  return host === 'opencode' ? {} : (readJson(host, 'hook-env')['env'] as HostEnv);
}

/** One line for an event, as a person would describe it. */
export function summarise(event: HostEvent): string {
  const who = event.agent.length === 1 ? '' : `${event.agent.slice(1).join('/')}: `;
  return `${who}${event.name} → ${event.type} ${details(event)}`.trim();
}

function details(event: HostEvent): string {
  if (event.type === 'tool-call' || event.type === 'tool-result') {
    const calls = event.calls.map(({ server, tool, args }) => {
      const name = server === undefined ? tool : `${server}/${tool}`;
      return `${name} ${JSON.stringify(args).replaceAll(project, '~')}`;
    });
    return event.type === 'tool-call' ? calls.join(' + ') : `${calls.join(' + ')} ${event.outcome.type}`;
  }
  const { name: _1, type: _2, session: _3, agent: _4, cwd: _5, project: _6, version: _7, ...rest } = event;
  return JSON.stringify(rest);
}
