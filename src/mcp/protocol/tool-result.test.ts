import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import type { Media } from '../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { defaultMcpLimits } from './mcp-limits.ts';
import { readToolResult } from './tool-result.ts';

const text = (value: string): object => ({ type: 'text', text: value });

function read(raw: unknown, attach?: (media: Media) => JsonValue): JsonValue {
  return readToolResult(raw, { limits: defaultMcpLimits, attach });
}

describe('a result', () => {
  it('with several texts is one text', () => {
    expect(read({ content: [text('a'), text('b')] })).toBe('a\nb');
    expect(read({ content: [] })).toBe('');
    expect(read({})).toBe('');
    expect(read(undefined)).toBe('');
  });

  it('is the structured content, unless the text differs', () => {
    const structuredContent = { b: 1, a: [2] };
    expect(read({ content: [text('{"a":[2],"b":1}')], structuredContent })).toEqual(structuredContent);
    expect(read({ structuredContent })).toEqual(structuredContent);
    expect(read({ content: [text('two')], structuredContent })).toEqual({ content: 'two', structuredContent });
  });

  it(proves('A16')('hands over every kind of media and leaves notes in their places'), () => {
    const taken: Media[] = [];
    const attach = (media: Media): JsonValue => ({ media: taken.push(media) });
    const data = Buffer.from('bytes').toString('base64');
    const content = [
      text('before'),
      { type: 'image', mimeType: 'image/png', data },
      { type: 'audio', mimeType: 'audio/wav', data },
      text('after'),
      { type: 'resource', resource: { uri: 'file:///a.pdf', mimeType: 'application/pdf', blob: data } },
      { type: 'resource', resource: { uri: 'file:///b.txt', text: 'words' } },
      { type: 'resource', resource: { uri: 'file:///c', blob: data } },
    ];
    expect(read({ content }, attach)).toEqual([
      'before',
      { media: 1 },
      { media: 2 },
      'after',
      { media: 3 },
      '[resource "file:///b.txt"]\nwords',
      { media: 4 },
    ]);
    expect(taken.map(({ mediaType, name }) => [mediaType, name])).toEqual([
      ['image/png', undefined],
      ['audio/wav', undefined],
      ['application/pdf', 'file:///a.pdf'],
      ['application/octet-stream', 'file:///c'],
    ]);
    expect(Buffer.from(taken[0]?.data as Uint8Array).toString()).toBe('bytes');
  });

  it('notes what it leaves out', () => {
    const content = [
      { type: 'hologram', depth: 3 },
      { type: 'text', text: 7 },
      { type: 'image', mimeType: 'image/png', data: 'not base64!' },
      { type: 'image', mimeType: 'png\n', data: '' },
      { type: 'image', mimeType: 'image/png', data: '' },
      { type: 'resource', resource: {} },
      { type: 'resource_link', name: 'x', uri: 'file:///x' },
      null,
    ];
    expect((read({ content }) as string).split('\n')).toEqual([
      '[unreadable content of type "hologram": {"type":"hologram","depth":3}]',
      '[unreadable content of type "text": {"type":"text","text":7}]',
      '[media (image/png) that is not base64, left out]',
      '[media of the type "png\\n", left out]',
      '[media (image/png), left out]',
      '[unreadable content of type "resource": {"type":"resource"}]',
      '[link to "x": "file:///x"]',
      '[unreadable content of type undefined: {}]',
    ]);
    expect(read({ content: 'text' })).toBe('[content that is a string, left out]');
  });

  it(proves('G12')('is limited in every part, with a note of what was cut'), () => {
    const limits = { ...defaultMcpLimits, resultBytes: 100, mediaBytes: 10, parts: 2 };
    const within = (raw: unknown): string => JSON.stringify(readToolResult(raw, { limits, attach: () => 'note' }));
    expect(within({ content: [text('x'.repeat(1000))] })).toContain('[cut: 900 more characters]');
    expect(within({ content: [text('a'), text('b'), text('c')] })).toContain('[cut: 1 more parts]');
    expect(within({ content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(100) }] })).toContain(
      'larger than 10 bytes',
    );
    expect(within({ structuredContent: { x: 'x'.repeat(1000) } })).toContain('is larger than 100 bytes of JSON');
    const notes = [text('x'.repeat(90)), { type: 'image', mimeType: 'image/png', data: '' }];
    expect(within({ content: [...notes, ...notes] }).length).toBeLessThan(300);
  });

  it("that is an error is thrown with the server's own text", () => {
    expect(() => read({ isError: true, content: [text('no'), text('way')] })).toThrow(/^no\nway$/);
    expect(() => read({ isError: true, content: [] })).toThrow('gave no reason');
    const picture = { type: 'image', mimeType: 'image/png', data: '' };
    expect(() => read({ isError: true, content: [picture] }, () => 'taken')).toThrow('[media (image/png), left out]');
  });
});
