/** Documents with secrets at known positions, in many spellings and encodings, among ordinary values. */

import fc from 'fast-check';
import { ordinaryTexts, ordinaryValues } from './ordinary-calls.ts';

export interface Planted {
  readonly value: unknown;
  readonly secrets: readonly string[];
}

/** Machine-generated: not a word of any language, and nothing that ends a value in a text. */
export const madeUp = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9_+-]{9,29}$/), fc.nat(9), fc.constantFrom('k', 'Q', 'z'))
  .map(([text, digit, letter]) => `${letter}${text}${digit}`);

/** Chosen by people, for positions that can contain anything. */
export const chosen = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), fc.nat(9), madeUp)
  .map(([text, digit, tail]) => `${text.replaceAll(/[<{$*.\s]/g, 'x')}${digit}"\\' ${tail}`);

const names = fc
  .constantFrom(
    'password',
    'db password',
    'api key',
    'client secret',
    'access token',
    'private key',
    'x api key',
    'secret',
    'refresh token',
    'session id',
    'aws secret access key',
    'passphrase',
    'auth token',
    'signing key',
  )
  .map((name) => name.split(' '));

const spellings = fc.constantFrom<(words: readonly string[]) => string>(
  (words) => words.join('_'),
  (words) => words.join('-'),
  (words) => words.join('_').toUpperCase(),
  (words) => words.map((word, at) => (at === 0 ? word : capital(word))).join(''),
  (words) => words.map(capital).join('-'),
);

export const spelledName = fc.tuple(names, spellings).map(([words, spell]) => spell(words));

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

interface Place {
  readonly name: string;
  readonly secret: string;
}

/** Positions for any text. */
const fields: readonly ((place: Place) => unknown)[] = [
  ({ name, secret }) => ({ [name]: secret }),
  ({ name, secret }) => ({ [name]: [secret, { more: secret }] }),
  ({ name, secret }) => ({ env: [{ name, value: secret }] }),
  ({ name, secret }) => ({ pairs: [[name, secret]] }),
  ({ name, secret }) => ({ argv: ['run', `--${name}`, `x${secret}`] }),
  ({ name, secret }) => ({ body: JSON.stringify({ [name]: secret, page: 1 }) }),
  ({ name, secret }) => ({ body: JSON.stringify({ deep: [JSON.stringify({ [name]: secret })] }, undefined, 2) }),
  ({ secret }) => ({ headers: { Authorization: `Bearer ${secret}`, Accept: '*/*' } }),
  ({ secret }) => ({ credentials: { user: 'me', its: secret } }),
];

const shout = (name: string): string => name.replaceAll(/[^A-Za-z]/g, '_').toUpperCase();
const kebab = (name: string): string => name.replaceAll(/[^A-Za-z]/g, '-').toLowerCase();

/** Texts with their own syntax. */
const templates: readonly ((place: Place) => string)[] = [
  ({ secret }) => `curl -H 'Authorization: Bearer ${secret}' https://x.y/z`,
  ({ secret }) => `curl -u me:${secret} https://x.y/z`,
  ({ secret }) => `Authorization: Basic ${Buffer.from(`me:${secret}`).toString('base64')}`,
  ({ name, secret }) => `run --${kebab(name)}=${secret} --verbose`,
  ({ name, secret }) => `run --${kebab(name)} "${secret}" --verbose`,
  ({ name, secret }) => `export ${shout(name)}=${secret}; run`,
  ({ name, secret }) => `${shout(name)}='${secret}' run`,
  ({ name, secret }) => `https://x.y/z?page=1&${name}=${encodeURIComponent(secret)}#top`,
  ({ secret }) => `clone https://me:${encodeURIComponent(secret)}@x.y/z now`,
  ({ secret }) => `Cookie: sid=${secret}; theme=${secret}`,
  ({ name, secret }) => `{ "${name}": "${secret}", cut`,
  ({ name, secret }) => `first: 1\n${name}: ${secret}\nlast: 2`,
  ({ name, secret }) => `const it = { ${name}: '${secret}' };`,
  ({ name, secret }) => `<${name}>${secret}</${name}>`,
  ({ name, secret }) => `me=1&${name}=${secret}&page=2`,
];

/** The encodings in which an environment secret may occur. */
const forms: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => encodeURIComponent(secret),
  (secret) => Buffer.from(secret).toString('base64'),
  (secret) => Buffer.from(`me:${secret}`).toString('base64'),
  (secret) => Buffer.from(`{"x":"${secret}"}`).toString('base64url'),
  (secret) => Buffer.from(secret).toString('hex'),
  (secret) => JSON.stringify(secret).slice(1, -1),
];

const inField = fc
  .tuple(fc.constantFrom(...fields), spelledName, chosen)
  .map(([make, name, secret]): Planted => ({ value: make({ name, secret }), secrets: [secret] }));

const inText = fc
  .tuple(fc.constantFrom(...templates), spelledName, madeUp)
  .map(([make, name, secret]): Planted => ({ value: make({ name, secret }), secrets: [secret] }));

/** Secrets from the environment; `env` are its values. */
function fromEnvironment(env: readonly string[]): fc.Arbitrary<Planted> {
  return fc
    .tuple(fc.constantFrom(...forms), fc.constantFrom(...env), fc.constantFrom(...ordinaryTexts))
    .map(([form, secret, text]): Planted => ({ value: `${text} ${form(secret)} ${text}`, secrets: [secret] }));
}

const ordinary: fc.Arbitrary<Planted> = fc
  .oneof(fc.constantFrom<unknown>(...ordinaryTexts), fc.constantFrom<unknown>(...ordinaryValues), fc.integer())
  .map((value) => ({ value, secrets: [] }));

/** A document around the planted secrets: nested lists and maps. */
function around(part: fc.Arbitrary<Planted>): fc.Arbitrary<Planted> {
  const { tree } = fc.letrec<{ tree: Planted }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      part,
      fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((parts) => gather(parts, parts.map(valueOf))),
      fc
        .array(tie('tree'), { minLength: 1, maxLength: 3 })
        .map((parts) => gather(parts, Object.fromEntries(parts.map(({ value }, at) => [`part${at}`, value])))),
    ),
  }));
  return tree;
}

function valueOf({ value }: Planted): unknown {
  return value;
}

function gather(parts: readonly Planted[], value: unknown): Planted {
  return { value, secrets: parts.flatMap(({ secrets }) => secrets) };
}

export function plantedDocument(env: readonly string[]): fc.Arbitrary<Planted> {
  return around(fc.oneof(ordinary, inField, inText, fromEnvironment(env)));
}

export const ordinaryDocument: fc.Arbitrary<unknown> = around(ordinary).map(valueOf);

/** Only texts whose syntax determines exactly which part is the secret. */
export const templateText: fc.Arbitrary<Planted> = inText;

/** Everything readable in a text, including decoded parts. */
export function readings(text: string): readonly string[] {
  const runs = text.match(/[\w+/=-]{8,}/g) ?? [];
  const decoded = runs.flatMap((run) =>
    [0, 1, 2, 3].flatMap((from) => [
      Buffer.from(run.slice(from), 'base64').toString('latin1'),
      Buffer.from(run.slice(from), 'hex').toString('latin1'),
    ]),
  );
  return [text, text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decode), ...decoded];
}

function decode(encoded: string): string {
  return Buffer.from(encoded.replaceAll('%', ''), 'hex').toString();
}
