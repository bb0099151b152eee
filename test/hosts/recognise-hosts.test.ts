/** Every recorded event is recognised by its own host, and by no other. */

import { describe, expect, it } from 'vitest';
import { claude } from '../../src/hosts/claude/claude.ts';
import { codex } from '../../src/hosts/codex/codex.ts';
import { copilot } from '../../src/hosts/copilot/copilot.ts';
import { gemini } from '../../src/hosts/gemini/gemini.ts';
import { type HostEnv, hostNames } from '../../src/hosts/host.ts';
import { opencode } from '../../src/hosts/opencode/opencode.ts';
import { proves } from '../contract/cite.ts';
import { recordedEnv, recordedEvents } from './recorded-events.ts';

const hosts = [claude, codex, gemini, copilot, opencode];

describe.each(hostNames)('events of %s', (owner) => {
  const others = hostNames.filter((name) => name !== owner);
  const environments: readonly (readonly [string, HostEnv])[] = [
    ['its own environment', recordedEnv(owner)],
    ['an empty environment', {}],
    ...others.map((name) => [`a command of ${name}`, { ...commandEnv(name), ...recordedEnv(owner) }] as const),
  ];
  it.each(environments)(proves('C01')('are recognised in %s'), (_, env) => {
    const events = recordedEvents(owner, env);
    expect(events.length).toBeGreaterThan(10);
    for (const { name, input } of events) {
      const found = hosts.filter((host) => host.recognises(input)).map((host) => host.name);
      expect(found, name).toEqual([owner]);
    }
  });
});

/** What a host that is started by a command of another host inherits. */
function commandEnv(name: (typeof hostNames)[number]): Readonly<Record<string, string>> {
  return {
    claude: {
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: 'x',
      CLAUDE_CODE_ENTRYPOINT: 'cli',
      CLAUDE_PROJECT_DIR: '/other',
    },
    codex: { CODEX_SESSION_ID: 'x', CODEX_THREAD_ID: 'x', CODEX_VERSION: '0.166.0', CODEX_CI: '1' },
    gemini: { GEMINI_CLI: '1' },
    copilot: { COPILOT_CLI: '1', COPILOT_AGENT_SESSION_ID: 'x', COPILOT_CLI_BINARY_VERSION: '1.0.102' },
    opencode: { OPENCODE: '1', OPENCODE_PID: '1', AGENT: '1' },
  }[name];
}
