/** What names mean, in every common spelling. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { runs } from '../../test/property-runs.ts';
import { type NameKind, SecretNames } from './secret-names.ts';

const names = new SecretNames({});

const secret = (
  'password, passwd, pwd, passphrase, db password, new password, password confirmation, smtp pass, ' +
  'secret, client secret, shared secret, secret key, webhook secret, secrets, token, access token, ' +
  'refresh token, auth token, csrf token, bot token, access tokens, id token, api key, x api key, ' +
  'api keys, api key value, access key, access key id, private key, signing key, ' +
  'aws secret access key, subscription key, account key, encryption key, private key pem, master key, ' +
  'authorization, proxy authorization, cookie, set cookie, cookies, credential, credentials, creds, ' +
  'session id, sessid, connection string, conn str, jwt, bearer, token 2, recovery codes'
).split(', ');

const plain = (
  'tokens, max tokens, token count, token limit, tokenizer, input tokens, completion tokens, ' +
  'next page token, page token, continuation token, cancellation token, eos token, token type, key, ' +
  'keys, keyboard, monkey, primary key, public key, sort key, cache key, hotkey, key id, author, ' +
  'authors, authentic, auth method, session, sessions, connection, cookie name, cookiecutter, passed, ' +
  'compass, bypass, first pass, password length, password reset url, secret name, secretary, ' +
  'secret arn, token url, token file, password file, private, api, access, name, value, path'
).split(', ');

const spell: Readonly<Record<string, (words: readonly string[]) => string>> = {
  snake: (words) => words.join('_'),
  kebab: (words) => words.join('-'),
  dotted: (words) => words.join('.'),
  spaced: (words) => words.join(' '),
  shouted: (words) => words.join('_').toUpperCase(),
  camel: (words) => words.map((word, at) => (at === 0 ? word : capital(word))).join(''),
  pascal: (words) => words.map(capital).join(''),
  header: (words) => words.map(capital).join('-'),
  joined: (words) => words.join(''),
  underlined: (words) => `_${words.join('__')}_`,
  wide: (words) => words.join('_').replaceAll(/[a-z]/g, (unit) => String.fromCodePoint(unit.charCodeAt(0) + 0xfee0)),
};

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

describe('a name', () => {
  it.each(secret)(proves('R10')('marks a secret in every spelling: %s'), (name) => {
    for (const [how, write] of Object.entries(spell)) {
      const written = write(name.split(' '));
      expect([how, written, names.kindOf(written)]).toEqual([
        how,
        written,
        expect.stringMatching(/^(?:secret|hidden)$/),
      ]);
    }
  });

  it.each(plain)(proves('R10')('does not mark a secret: %s'), (name) => {
    for (const [how, write] of Object.entries(spell)) {
      const written = write(name.split(' '));
      expect([how, written, names.kindOf(written)]).toEqual([how, written, 'plain']);
    }
  });

  it(proves('R10')('for a few digits, or for random text, has its own kind'), () => {
    const kinds: Readonly<Record<string, NameKind>> = {
      pin: 'digits',
      otp: 'digits',
      signature: 'doubtful',
      auth: 'doubtful',
    };
    for (const [name, kind] of Object.entries(kinds)) expect([name, names.kindOf(name)]).toEqual([name, kind]);
    expect(names.kindOf('code')).toBe('plain');
    expect(names.kindOfParameter('code')).toBe('doubtful');
    expect(names.kindOfParameter('page')).toBe('plain');
  });

  it(proves('R10')('can be added or excluded in any spelling'), () => {
    const own = new SecretNames({ names: ['house number'], keep: ['session-id'] });
    expect(['houseNumber', 'HOUSE_NUMBER', 'house-number'].map((name) => own.kindOf(name))).toEqual(
      Array.from({ length: 3 }, () => 'hidden'),
    );
    expect(['sessionId', 'SESSION_ID'].map((name) => own.kindOf(name))).toEqual(['plain', 'plain']);
    expect(names.kindOf('houseNumber')).toBe('plain');
  });

  it(proves('R10')('in ASCII mean the same as with a character that is ignored'), () => {
    const part = fc.constantFrom(...secret, 'x', 'HTTP', 'v2', 'pin', '_', '-', ' ', '$');
    const name = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 20 }),
      fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(name, (text) => {
        expect(names.kindOf(`${text}\u00AD`)).toBe(names.kindOf(text));
      }),
      { numRuns: runs(500) },
    );
  });

  it(proves('R10')('of any length is read, the same each time, and its end decides'), () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.constantFrom(...secret), (before, name) => {
        expect(names.kindOf(before)).toBe(new SecretNames({}).kindOf(before));
        expect(names.kindOf(`${before}_${name}`)).not.toBe('doubtful');
      }),
      { numRuns: runs(100) },
    );
  });
});
