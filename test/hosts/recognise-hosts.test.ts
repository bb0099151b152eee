/** Every recorded event is recognised by its own host, and by no other. */

import { describe, expect, it } from 'vitest';
import { copilot } from '../../src/hosts/copilot/copilot.ts';
import { gemini } from '../../src/hosts/gemini/gemini.ts';
import { opencode } from '../../src/hosts/opencode/opencode.ts';
import { recordedEnv, recordedEvents, recordedHosts } from './recorded-events.ts';

const hosts = [gemini, copilot, opencode];

describe.each(recordedHosts)('events of %s', (owner) => {
  it.each(['its own environment', 'an empty environment', "another host's environment"])(
    'are recognised in %s',
    (which) => {
      const other = recordedEnv(owner === 'copilot' ? 'gemini' : 'copilot');
      const env = which.startsWith('its')
        ? recordedEnv(owner)
        : which.startsWith('an empty')
          ? {}
          : { ...other, ...recordedEnv(owner) };
      for (const { name, input } of recordedEvents(owner, env)) {
        const found = hosts.filter((host) => host.recognises(input)).map((host) => host.name);
        const expected = hosts.filter((host) => host.name === owner).map((host) => host.name);
        expect(found, name).toEqual(expected);
      }
    },
  );
});
