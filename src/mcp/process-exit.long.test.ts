import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runNode } from '../../test/rigs/child.ts';
import { everythingOverHttp, everythingServer, here, rawServer } from '../../test/mcp-servers/servers.ts';

/** The program has no `process.exit`: whatever is left open after closing would keep it running. */
async function connectAndClose(config: object): Promise<{ result: unknown; handles: readonly string[] }> {
  const { code, stdout, output } = await runNode([here('connect-and-close.mjs'), JSON.stringify(config)], here('.'));
  expect(code, output).toBe(0);
  return JSON.parse(stdout) as { result: unknown; handles: readonly string[] };
}

describe('a program that has closed its connections ends by itself', () => {
  it('over stdio', async () => {
    const { result, handles } = await connectAndClose(everythingServer());
    expect(result).toBe('Echo: hello');
    expect(handles.filter((handle) => /Process|Pipe|Timeout|TCP/.test(handle))).toEqual([]);
  });

  it('over HTTP', async () => {
    const { config } = await everythingOverHttp();
    expect(await connectAndClose(config)).toMatchObject({ result: 'Echo: hello' });
  });

  it('with a server that ignores SIGTERM', async () => {
    const { config } = rawServer({ stubborn: true });
    expect(await connectAndClose(config)).toMatchObject({ result: '{"message":"hello"}' });
  });
});

describe('the SDK', () => {
  it('is loaded when a server is connected, not before', () => {
    const folder = here('../../dist/mcp');
    const built = readdirSync(folder).filter((file) => file.endsWith('.js'));
    expect(built).toContain('connect-server.js');
    const eager = built.filter((file) =>
      /^(import|export) .*@modelcontext/m.test(readFileSync(join(folder, file), 'utf8')),
    );
    expect(eager).toEqual([]);
  });
});
