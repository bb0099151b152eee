import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/property-runs.ts';
import { isPublicAddress } from './public-address.ts';
import { checkUrl } from './check-url.ts';

const inner = [
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
];
const outer = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '192.167.1.1',
  '223.255.255.255',
];
const inner6 = [
  '::',
  '::1',
  '::ffff:8.8.8.8',
  '::ffff:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::7f00:1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '3fff::1',
  '4000::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  '2606:4700::1%eth0',
  'fec0::1',
  'ff02::1',
];
const outer6 = ['2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '2001:4860:4860::8888', '2400:cb00::1'];

const hex = (n: number): string => `0x${n.toString(16)}`;
const octal = (n: number): string => `0${n.toString(8)}`;

/** Every way to write an IPv4 address that URL parsers understand. */
function spellings(address: string): readonly string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  return [
    address,
    `${address}.`,
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    [hex(a), octal(b), c, hex(d).toUpperCase()].join('.'),
    String(whole),
    hex(whole),
    octal(whole),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    address.replaceAll('.', '%2e'),
    address.replaceAll('.', '。'),
    Array.from(address, (letter) => (/\d/.test(letter) ? String.fromCodePoint(0xff10 + Number(letter)) : letter)).join(
      '',
    ),
  ];
}

const octet = fc.integer({ min: 0, max: 255 });
const anyAddress = fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.'));

describe('a public address', () => {
  it('is in no special-purpose range', () => {
    expect([...inner, ...inner6].filter(isPublicAddress)).toEqual([]);
    expect([...outer, ...outer6].filter((address) => !isPublicAddress(address))).toEqual([]);
    expect(['', 'localhost', '1.2.3', '1.2.3.4.5', '0x7f000001', ' 8.8.8.8', '[::1]'].filter(isPublicAddress)).toEqual(
      [],
    );
  });

  it('never embeds an IPv4 address', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const parts = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
        const tail = `${parts[0]}${parts[1]}:${parts[2]}${parts[3]}`;
        for (const made of [`::ffff:${address}`, `::${tail}`, `64:ff9b::${tail}`, `2002:${tail}::1`, `2001::${tail}`])
          expect(isPublicAddress(made), made).toBe(false);
      }),
      { numRuns: runs(300) },
    );
  });
});

const reasonOf = (url: unknown, rules = {}): string | undefined => {
  const check = checkUrl(url, rules);
  return check.type === 'refused' ? check.reason : undefined;
};

describe('a URL', () => {
  it('is refused for a private address in every spelling', () => {
    for (const address of inner) {
      for (const spelled of spellings(address)) expect(reasonOf(`http://${spelled}/x`), spelled).toBeDefined();
    }
    for (const address of inner6) {
      expect(reasonOf(`http://[${address}]/`), address).toBeDefined();
    }
  });

  it('gets the same result for every spelling of an address', () => {
    fc.assert(
      fc.property(anyAddress, (address) => {
        const verdicts = spellings(address).map((spelled) => reasonOf(`https://${spelled}:8443/`) === undefined);
        expect(new Set(verdicts)).toEqual(new Set([isPublicAddress(address)]));
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each([
    ['ftp://example.com/', 'not an http or https URL'],
    ['file:///etc/passwd', 'not an http or https URL'],
    ['javascript:alert(1)', 'not an http or https URL'],
    ['data:text/plain,x', 'not an http or https URL'],
    ['http://user@example.com/', 'credentials'],
    ['http://:secret@example.com/', 'credentials'],
    ['http://127.0.0.1@example.com/', 'credentials'],
    ['example.com', 'not an absolute URL'],
    ['//example.com/x', 'not an absolute URL'],
    ['http://', 'not an absolute URL'],
    ['http://999.1.1.1/', 'not an absolute URL'],
    ['http://exa mple.com/', 'not an absolute URL'],
    [`http://example.com/${'x'.repeat(9000)}`, 'longer than'],
    [7, 'a number, not a string'],
    [undefined, 'undefined, not a string'],
  ])('is refused: %s', (url, reason) => {
    expect(reasonOf(url)).toContain(reason);
  });

  it('is parsed as browsers parse it', () => {
    expect(checkUrl('HTTP:\\\\EXAMPLE.com\\a')).toMatchObject({ type: 'fine', host: 'example.com' });
    expect(reasonOf('http:\\\\127.0.0.1\\')).toContain('not a public address');
    expect(reasonOf('http:/\t/127.\n0.0.1/')).toContain('not a public address');
    expect(checkUrl('https://example.com./')).toMatchObject({ host: 'example.com' });
  });

  it('is limited to the allowed hosts and their subdomains', () => {
    const rules = { allowedHosts: ['Example.com', '10.0.0.1', '::1', 'bücher.example'], allowPrivateHosts: true };
    const fine = [
      'http://example.com',
      'http://a.b.example.com./',
      'http://10.1/',
      'http://[0:0::1]/',
      'http://xn--bcher-kva.example',
    ];
    expect(fine.filter((url) => reasonOf(url, rules) !== undefined)).toEqual([]);
    const refused = [
      'http://badexample.com',
      'http://example.com.evil.org',
      'http://10.0.0.11',
      'http://1.10.0.0.1',
      'http://[::2]/',
    ];
    expect(refused.filter((url) => reasonOf(url, rules) === undefined)).toEqual([]);
    expect(reasonOf('http://10.0.0.1/', { allowedHosts: ['10.0.0.1'] })).toContain('not a public address');
  });
});
