import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { fetchCheckedUrl, type FetchOptions } from './fetch-checked-url.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let origin: string;
let port: number;
let answer: Answer;
let requests: { url: string | undefined; host: string | undefined }[];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push({ url: request.url, host: request.headers.host });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  origin = `http://127.0.0.1:${port}`;
});
beforeEach(() => {
  requests = [];
  answer = (_, response) => void response.end('hello');
});
afterAll(() => void server.close());

const get = (url: string, options: Partial<FetchOptions> = {}): ReturnType<typeof fetchCheckedUrl> =>
  fetchCheckedUrl(url, { allowPrivateHosts: true, bytes: 1000, signal: new AbortController().signal, ...options });

const redirectTo =
  (location: string, status = 302): Answer =>
  (request, response) => {
    if (request.url === '/end') return void response.end('end');
    return void response.writeHead(status, { location }).end();
  };

describe('fetchCheckedUrl', () => {
  it('gets a page', async () => {
    answer = (_, response) => void response.writeHead(404, { 'content-type': 'text/x' }).end('hello');
    const { bytes, ...rest } = await get(`${origin}/a?b#c`);
    expect(rest).toEqual({ url: `${origin}/a?b#c`, status: 404, contentType: 'text/x', isCut: false });
    expect(bytes.toString()).toBe('hello');
    expect(requests).toEqual([{ url: '/a?b', host: `127.0.0.1:${port}` }]);
  });

  it(proves('X09')('reaches only public addresses, unless private hosts are allowed'), async () => {
    for (const url of [origin, `http://localhost:${port}/`, `http://0x7f.1:${port}/`, `http://[::1]:${port}/`])
      await expect(get(url, { allowPrivateHosts: false })).rejects.toMatchObject({ code: 'URL_REFUSED' });
    expect(requests).toEqual([]);
  });

  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '127.0.0.1']],
    [['2606:4700::1', '::1']],
    [['::ffff:10.0.0.1']],
    [['fe80::1%lo']],
  ])('refuses a name with an address that is not public: %j', async (addresses) => {
    const resolve = (): Promise<string[]> => Promise.resolve(addresses);
    const fetched = get(`http://example.test:${port}/`, { allowPrivateHosts: false, resolve });
    await expect(fetched).rejects.toMatchObject({
      code: 'URL_REFUSED',
      message: expect.stringContaining('not public'),
    });
    expect(requests).toEqual([]);
  });

  it.each([[[]], [['not an address']], [['']]])(
    'refuses a DNS answer without a usable address: %j',
    async (addresses) => {
      const resolve = (): Promise<string[]> => Promise.resolve(addresses);
      await expect(get(`http://example.test/`, { resolve })).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    },
  );

  it(
    proves('X09')('resolves a name once and connects to the checked address, so DNS rebinding has no effect'),
    async () => {
      const answers = [['127.0.0.1'], ['10.9.9.9'], ['10.9.9.9']];
      const asked: string[] = [];
      const resolve = (host: string): Promise<string[]> => {
        asked.push(host);
        return Promise.resolve(answers.shift() ?? []);
      };
      const { bytes } = await get(`http://rebind.test:${port}/`, { resolve });
      expect(bytes.toString()).toBe('hello');
      expect(asked).toEqual(['rebind.test']);
      expect(requests).toEqual([{ url: '/', host: `rebind.test:${port}` }]);
    },
  );

  it('reports why a name cannot be resolved', async () => {
    const rules = { resolve: () => Promise.reject(new TypeError('no such name')) };
    await expect(get('http://nowhere.test/', rules)).rejects.toThrow('cannot be resolved: no such name');
  });

  it(proves('X09')('follows redirects on the same host, including relative ones, and checks each'), async () => {
    answer = redirectTo('/end', 308);
    expect(await get(`${origin}/start`)).toMatchObject({ url: `${origin}/end`, status: 200 });
    answer = redirectTo('/again');
    await expect(get(`${origin}/start`)).rejects.toThrow('redirects more than 5 times');
    expect(requests).toHaveLength(8);
  });

  it.each(['http://other.test/', 'http://127.0.0.2/', '//evil.test/x', 'file:///etc/passwd'])(
    'reports a redirect to another host instead of following it: %s',
    async (location) => {
      answer = redirectTo(location);
      const fetched = get(`${origin}/start`);
      if (location.startsWith('file:')) await expect(fetched).resolves.toMatchObject({ redirect: location });
      else expect((await fetched).redirect).toContain(location.replace(/^.*\/\//, '').split('/')[0]);
      expect(requests).toHaveLength(1);
    },
  );

  it.each(['http://10.0.0.1/', 'http://inner.test/', 'file:///etc/passwd', 'http://u:p@public.test/', 'http://[::1]/'])(
    'refuses a redirect to a forbidden host, even if all redirects are followed: %s',
    async (location) => {
      answer = redirectTo(location);
      const rules: Partial<FetchOptions> = {
        redirects: 'any',
        resolve: (host) => Promise.resolve([host === 'inner.test' ? '10.0.0.1' : '127.0.0.1']),
        allowedHosts: ['public.test'],
      };
      await expect(get(`http://public.test:${port}/`, rules)).rejects.toMatchObject({
        code: 'URL_REFUSED',
        message: expect.stringContaining('A redirect was refused'),
      });
      expect(requests).toHaveLength(1);
    },
  );

  it(proves('X09')('resolves and checks the host again after a redirect'), async () => {
    answer = redirectTo(`http://public.test:${port}/end`);
    const answers = [['127.0.0.1'], ['not public any more']];
    const resolve = (): Promise<string[]> => Promise.resolve(answers.shift() ?? []);
    await expect(get(`http://public.test:${port}/`, { resolve })).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('stops a decompression bomb at the limit: %s', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(5_000_000));
    answer = (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(bomb);
    const fetched = await get(origin);
    expect(fetched.isCut).toBe(true);
    expect(fetched.bytes).toHaveLength(1000);
    const small = compress(Buffer.from('small'));
    answer = (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(small);
    expect((await get(origin)).bytes.toString()).toBe('small');
  });

  it('refuses broken and unknown encodings', async () => {
    answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
    await expect(get(origin)).rejects.toThrow('The response ended early');
    answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end('x');
    await expect(get(origin)).rejects.toThrow('not requested');
  });

  it('stops a response that never ends, and one that never starts', async () => {
    let sent = 0;
    answer = (_, response) => {
      const more = (): void => {
        sent += 1000;
        if (!response.destroyed) response.write('x'.repeat(1000), () => setImmediate(more));
      };
      more();
    };
    expect(await get(origin)).toMatchObject({ isCut: true });
    expect(sent).toBeLessThan(10_000_000);
    answer = () => undefined;
    await expect(get(origin, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    answer = (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('part');
    await expect(get(origin, { signal: AbortSignal.timeout(100) })).rejects.toThrow('ended early');
  });

  it('can be aborted while a name is being resolved', async () => {
    const slow: Partial<FetchOptions> = { resolve: () => new Promise(() => {}) };
    const fetched = get('http://slow.test/', { ...slow, signal: AbortSignal.timeout(50) });
    await expect(fetched).rejects.toThrow('aborted');
    await expect(get('http://slow.test/', { ...slow, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  });

  it('reports a refused or broken connection', async () => {
    answer = (request) => void request.socket.destroy();
    await expect(get(origin)).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('cannot be reached'),
    });
    await expect(get('http://127.0.0.1:1/')).rejects.toThrow('cannot be reached');
  });
});
