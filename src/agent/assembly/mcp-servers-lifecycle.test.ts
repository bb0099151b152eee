/** MCP servers are connected when the agent starts, and closed when it stops or fails to start. */

import { allow, allowMcp, onSessionStart, reject } from 'bridle';
import { describe, expect, it } from 'vitest';
import { agentParts, agentRig, calling, look, resultsIn, type AgentRigOptions } from '../../../test/rigs/agent-rig.ts';
import { proves } from '../../../test/contract/cite.ts';
import { isAlive, rawServer, until } from '../../../test/mcp-servers/servers.ts';
import { eventsOf } from '../../../test/rigs/guard-rig.ts';

const tool = (name: string) => ({ name, description: `does ${name}`, inputSchema: { type: 'object' } });

function named(name: string): object {
  return { code: 'AGENT_UNSAFE', message: expect.stringContaining(`"raw/${name}"`) };
}

describe('an agent with servers', () => {
  it(proves('A01')('connects them when it starts, and closes them when it stops'), async () => {
    const server = rawServer();
    const { agent } = await agentRig([calling(['mcp_raw_echo', { x: 1 }]), 'fine'], {
      mcpServers: [server.config],
      pins: false,
    });
    await agent.chat('go');
    expect(resultsIn(agent.history[2])[0]?.output).toMatchObject({
      type: 'text',
      value: expect.stringContaining('"x":1'),
    });
    expect(server.pids().map(isAlive)).toEqual([true]);
    await agent.stop();
    await until(() => !server.pids().some(isAlive));
  });

  it(
    proves('A01')('closes connected servers if the start fails: session rejected, server missing, tool not covered'),
    async () => {
      const refusing = onSessionStart(() => reject('not today'), { name: 'refusing' });
      const missing = { name: 'missing', command: '/nowhere/at/all' };
      const failing: readonly [AgentRigOptions, string][] = [
        [{ hooks: [refusing] }, 'SESSION_REJECTED'],
        [{ default: undefined }, 'AGENT_UNSAFE'],
        [{ session: { id: 'gone', mode: 'resume' } }, 'SESSION_STORE'],
      ];
      for (const [options, code] of failing) {
        const server = rawServer();
        const { agent } = agentParts([], { mcpServers: [server.config], pins: false, ...options });
        await expect(agent.start()).rejects.toMatchObject({ code });
        await until(() => server.pids().length > 0 && !server.pids().some(isAlive));
      }
      const server = rawServer();
      const { agent } = agentParts([], { mcpServers: [server.config, missing], pins: false });
      await expect(agent.start()).rejects.toMatchObject({
        code: 'MCP_SERVER_FAILED',
        message: expect.stringContaining('missing'),
      });
      await until(() => !server.pids().some(isAlive));
    },
  );

  it(proves('A02')('does not start if no rule covers a server tool, and names the tool with its server'), async () => {
    const server = rawServer({ tools: [tool('echo'), tool('fail')] });
    const start = async (options: AgentRigOptions): Promise<void> => {
      const { agent } = agentParts([], { mcpServers: [server.config], pins: false, default: undefined, ...options });
      await agent.start();
      await agent.stop();
    };
    await expect(start({})).rejects.toMatchObject(named('echo'));
    await expect(start({ policy: [allow('raw/echo')] })).rejects.toMatchObject(named('fail'));
    await start({ policy: [allowMcp('raw')] });
    await start({ policy: [allow('raw/echo'), allow('raw/fail')] });
    await start({ default: 'deny' });
  });

  it(proves('A02')('does not run a tool that a server adds later if no rule covers it'), async () => {
    const server = rawServer({ tools: [tool('change')], later: [tool('change'), tool('echo')] });
    const { agent, events } = await agentRig(
      [
        calling('mcp_raw_change'),
        async () => {
          await until(() => eventsOf({ events }, 'server_status').some(({ message }) => message.startsWith('2 tools')));
          return calling('mcp_raw_echo');
        },
        'fine',
      ],
      { mcpServers: [server.config], pins: false, default: undefined, policy: [allow('raw/change')] },
    );
    await agent.chat('go');
    expect(eventsOf({ events }, 'server_status').at(-1)?.message).toContain('"echo"');
    expect(agent.tools.map(({ name }) => name)).toEqual(['change']);
    expect(resultsIn(agent.history[4])[0]?.output).toMatchObject({ type: 'error-text' });
    expect(server.heard().filter(({ params }) => params?.['name'] === 'echo')).toEqual([]);
    await agent.stop();
  });

  it(proves('A01', 'M01')('does not start if the tools of a server are invalid, and says so'), async () => {
    const twice = rawServer({ tools: [tool('echo'), tool('a_b')] });
    const other = rawServer({ tools: [tool('b')] });
    const { agent } = agentParts([], {
      mcpServers: [twice.config, { ...other.config, name: 'raw_a' }],
      pins: false,
    });
    await expect(agent.start()).rejects.toMatchObject({
      name: 'BridleError',
      message: expect.stringContaining('raw_a'),
    });
    await until(() => ![...twice.pids(), ...other.pids()].some(isAlive));
  });

  it(proves('M01', 'A12')('never confuses a custom tool with a server tool, whatever its name'), async () => {
    const server = rawServer({ tools: [tool('echo')] });
    const { agent } = agentParts([calling('mcp_raw_echo'), 'fine'], {
      mcpServers: [server.config],
      pins: false,
      tools: [look(() => 'mine', 'mcp_raw_echo')],
    });
    await expect(agent.start()).rejects.toMatchObject({
      name: 'BridleError',
      message: expect.stringContaining('mcp_raw_echo'),
    });
    await until(() => !server.pids().some(isAlive));
  });
});
