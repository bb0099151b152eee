import fc from 'fast-check';
import { flattenName, parseFlatName } from 'bridle/tools';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { runs } from '../../test/property-runs.ts';

describe('flat names', () => {
  it(proves('M01')('are mcp_server_tool'), () => {
    expect(flattenName('gh', 'push')).toBe('mcp_gh_push');
    expect(flattenName('my_server', 'my_tool')).toBe('mcp_my_server_my_tool');
  });

  it(proves('M01')('are read by the longest registered server'), () => {
    const servers = ['a', 'a_b', 'a_b_c'];
    expect(parseFlatName('mcp_a_b_c_d', servers)).toEqual({ server: 'a_b_c', tool: 'd' });
    expect(parseFlatName('mcp_a_b_d', servers)).toEqual({ server: 'a_b', tool: 'd' });
    expect(parseFlatName('mcp_a_d', servers)).toEqual({ server: 'a', tool: 'd' });
    expect(parseFlatName('mcp_a_b_c', servers)).toEqual({ server: 'a_b', tool: 'c' });
    expect(parseFlatName('mcp_a_b_c_d', servers.toReversed())).toEqual({ server: 'a_b_c', tool: 'd' });
    expect(parseFlatName('mcp_a_b_c_d', new Set(['a']))).toEqual({ server: 'a', tool: 'b_c_d' });
  });

  it.each([
    'push',
    'mcp',
    'mcp_',
    'mcp_gh',
    'mcp_gh_',
    'MCP_gh_push',
    'mcp_GH_push',
    'mcp_hg_push',
    ' mcp_gh_push',
    '',
  ])(proves('M01')('that name no registered server and tool are nothing: %j'), (flat) => {
    expect(parseFlatName(flat, ['gh'])).toBeUndefined();
    expect(parseFlatName(flat, [])).toBeUndefined();
  });

  it(proves('M01', 'G11')('are not looked up in objects'), () => {
    expect(parseFlatName('mcp_constructor_toString', ['gh'])).toBeUndefined();
    expect(parseFlatName('mcp___proto___x', ['gh', '__proto__'])).toEqual({ server: '__proto__', tool: 'x' });
  });

  it(proves('M01')('are compared code point by code point'), () => {
    expect(parseFlatName('mcp_g\u04BB_push', ['gh'])).toBeUndefined();
    expect(parseFlatName('mcp_e\u0301_push', ['\u00E9'])).toBeUndefined();
    expect(parseFlatName('mcp_\u00E9_push', ['e\u0301', '\u00E9'])).toEqual({ server: '\u00E9', tool: 'push' });
  });

  it(proves('M01')('are parsed back to their pair, unless a longer server name matches too'), () => {
    const name = fc.stringMatching(/^[ab_/]{1,6}$/);
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), name, (servers, tool) => {
        for (const server of servers) {
          const flat = flattenName(server, tool);
          const read = parseFlatName(flat, servers);
          expect(read === undefined ? undefined : flattenName(read.server, read.tool)).toBe(flat);
          expect(read?.server.length).toBeGreaterThanOrEqual(server.length);
          expect(servers).toContain(read?.server);
        }
      }),
      { numRuns: runs(2000) },
    );
  });
});
