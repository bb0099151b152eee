/** Payloads that hooks of the real hosts received, with their environment. Only paths were changed. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HostCall, type HostEnv, type HostEvent, type HostName } from '../../src/hosts/host.ts';
import type { JsonObject } from '../../src/kernel/json.ts';

const folder = join(import.meta.dirname, 'fixtures');

export interface Fixture {
  readonly host: HostName;
  /** The name of the file, without `.json`. */
  readonly name: string;
  readonly payload: JsonObject;
}

export function fixturesOf(host: HostName): readonly Fixture[] {
  const place = join(folder, host);
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((file) => file.endsWith('.json') && !/^(?:hook-env|tools.*)\.json$/.test(file))
    .toSorted()
    .map((file) => ({ host, name: file.slice(0, -'.json'.length), payload: readJson(join(place, file)) }));
}

/** The variables that the host adds for its hooks. */
export function fixtureEnv(host: HostName): HostEnv {
  const file = join(folder, host, 'hook-env.json');
  return existsSync(file) ? (readJson(file)['env'] as HostEnv) : {};
}

function readJson(file: string): JsonObject {
  return JSON.parse(readFileSync(file, 'utf8')) as JsonObject;
}

/** An event in one line: `tool-call run_command {"command_line":"ls"} bash`. */
export function summarise(event: HostEvent): string {
  const { type } = event;
  const agent = event.agent.length === 1 ? '' : ` by ${event.agent.join('/')}`;
  const details = 'calls' in event ? event.calls.map(showCall).join(' + ') : detailsOf(event);
  const outcome = 'outcome' in event ? ` → ${event.outcome.type}` : '';
  return `${type} ${details}${outcome}${agent}`.replaceAll(/ +/g, ' ').trim();
}

function detailsOf(event: HostEvent): string {
  const { name: _name, session: _session, agent: _agent, cwd: _cwd, project: _project, ...rest } = event;
  const { version: _version, type: _type, ...body } = rest;
  return Object.values(body).map(String).join(' ');
}

function showCall({ tool, server, args, declaration }: HostCall): string {
  const bash = (declaration.touches?.bash?.length ?? 0) > 0 ? ' bash' : '';
  return `${server === undefined ? '' : `${server}/`}${tool} ${JSON.stringify(args)}${bash}`;
}
