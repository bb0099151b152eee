import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, McpServer, type McpHttpHandler } from '@modelcontextprotocol/server';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { proves } from '../../test/contract/cite.ts';
import {
  connect,
  everythingOverHttp,
  everythingServer,
  filesystemServer,
  isAlive,
  modernServer,
  tempFolder,
  until,
} from '../../test/mcp-servers/servers.ts';
import { Catalog } from '../kernel/catalog/catalog.ts';
import type { Media } from '../kernel/hooks/points/payloads.ts';
import { serverDeclaration } from './protocol/server-config.ts';

describe('the filesystem server', () => {
  it('lists its tools, reads, writes, and says in its own words what it refuses', async () => {
    const folder = realpathSync(tempFolder());
    writeFileSync(join(folder, 'a.txt'), 'first\nsecond\n');
    const files = await connect(filesystemServer(folder));
    expect(files.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['read_text_file', 'write_file']));
    expect(JSON.stringify(await files.call('read_text_file', { path: join(folder, 'a.txt') }))).toContain('second');
    await files.call('write_file', { path: join(folder, 'b.txt'), content: 'third' });
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('third');
    await expect(files.call('read_text_file', { path: '/etc/passwd' })).rejects.toMatchObject({
      code: 'MCP_CALL_FAILED',
      message: expect.stringContaining('outside allowed directories') as string,
    });
  });

  it(proves('M05')('does not list or call a hidden tool'), async () => {
    const folder = realpathSync(tempFolder());
    mkdirSync(join(folder, 'sub'));
    const config = { ...filesystemServer(folder), disabledTools: ['write_file'] };
    const files = await connect(config);
    expect(files.tools.map(({ name }) => name)).not.toContain('write_file');
    await expect(files.call('write_file', { path: join(folder, 'x'), content: '' })).rejects.toThrow('has no tool');
    const catalog = new Catalog(files.declarations, [serverDeclaration(config)]);
    expect(catalog.find('files', 'write_file').problem?.()).toContain('Unknown tool');
    expect(catalog.find('files', 'read_file').tool?.server).toBe('files');
    expect(catalog.serverWarnings()).toEqual([]);
  });

  it(proves('G14')('gets tiers from the configuration only, whatever it says of its tools'), async () => {
    const folder = realpathSync(tempFolder());
    const files = await connect({
      ...filesystemServer(folder),
      tiers: { list_directory: 'observe', no_such: 'observe' },
    });
    const tiers = files.tools.map(({ name, declaration }) => [name, declaration.tier] as const);
    expect(tiers.filter(([, tier]) => tier !== undefined)).toEqual([['list_directory', 'observe']]);
    expect(files.tools.every(({ declaration }) => declaration.displayName === undefined)).toBe(true);
    expect(files.warnings.join()).toContain('tiers names "no_such"');
  });

  it(proves('W01')('has the path arguments that the configuration declares'), async () => {
    const folder = realpathSync(tempFolder());
    const config = { ...filesystemServer(folder), paths: { move_file: ['source', 'destination'] } };
    const files = await connect(config);
    const catalog = new Catalog(files.declarations, [serverDeclaration(config)]);
    expect(catalog.find('files', 'move_file').tool).toMatchObject({
      paths: ['source', 'destination'],
      args: ['source', 'destination'],
    });
  });
});

describe('the everything server over stdio', () => {
  it('gives text, structured content and errors', async () => {
    const server = await connect(everythingServer());
    expect(await server.call('echo', { message: 'hello' })).toBe('Echo: hello');
    expect(await server.call('get-structured-content', { location: 'New York' })).toMatchObject({
      conditions: expect.any(String) as string,
    });
    await expect(server.call('get-sum', { a: 'x', b: 1 })).rejects.toMatchObject({ code: 'MCP_CALL_FAILED' });
    await expect(server.call('no-such-tool', {})).rejects.toThrow('has no tool "no-such-tool"');
  });

  it(proves('A16')('hands media of a result over, and puts the note in their place'), async () => {
    const server = await connect(everythingServer());
    const taken: Media[] = [];
    const attach = (media: Media): string => `<media ${taken.push(media)}>`;
    const result = await server.call('get-tiny-image', {}, { attach });
    expect(result).toContain('<media 1>');
    expect(taken).toHaveLength(1);
    expect(taken[0]?.mediaType).toBe('image/png');
    expect(
      Buffer.from(taken[0]?.data as Uint8Array)
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('describes links to resources', async () => {
    const server = await connect(everythingServer());
    expect(await server.call('get-resource-links', { count: 2 })).toContain('[link to ');
  });

  it('passes nothing of this process on but the usual variables and what is configured', async () => {
    process.env['BRIDLE_TEST_SECRET'] = 'hidden';
    try {
      const server = await connect({ ...everythingServer(), env: { CONFIGURED: 'yes' } });
      const env = JSON.stringify(await server.call('get-env', {}));
      expect(env).toContain('CONFIGURED');
      expect(env).not.toContain('BRIDLE_TEST_SECRET');
      // What it starts is not started by a person.
      expect(env).toMatch(/BRIDLE_AGENT[\\": ]+1/);
    } finally {
      delete process.env['BRIDLE_TEST_SECRET'];
    }
  });

  it(proves('A07')('cancels a running call with the reason of the signal, and goes on'), async () => {
    const server = await connect(everythingServer());
    const cancel = new AbortController();
    const running = server.call(
      'trigger-long-running-operation',
      { duration: 60, steps: 60 },
      { signal: cancel.signal },
    );
    setTimeout(() => cancel.abort(new Error('enough')), 100);
    await expect(running).rejects.toThrow('enough');
    expect(await server.call('echo', { message: 'on' })).toBe('Echo: on');
  });

  it('is gone after close', async () => {
    const server = await connect(everythingServer());
    const pid = server.pid ?? 0;
    expect(isAlive(pid)).toBe(true);
    await server.close();
    await server.close();
    expect(isAlive(pid)).toBe(false);
    await expect(server.call('echo', { message: 'x' })).rejects.toThrow('disconnected');
  });
});

describe('the everything server over HTTP', () => {
  it('lists, calls and cancels', async () => {
    const { config } = await everythingOverHttp();
    const server = await connect(config);
    expect(await server.call('echo', { message: 'hello' })).toBe('Echo: hello');
    const cancel = new AbortController();
    const running = server.call(
      'trigger-long-running-operation',
      { duration: 60, steps: 60 },
      { signal: cancel.signal },
    );
    setTimeout(() => cancel.abort(new Error('enough')), 100);
    await expect(running).rejects.toThrow('enough');
  });

  it('fails the call it dies in, and is connected anew by the next', async () => {
    const first = await everythingOverHttp();
    const lost: string[] = [];
    let back = 0;
    const server = await connect(first.config, { onLost: (how) => lost.push(how), onReconnected: () => back++ });
    const running = server.call('trigger-long-running-operation', { duration: 60, steps: 60 });
    setTimeout(() => void first.kill(), 200);
    await expect(running).rejects.toMatchObject({ code: 'MCP_CALL_FAILED' });
    await until(() => lost.length > 0);
    await everythingOverHttp(Number(new URL(first.config.url).port));
    expect(await server.call('echo', { message: 'again' })).toBe('Echo: again');
    expect(back).toBe(1);
  });

  it('says so when nobody is there', async () => {
    const { config, kill } = await everythingOverHttp();
    await kill();
    await expect(connect(config)).rejects.toMatchObject({
      code: 'MCP_SERVER_FAILED',
      message: expect.stringContaining('server "web": cannot connect to http://127.0.0.1') as string,
    });
  });
});

describe('a server of the newest protocol', () => {
  it('lists, calls, cancels, and tells of changes to its list', async () => {
    const changes: string[][] = [];
    const server = await connect(modernServer(), {
      onToolsChanged: ({ tools }) => changes.push(tools.map(({ name }) => name)),
    });
    expect(await server.call('say', { text: 'hello' })).toBe('hello');
    await server.call('grow', { text: 'fresh' });
    await until(() => changes.flat().includes('fresh'));
    expect(await server.call('fresh', { text: 'new' })).toBe('new');
    const cancel = new AbortController();
    const running = server.call('wait', { text: 'w' }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(new Error('enough')), 100);
    await expect(running).rejects.toThrow('enough');
    await until(() => changes.flat().includes('cancelled_w'));
  });
});

describe('a server of the newest protocol over HTTP', () => {
  it('lists, calls, gets arguments as headers where it wants them, and tells of changes to its list', async () => {
    const heard: (string | undefined)[] = [];
    const names = ['say'];
    const handler = createMcpHandler(
      () => {
        const server = new McpServer({ name: 'web', version: '1' }, { capabilities: { tools: { listChanged: true } } });
        const text = z.string().meta({ 'x-mcp-header': 'Text' });
        for (const name of names) {
          server.registerTool(name, { description: name, inputSchema: z.object({ text }) }, ({ text }) => ({
            content: [{ type: 'text', text }],
          }));
        }
        return server;
      },
      { legacy: 'reject' },
    );
    const http = createServer((request, response) => {
      heard.push(request.headers['mcp-param-text'] as string | undefined);
      void answer(handler, request, response);
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      await handler.close();
      http.closeAllConnections();
      http.close();
    });
    const changes: string[] = [];
    const server = await connect(
      { name: 'web', url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` },
      { onToolsChanged: ({ tools }) => changes.push(...tools.map(({ name }) => name)) },
    );
    expect(await server.call('say', { text: 'hello' })).toBe('hello');
    expect(heard).toContain('hello');
    names.push('fresh');
    await until(() => {
      handler.notify.toolsChanged();
      return changes.includes('fresh');
    });
    expect(await server.call('fresh', { text: 'new' })).toBe('new');
  });
});

async function answer(handler: McpHttpHandler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const body = Buffer.concat(await request.toArray());
  const init = { method, headers: headers as Record<string, string>, ...(method === 'POST' && { body }) };
  const reply = await handler.fetch(new Request(new URL(url, 'http://127.0.0.1'), init));
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  if (reply.body !== null) for await (const chunk of reply.body) response.write(chunk);
  response.end();
}
