/** A program whose agent was stopped in the middle of something ends by itself, and leaves no process behind. */

import { describe, expect, it } from 'vitest';
import { runNode } from '../rigs/child.ts';
import { proves } from '../contract/cite.ts';
import { here, isAlive, rawServer, tempFolder, until } from '../mcp-servers/servers.ts';

interface Told {
  readonly outcome: readonly string[];
  readonly handles: readonly string[];
  /** The process groups of commands that were running. */
  readonly groups: readonly number[];
  readonly unsaved: boolean;
}

const program = here('../failures/pull-the-plug.mjs');

const plugs: readonly (readonly [what: string, outcome: readonly string[], groups: number])[] = [
  // A session each in a command, a server, a silent model, a sentence, a question and a subagent; and a turn that waits.
  ['everything', [...Array.from({ length: 6 }, () => 'cancelled'), 'SESSION_ENDED'], 2],
  ['cancel', ['cancelled', 'fine'], 1],
  ['start', ['MCP_SERVER_FAILED'], 0],
];

describe('a program ends by itself', () => {
  it.each(plugs)(proves('A01', 'A07')('when the plug is pulled on: %s'), async (what, outcome, groups) => {
    const { config, pids } = rawServer();
    const { code, stdout, output } = await runNode([program, what, JSON.stringify(config), tempFolder()], here('.'));
    expect(code, output).toBe(0);
    const told = JSON.parse(stdout) as Told;
    expect(told).toMatchObject({ outcome, handles: [], groups: { length: groups }, unsaved: false });
    expect(pids().length).toBeGreaterThan(0);
    expect(pids().filter(isAlive)).toEqual([]);
    // A process that was ended is listed until whoever inherited it has noticed.
    await until(() => told.groups.every((group) => !isAlive(-group)));
  });
});
