import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { toolRig, type ToolRig } from '../../test/rigs/tool-rig.ts';
import { htmlText, htmlTitle } from './text/html-text.ts';

let server: Server;
let origin: string;
let rig: ToolRig;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  rig = await toolRig({ allowPrivateHosts: true });
});
afterAll(() => {
  server.close();
  rig.remove();
});

function serve(type: string, body: string | Uint8Array, status = 200): void {
  answer = (response) => void response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(body);
}

const read = (path = '/'): Promise<string> => rig.text('read_url_content', { url: origin + path });

describe('read_url_content', () => {
  it(proves('A11')('returns the text of a page'), async () => {
    serve(
      'text/html; charset=utf-8',
      '<title>Hi &amp; bye</title><script>evil()</script><h1>Head</h1><p>One &lt;two&gt;</p>',
    );
    expect(await read('/p')).toBe(`${origin}/p\nstatus 200, text/html; charset=utf-8\nHi & bye\n\nHead\n\nOne <two>`);
  });

  it(proves('A11')('returns other text unchanged, decoded, with its status'), async () => {
    serve('application/json', '{"a": "<b>"}', 500);
    expect(await read()).toBe(`${origin}/\nstatus 500, application/json\n\n{"a": "<b>"}`);
    serve('text/plain; charset=ISO-8859-1', Buffer.from('caf\xe9', 'latin1'));
    expect(await read()).toContain('café');
    serve('text/html', Buffer.from('<meta charset="windows-1252"><p>caf\xe9', 'latin1'));
    expect(await read()).toContain('café');
    serve('text/plain; charset=no-such', 'plain');
    expect(await read()).toContain('plain');
  });

  it(proves('A11')('attaches images by content, and shows no other binary data'), async () => {
    const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
    serve('text/html', png);
    const result = await rig.call('read_url_content', { url: `${origin}/logo.png` });
    expect(result.value).toEqual({
      url: `${origin}/logo.png`,
      status: 200,
      media_type: 'image/png',
      media: '[media 1]',
    });
    expect(rig.attached).toMatchObject([{ mediaType: 'image/png', name: 'logo.png' }]);
    serve('image/png', Buffer.from([1, 0, 2]));
    expect(await read()).toContain('[binary data of 3 bytes');
  });

  it(proves('A11', 'G12')('limits its output, and says what is missing'), async () => {
    serve('text/plain', 'word '.repeat(3_000_000));
    const text = await read();
    expect(Buffer.byteLength(text)).toBeLessThan(256 * 1024);
    expect(text).toMatch(/\[cut: \d+ more characters\]\n\[only the first 8388608 bytes were read\]$/);
  });

  it(proves('A11')('reports a redirect to another host'), async () => {
    answer = (response) => void response.writeHead(302, { location: 'http://other.test/x' }).end();
    expect(await read()).toContain('was not fetched: http://other.test/x');
  });

  it(proves('A11')('does not reach private addresses unless allowed'), async () => {
    serve('text/plain', 'secret');
    const closed = await toolRig();
    for (const url of [origin, origin.replace('127.0.0.1', 'localhost'), 'http://169.254.169.254/latest/meta-data/']) {
      expect(await closed.error('read_url_content', { url })).toMatch(/not (a )?public/);
    }
    expect(await closed.error('read_url_content', { Url: 'file:///etc/passwd' })).toContain('not an http or https URL');
    closed.remove();
  });
});

describe('the text of a page', () => {
  it.each([
    ['<p>a<p>b', 'a\nb'],
    ['<ul><li>a<li>b</ul>', '- a\n- b'],
    ['a<br>b', 'a\nb'],
    ['<style>p{}</style>a<!-- b > --> c', 'a c'],
    ['<head><title>t</title></head><body>x', 'x'],
    ['<a title="1 > 2">link</a>', 'link'],
    ['1 < 2 & 3 > 2', '1 < 2 & 3 > 2'],
    ['&#x41;&#66;&nbsp;&eacute;&unknown;&amp;lt;&#0;&#xd800;', 'AB é&unknown;&lt;\ufffd\ufffd'],
    ['<script>"</scr" + "ipt>"; if (a<b) x</script>after', 'after'],
    ['<SCRIPT>x</Script >after', 'after'],
    ['<script>never closed', ''],
    ['<svg/>after', 'after'],
    ['<header>top</header>', 'top'],
    ['text <', 'text <'],
    ['<', '<'],
    ['', ''],
    ['<!doctype html><?xml ?>x</p', 'x'],
    ['<table><tr><td>a</td><td>b</td></tr></table>', '| a | b'],
  ])(proves('A11')('is read: %j'), (html, text) => {
    expect(htmlText(html)).toBe(text);
  });

  it(proves('A11')('takes one pass for any page'), () => {
    for (const part of ['<', '<a ', '<!--', '&', '<script>', '<a "', '</', '<head>', '<title>', '<svg>']) {
      const html = part.repeat(100_000);
      expect(htmlText(html).length).toBeLessThanOrEqual(html.length);
      expect(htmlTitle(html)?.length ?? 0).toBeLessThanOrEqual(400);
    }
  });
});

describe('ask_question', () => {
  const questions = [
    { question: 'Which?', options: [{ text: 'A' }, { text: 'B', description: 'the second' }], multi_select: true },
    { question: 'Why?' },
    { question: 'When?' },
  ];

  it(proves('A11', 'A21')('asks the questions and returns each answer'), async () => {
    const own = await toolRig({
      answer: (asked) => {
        expect(asked[0]).toEqual({ question: 'Which?', options: questions[0]?.options, multiSelect: true });
        return { type: 'answered', responses: [{ selected: [1, 0] }, { text: 'because' }, { skipped: true }] };
      },
    });
    const { value } = await own.call('ask_question', { questions });
    expect(value).toEqual({
      outcome: 'answered',
      answers: [
        { question: 'Which?', selected: ['B', 'A'] },
        { question: 'Why?', text: 'because' },
        { question: 'When?', skipped: true },
      ],
    });
    own.remove();
  });

  it(proves('A11', 'A21')('reports that nobody answered'), async () => {
    expect((await rig.call('ask_question', { questions })).value).toEqual({ outcome: 'unanswered' });
    expect((await rig.call('ask_question', { questions: [] })).type).toBe('invalid');
    expect((await rig.call('ask_question', { questions: 'Which?' })).text).toContain(
      'questions: is of type string, not array',
    );
  });
});

describe('finish, search_web and generate_image', () => {
  it(proves('A11')('finish returns the result of the task'), async () => {
    expect((await rig.call('finish', { result: { done: true } })).value).toEqual({ done: true });
    expect((await rig.call('finish', {})).value).toBeNull();
  });

  it(proves('A11')('the others go through the provider of the user'), async () => {
    const own = await toolRig({
      searchWeb: (query) => Promise.resolve([{ title: query }]),
      generateImage: (prompt) => ({ mediaType: prompt === 'text' ? 'text/plain' : 'image/png', data: 'AAAA' }),
    });
    expect((await own.call('search_web', { query: 'x' })).value).toEqual([{ title: 'x' }]);
    expect((await own.call('generate_image', { prompt: 'a cat' })).value).toEqual({
      media_type: 'image/png',
      media: '[media 1]',
    });
    expect(await own.error('generate_image', { prompt: 'text' })).toContain('did not return an image');
    own.remove();
    expect((await rig.call('search_web', { query: 'x' })).type).toBe('invalid');
  });
});
