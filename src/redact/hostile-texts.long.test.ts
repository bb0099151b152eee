/** Texts made to be slow: the work must stay linear in their length, and none may break masking. */

import { containsMask, maskSecrets } from 'bridle/journal';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { TextScanner } from './text-scanner.ts';
import { SecretNames } from './secret-names.ts';
import { SecretFinder } from './secret-finder.ts';

const known = ['q7Zp2LxV9tRb4NwKs8Yc', 'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1X'];
const texts = SecretFinder.of({ names: new SecretNames({}), known, extraNameParts: [] });

const pieces = [
  'token=',
  '… [cut: ',
  'q7Zp… [cut: 1] …',
  'token="',
  "token='",
  'token: ',
  '"token":"',
  '\\"token\\":\\"',
  'token%3D',
  'auth%3D',
  'token=.!',

  '--token ',
  '--token="',
  "--token='",
  '--token=$(',
  'TOKEN="$(',
  'PASSWORD="\\',
  'passwd=\\',
  '$token',
  'token=`',
  'Authorization: ',
  'Authorization: Bearer ',
  'Authorization: Bearer $x ',
  'Cookie: ',
  'Cookie: a',
  'a=b; ',
  'curl ',
  'curl -u ',
  'curl -u a:',
  'curl "',
  "curl '",
  'mysql -p',
  'docker login -p ',
  'bearer ',
  'basic aaaa',
  '://',
  '://a:b',
  '://a:b@',
  'https://',
  'http://a:1/',
  'https://hooks.slack.com/services/',
  '?code=',
  '&key=',
  'eyJabcdefgh.',
  'eyJabcdefgh-',
  'sk-',
  'AKIA',
  '-----BEGIN ',
  '-----END ',
  '-----BEGIN PRIVATE KEY-----',
  'password',
  'passpass:',
  'api key ',
  'secret_secret-',
  '<password>',
  "password '",
  "identified by '",
  'session id ',
  '[masked:',
  '[masked:1:aaaaaaaa]',
  'token=[masked:1:aaaaaaaa]',
  'a1',
  '{"password":"',
  '{"a":',
  '[',
  '\\',
  '\u0000',
  '\ud800',
  '😀',
  '"',
  '`',
  '-',
  '.',
  `${'x'.repeat(100)}token`,
  'token\n',
  '\n\n\n',
  ' ',
  '%3D',
  'x',
];

/** How often a character is read at most. */
const maxReadings = 6;

function workOn(piece: string, length: number): number {
  const text = piece.repeat(Math.ceil(length / piece.length));
  const scanner = new TextScanner(text);
  texts.find(text, scanner);
  return scanner.read;
}

describe('a hostile text', () => {
  it.each(pieces)(proves('R10')('of twice the length takes twice the work: %j'), (piece) => {
    const [once, twice] = [workOn(piece, 40_000), workOn(piece, 80_000)];
    expect(twice).toBeLessThanOrEqual(2.2 * once + 1_000);
    expect(twice).toBeLessThanOrEqual(maxReadings * 80_000);
  });

  it.each(pieces)(
    proves('R10')('of a million characters is searched quickly: %j'),
    (piece) => {
      const mask = maskSecrets({ key: 'k', env: { A_TOKEN: known[0], B_TOKEN: known[1] } });
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
      const started = performance.now();
      mask({ text, list: [{ password: 'q1w2e3r4t5' }] });
      expect(performance.now() - started, 'a bound against hanging').toBeLessThan(20_000);
    },
    60_000,
  );

  it.each([
    ...['token="', "password='", 'PASSWORD=', '--token ', '?token=', 'Bearer ', '<password>', 'curl -u a:', 'ghp_'].map(
      (start) => [start, 'x1'],
    ),
    ...['token="', 'PASSWORD=', 'PASSWORD="', 'curl -u a:'].map((start) => [start, '\\n1']),
    ['PASSWORD=', "'a'"],
    ['token%3D', '%41'],
  ])(
    proves('R10')('with one secret of eight million characters is masked as a whole: %j %j'),
    (start = '', unit = '') => {
      const masked = maskSecrets({ key: 'k', env: {} })(start + unit.repeat(8_000_000 / unit.length));
      expect(masked.length < 100 && containsMask(masked)).toBe(true);
    },
    60_000,
  );

  it(proves('R10')('of nested data, with a secret in a name at each level, is read once per level'), () => {
    let value: unknown = 'x';
    for (let depth = 0; depth < 60; depth++) value = { a: value, [`ghp_${'q1w2e3r4t5'.repeat(4)}`]: 1 };
    expect(JSON.stringify(maskSecrets({ key: 'k', env: {} })(value))).not.toContain('q1w2e3r4t5');
  });

  it.each(['{"toString":0,"valueOf":0}', '[[{"toString":1}]]'])(
    proves('R10')('of JSON hides no secret behind invalid text: %s'),
    (odd) => {
      const args = [JSON.parse(odd) as unknown, '-p'];
      const value = { command: 'docker', args, password: { deep: 'hunter2hunter2' } };
      const mask = maskSecrets({ key: 'k', env: {} });
      for (const masked of [JSON.stringify(mask(value)), mask(JSON.stringify(value))]) {
        expect(masked).not.toContain('hunter2');
      }
    },
  );

  it(proves('R10')('with more secrets than are searched for twice has each masked at its name'), () => {
    const fields = Array.from({ length: 5_000 }, (_, at) => [`token${at}`, `q1w2e3r4t5-${at}`]);
    const masked = maskSecrets({ key: 'k', env: {} })(Object.fromEntries(fields) as Record<string, string>);
    expect(Object.values(masked).every((text) => text.startsWith('[masked:'))).toBe(true);
  });
});
