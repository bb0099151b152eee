/** Secrets in a URL besides its parameters: who signs in, and paths that open something to whoever knows them. */

import { maskPattern } from './masked.ts';
import { looksRandom } from './looks-random.ts';
import { isReference } from './references.ts';
import type { Runs } from './runs.ts';
import type { Span } from './span.ts';

/** What a URL in a text can hold before its path. */
const authority = /[^\s"'`<>\\/?#]*/y;
/** The same for people who do not encode what must be encoded in a password. */
const looseAuthority = new RegExp(
  `(?:${maskPattern}|[^\\s"'\`<>\\\\@:/?#]){0,64}:(?!\\d{1,5}[/?#])(?:${maskPattern}|[^\\s"'\`<>\\\\@]){1,128}@(?:[^\\s"'\`<>\\\\/?#]*@)?`,
  'y',
);
/** Up to the colon, which may stand in a mask, too. */
const userOf = new RegExp(`^(?:${maskPattern}|[^:])*`);

/** Services whose address is the secret: the group is what must not be known. */
const hooks: readonly RegExp[] = [
  /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([\w/-]+)/iy,
  /(?:\w+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/([\w-]+)/iy,
  /[\w.-]{1,64}\.webhook\.office\.com\/webhookb2\/([\w@/-]+)/iy,
  /outlook\.office(?:365)?\.com\/webhook\/([\w@/-]+)/iy,
  /api\.telegram\.org\/(?:file\/)?bot(\d+:[\w-]+)/iy,
  /hooks\.zapier\.com\/hooks\/catch\/([\w/-]+)/iy,
  /maker\.ifttt\.com\/trigger\/[\w-]{1,64}\/(?:json\/)?with\/key\/([\w-]+)/iy,
];

/** `at` is where `://` stands. */
export function urlSecrets(runs: Runs, at: number): readonly Span[] {
  return [...userInfo(runs, at), ...webhook(runs, at + 3)];
}

function userInfo(runs: Runs, at: number): readonly Span[] {
  const start = at + 3;
  const strict = runs.exec(authority, start)?.[0] ?? '';
  const given = strict.includes('@') ? strict : (runs.exec(looseAuthority, start)?.[0] ?? '');
  const end = given.lastIndexOf('@');
  if (end === -1) return [];
  const info = given.slice(0, end);
  const isWeb = /(?:^|[^a-z0-9+.-])https?$/i.test(runs.text.slice(Math.max(0, at - 12), at));
  const user = userOf.exec(info)?.[0] ?? '';
  const password = info.slice(user.length + 1);
  // Whoever signs in to a web page with a name alone, or with an empty password, signs in with a token.
  const isToken =
    isWeb && (password === '' || password === 'x-oauth-basic' || (user.length >= 16 && looksRandom(user)));
  const spans: Span[] = [];
  if (isToken && user !== '' && !isReference(user)) spans.push({ start, end: start + user.length });
  if (password !== '' && !isReference(password))
    spans.push({ start: start + user.length + 1, end: start + info.length });
  return spans;
}

function webhook(runs: Runs, start: number): readonly Span[] {
  for (const hook of hooks) {
    const [whole = '', secret = ''] = runs.exec(hook, start) ?? [];
    if (secret !== '') return [{ start: start + whole.length - secret.length, end: start + whole.length }];
  }
  return [];
}
