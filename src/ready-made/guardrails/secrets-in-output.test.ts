import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { findSecret } from './output-guardrail.ts';

/** Assembled at run time, so that secret scanners do not report this file. */
const of = (...parts: string[]) => parts.join('');
const random = 'q7Zp2LxV9tRb4NwKs8YcJd3Hf6Gm1Ae5UoXi';

const secrets: readonly (readonly [string, string])[] = [
  ['an AWS access key', of('AK', 'IA', 'IOSFODNN7EXAMPLE')],
  ['an AWS access key', of('AS', 'IA', 'IOSFODNN7EXAMPLE')],
  ['a GitHub token', of('gh', 'p_', random)],
  ['a GitHub token', of('github', '_pat_', '11ABCDEFG0', random)],
  ['a GitLab token', of('gl', 'pat-', random.slice(0, 20))],
  ['a Slack token', of('xo', 'xb-', '1234567890-abcdef')],
  ['a private key', of('-----BEGIN RSA ', 'PRIVATE KEY-----')],
  ['a private key', of('-----BEGIN ', 'PRIVATE KEY-----')],
  ['a private key', of('-----BEGIN PGP ', 'PRIVATE KEY BLOCK-----')],
  ['a JSON Web Token', of('ey', 'JhbGciOiJIUzI1NiJ9', '.ey', 'JzdWIiOiIxMjM0NTY3ODkwIn0', '.dozjgNryP4J3jVmNHl0w5N')],
  ['an Anthropic or OpenAI key', of('sk', '-ant-api03-', random)],
  ['an Anthropic or OpenAI key', of('sk', '-proj-', random)],
  ['a Google API key', of('AI', 'za', random.slice(0, 35))],
  ['a Stripe key', of('sk', '_live_', random.slice(0, 24))],
  ['an npm token', of('npm', '_', random)],
  ['a password, key or token', of('api_key = "', random, '"')],
  ['a password, key or token', of('AWS_SECRET_ACCESS_KEY=', random)],
  ['a password, key or token', of('{"password": "', random, '"}')],
  ['a password, key or token', of("'client_secret' => '", random, "'")],
];

const harmless = [
  'the token is kept in the vault',
  'password: see the wiki page about passwords',
  'const token = getTokenFromEnvironment()',
  'api_key: process.env.SERVICE_API_KEY_2',
  'secret = aaaaaaaaaaaaaaaaaaaaaaaa1111',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b',
  'token = "${API_TOKEN}"',
  'sk-short',
  'task-management-for-large-projects-and-teams',
  'AKIA is how such a key begins',
  'eyJ is how a token begins',
  '',
];

describe('findSecret', () => {
  it.each(secrets)(proves('E13')('finds %s'), (name, text) => {
    expect(findSecret(text)).toBe(name);
    expect(findSecret(`Here: ${text}\nand more`)).toBe(name);
    expect(findSecret(`${'word '.repeat(10_000)}${text}`)).toBe(name);
  });

  it.each(harmless)(proves('E13')('ignores: %s'), (text) => {
    expect(findSecret(text)).toBeUndefined();
  });

  it.each([
    ['eyJ', 'eyJabcdefgh-'],
    ['dots', 'eyJabcdefgh.eyJabcdefgh.'],
    ['sk-', 'sk-'],
    ['tokens', 'token='],
    ['spaces', 'token    '],
    ['private', '-----BEGIN RSA '],
    ['AKIA', 'AKIA'],
    ['plain', 'a'],
    ['words', 'secret_secret-'],
  ])(proves('E13')('stays fast for four million characters of %s'), (_name, piece) => {
    const text = piece.repeat(Math.ceil(4_000_000 / piece.length));
    const started = performance.now();
    findSecret(text);
    expect(performance.now() - started, 'a bound against hanging').toBeLessThan(10_000);
  });
});
