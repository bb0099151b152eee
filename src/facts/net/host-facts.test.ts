import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allow, compilePolicy, deny, type ToolCall, type ToolDeclaration } from 'bridle';
import {
  host,
  hostFact,
  hostOfUrl,
  isPublicHost,
  isPublicHostFact,
  isPublicUrl,
  underDomain,
  underDomainFact,
  isUrlUnderDomain,
} from 'bridle/facts';
import { builtinTools } from 'bridle/tools';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { newId, type CallId, type SessionId } from '../../kernel/ids.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Truth, Unknown } from '../truth.ts';

const tool: ToolDeclaration = { name: 'fetch', touches: { urls: ['url', 'more[].url'] } };

function callOf(args: JsonObject): ToolCall {
  return {
    id: newId<CallId>(),
    tool: 'fetch',
    server: undefined,
    displayName: 'fetch',
    tier: 'confirm',
    args,
    requested: args,
    cwd: undefined,
    session: newId<SessionId>(),
    turn: 1,
    step: 1,
    agent: [],
  };
}

const say = (truth: Truth): string => (truth === true ? 'yes' : truth === false ? 'no' : 'unknown');
const nameOf = (found: string | Unknown): string => (typeof found === 'string' ? found : '?');
const digits = (value: number, base: number | undefined): string =>
  base === 8 ? `0${value.toString(8)}` : base === 16 ? `0x${value.toString(16)}` : String(value);
const withUrl = (url: string): JsonObject => ({ url });
const all = (args: JsonObject, declared = tool): readonly string[] => [
  nameOf(hostFact()(callOf(args), declared)),
  say(isPublicHostFact()(callOf(args), declared)),
  say(underDomainFact('example.com')(callOf(args), declared)),
];
const isPublic = (text: unknown): string => say(isPublicUrl(text));

describe('the host of a URL', () => {
  it.each([
    ['http://example.com/', 'example.com'],
    ['https://Example.COM:8443/x?y#z', 'example.com'],
    ['http://example.com./', 'example.com'],
    ['http://good.com@evil.com/', 'evil.com'],
    ['http://good.com:pw@evil.com:80/', 'evil.com'],
    ['http://a@b@evil.com/', 'evil.com'],
    ['http://evil.com/@good.com', 'evil.com'],
    ['http://evil.com?@good.com', 'evil.com'],
    ['http://evil.com#@good.com', 'evil.com'],
    ['  http://example.com  ', 'example.com'],
    ['ht\ntp://exa\tmple.com/', 'example.com'],
    ['http://bücher.example/', 'xn--bcher-kva.example'],
    ['http://xn--bcher-kva.example/', 'xn--bcher-kva.example'],
    ['http://ｅｘａｍｐｌｅ.com/', 'example.com'],
    ['http://example。com/', 'example.com'],
    ['http://%65xample.com/', 'example.com'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://１２７.0.0.1/', '127.0.0.1'],
    ['http://[::1]/', '::1'],
    ['http://[0:0:0:0:0:ffff:127.0.0.1]/', '127.0.0.1'],
    ['http://[::ffff:808:808]/', '8.8.8.8'],
    ['http://[64:ff9b::8.8.8.8]/', '64:ff9b::808:808'],
  ])(proves('X09')('%s is %s'), (text, expected) => {
    expect(nameOf(hostOfUrl(text))).toBe(expected);
  });

  it.each([
    [7],
    [null],
    [undefined],
    [''],
    ['example.com'],
    ['//example.com/'],
    ['http://'],
    ['http://exa mple.com/'],
    ['http://good.com＠evil.com/'],
    ['http://[fe80::1%25eth0]/'],
    ['http://999.1.1.1/'],
    [`http://example.com/${'a'.repeat(9000)}`],
    ['ftp://example.com/'],
    ['file:///etc/passwd'],
    ['data:text/plain,http://example.com/'],
    ['javascript:location="http://example.com/"'],
  ])(proves('X09')('is unknown: %s'), (text) => {
    expect(nameOf(hostOfUrl(text))).toBe('?');
  });

  it.each([
    'http://good.com\\@evil.com/',
    'http://evil.com\\.good.com/',
    'http:\\\\evil.com/',
    'http:evil.com',
    'http:///evil.com/',
    'http:/evil.com/',
  ])(proves('X09')('is unknown if programs interpret the URL differently: %s'), (text) => {
    expect(nameOf(hostOfUrl(text))).toBe('?');
    expect(isPublic(text)).toBe('unknown');
    expect(say(isUrlUnderDomain(text, 'evil.com'))).toBe('unknown');
    expect(say(isUrlUnderDomain(text, 'good.com'))).toBe('unknown');
  });
});

describe('a public host', () => {
  it.each([
    ['http://example.com/', 'yes'],
    ['https://user:pw@example.com:22/', 'yes'],
    ['http://8.8.8.8/', 'yes'],
    ['http://134744072/', 'yes'],
    ['http://[2606:4700::1111]/', 'yes'],
    ['http://[::ffff:8.8.8.8]/', 'yes'],
    ['http://localhost/', 'no'],
    ['http://LOCALHOST./', 'no'],
    ['http://a.localhost/', 'no'],
    ['http://printer/', 'no'],
    ['http://printer.local/', 'no'],
    ['http://nas.lan/', 'no'],
    ['http://x.home.arpa/', 'no'],
    ['http://metadata.google.internal/', 'no'],
    ['http://kubernetes.default.svc', 'no'],
    ['http://kubernetes.default.svc.cluster.local/', 'no'],
    ['http://vault.service.consul/', 'no'],
    ['http://api.svc.example.com/', 'yes'],
    ['http://127.0.0.1/', 'no'],
    ['http://127.0.0.1.:80/', 'no'],
    ['http://169.254.169.254/latest/', 'no'],
    ['http://[::ffff:169.254.169.254]/', 'no'],
    ['http://[::127.0.0.1]/', 'no'],
    ['http://[64:ff9b::7f00:1]/', 'no'],
    ['http://[64:ff9b::a9fe:a9fe]/', 'no'],
    ['http://[2002:7f00:1::]/', 'no'],
    ['http://[fe80::1]/', 'no'],
    ['http://[64:ff9b::8.8.8.8]/', 'unknown'],
    ['http://[2002:808:808::]/', 'unknown'],
    ['http://[::8.8.8.8]/', 'unknown'],
    ['http://[::ffff:0:8.8.8.8]/', 'unknown'],
    ['http://localhost../', 'unknown'],
    ['http://127.0.0.1../', 'unknown'],
    ['file:///etc/passwd', 'no'],
    ['data:text/html,x', 'no'],
    ['javascript:alert(1)', 'no'],
    ['about:blank', 'no'],
    ['file://server/share', 'unknown'],
    ['ftp://example.com/', 'unknown'],
    ['gopher://127.0.0.1/', 'unknown'],
    ['view-source:http://example.com/', 'unknown'],
    ['example.com', 'unknown'],
  ])(proves('X09')('%s: %s'), (text, expected) => {
    expect(isPublic(text)).toBe(expected);
  });

  it(proves('X09')('is not an address of this machine or its network, in any spelling'), () => {
    const inner = fc.constantFrom<number[]>(
      [127, 0, 0, 1],
      [10, 1, 2, 3],
      [169, 254, 169, 254],
      [192, 168, 0, 1],
      [172, 16, 9, 9],
    );
    const spelled = fc.tuple(inner, fc.array(fc.constantFrom(10, 8, 16), { minLength: 4, maxLength: 4 }), fc.nat(3));
    fc.assert(
      fc.property(spelled, fc.boolean(), ([bytes, bases, joined], isMapped) => {
        const tail = bytes.slice(3 - joined).reduce((sum, byte) => sum * 256 + byte, 0);
        const parts = [...bytes.slice(0, 3 - joined), tail];
        const text = parts.map((value, index) => digits(value, bases[index])).join('.');
        const url = isMapped ? `http://[::ffff:${bytes.join('.')}]/` : `http://${text}/`;
        expect(isPublic(url), url).toBe('no');
        expect(nameOf(hostOfUrl(url)), url).toBe(bytes.join('.'));
      }),
      { numRuns: runs(500) },
    );
  });

  it(proves('X09')('gives the same result on the thousandth call'), () => {
    for (let times = 0; times < 5000; times++) expect(isPublic('http://www.bücher.example.org/')).toBe('yes');
  });

  it('never throws, for any input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.anything()), (given) => {
        expect(['yes', 'no', 'unknown']).toContain(isPublic(given));
        expect(['yes', 'no', 'unknown']).toContain(say(isUrlUnderDomain(given, 'example.com')));
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('a domain', () => {
  it.each([
    ['http://example.com/', 'example.com', 'yes'],
    ['http://a.b.example.com./', 'example.com', 'yes'],
    ['http://example.com/', 'EXAMPLE.com.', 'yes'],
    ['http://www.bücher.example/', 'bücher.example', 'yes'],
    ['http://www.xn--bcher-kva.example/', 'BÜCHER.example', 'yes'],
    ['http://notexample.com/', 'example.com', 'no'],
    ['http://example.com.evil.com/', 'example.com', 'no'],
    ['http://example.com@evil.com/', 'example.com', 'no'],
    ['http://evil.com/example.com', 'example.com', 'no'],
    ['http://127.0.0.1/', 'example.com', 'no'],
    ['file:///example.com', 'example.com', 'no'],
    ['ftp://example.com', 'example.com', 'unknown'],
    ['http://example.com/', '127.0.0.1', 'unknown'],
    ['http://example.com/', '', 'unknown'],
  ])(proves('X09')('%s under %s: %s'), (text, name, expected) => {
    expect(say(isUrlUnderDomain(text, name))).toBe(expected);
  });

  it.each([
    '',
    '.',
    '.com',
    '*.com',
    'a/b',
    'a b',
    'user@a.com',
    'a.com:80',
    '127.0.0.1',
    '0x7f.1',
    '[::1]',
    '::1',
    'a..',
  ])('is not %s', (name) => {
    expect(() => underDomain(name)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('facts about the URLs of a call', () => {
  it(proves('X09')('cover all URLs'), () => {
    expect(all({ url: 'http://example.com/' })).toEqual(['example.com', 'yes', 'yes']);
    expect(all({ url: ['http://example.com/a', 'https://example.com/b'] })).toEqual(['example.com', 'yes', 'yes']);
    expect(all({ url: 'http://a.example.com', more: [{ url: 'http://b.example.com' }] })).toEqual(['?', 'yes', 'yes']);
    expect(all({ url: ['http://example.com/', 'http://evil.com/'] })).toEqual(['?', 'yes', 'unknown']);
    expect(all({ url: ['http://example.com/', 'http://10.0.0.1/'] })).toEqual(['?', 'unknown', 'unknown']);
    expect(all({ url: ['http://example.com/', 'nonsense'] })).toEqual(['?', 'unknown', 'unknown']);
  });

  it(proves('X09')('are false without a URL, and unknown for an argument that is not one'), () => {
    expect(all({})).toEqual(['?', 'no', 'no']);
    expect(all({ url: 'http://example.com/' }, { name: 'fetch' })).toEqual(['?', 'no', 'no']);
    expect(all({ url: 7 })).toEqual(['?', 'unknown', 'unknown']);
    expect(all({ more: ['http://example.com/'] })).toEqual(['?', 'unknown', 'unknown']);
  });

  it(proves('X01', 'X09')('are decided safely when unknown, negated or not'), async () => {
    const inner = deny('fetch', { when: (...about) => !isPublicHost()(...about) });
    const named = allow('fetch', { when: (...about) => host()(...about) === 'example.com' });
    const policy = compilePolicy([inner, named], { tools: [tool], default: 'deny' });
    const decide = async (args: JsonObject): Promise<string> => (await policy.decide({ tool: 'fetch', args })).effect;
    expect(await decide(withUrl('http://example.com/'))).toBe('allow');
    for (const text of ['http://localhost/', 'http://example.com@127.1/', 'nonsense', 'ftp://example.com/'])
      expect(await decide(withUrl(text)), text).toBe('deny');
    expect(await decide({})).toBe('deny');
  });

  it('differ by their text', () => {
    expect(String(underDomain('a.com'))).toBe('underDomain("a.com")');
    expect(String(isPublicHost())).toBe('isPublicHost()');
  });

  it(proves('X09')('apply to read_url_content'), () => {
    const fetching = builtinTools.find(({ name }) => name === 'read_url_content') as ToolDeclaration;
    expect(all({ url: 'http://example.com/' }, fetching)).toEqual(['example.com', 'yes', 'yes']);
  });
});
