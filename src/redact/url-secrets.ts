/** Secrets in a URL other than parameters: credentials, and paths that grant access. */

import { maskPattern } from './mask-text.ts';
import { looksRandom, isPlaceholder } from './secret-values.ts';
import type { TextScanner, SecretSpan } from './text-scanner.ts';

/** The part of a URL before its path. */
const authority = /[^\s"'`<>\\/?#]*/y;
/** The same for passwords with characters that should have been encoded. */
const looseAuthority = new RegExp(
  `(?:${maskPattern}|[^\\s"'\`<>\\\\@:/?#]){0,64}:(?!\\d{1,5}[/?#])(?:${maskPattern}|[^\\s"'\`<>\\\\@]){1,128}@(?:[^\\s"'\`<>\\\\/?#]*@)?`,
  'y',
);
/** Up to the colon; colons inside a mask do not count. */
const userPart = new RegExp(`^(?:${maskPattern}|[^:])*`);

/** Services whose URL is the secret; the group is the secret part. */
const webhookUrls: readonly RegExp[] = [
  /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([\w/-]+)/iy,
  /(?:\w+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/([\w-]+)/iy,
  /[\w.-]{1,64}\.webhook\.office\.com\/webhookb2\/([\w@/-]+)/iy,
  /outlook\.office(?:365)?\.com\/webhook\/([\w@/-]+)/iy,
  /api\.telegram\.org\/(?:file\/)?bot(\d+:[\w-]+)/iy,
  /hooks\.zapier\.com\/hooks\/catch\/([\w/-]+)/iy,
  /maker\.ifttt\.com\/trigger\/[\w-]{1,64}\/(?:json\/)?with\/key\/([\w-]+)/iy,
];

/** `at` is the position of `://`. */
export function urlSecrets(scanner: TextScanner, at: number): readonly SecretSpan[] {
  return [...userInfo(scanner, at), ...webhook(scanner, at + 3)];
}

function userInfo(scanner: TextScanner, at: number): readonly SecretSpan[] {
  const start = at + 3;
  const strict = scanner.exec(authority, start)?.[0] ?? '';
  const given = strict.includes('@') ? strict : (scanner.exec(looseAuthority, start)?.[0] ?? '');
  const end = given.lastIndexOf('@');
  if (end === -1) return [];
  const info = given.slice(0, end);
  const isWeb = /(?:^|[^a-z0-9+.-])https?$/i.test(scanner.text.slice(Math.max(0, at - 12), at));
  const user = userPart.exec(info)?.[0] ?? '';
  const password = info.slice(user.length + 1);
  // On the web, a user name without a password is a token.
  const isToken =
    isWeb && (password === '' || password === 'x-oauth-basic' || (user.length >= 16 && looksRandom(user)));
  const spans: SecretSpan[] = [];
  if (isToken && user !== '' && !isPlaceholder(user)) spans.push({ start, end: start + user.length });
  if (password !== '' && !isPlaceholder(password))
    spans.push({ start: start + user.length + 1, end: start + info.length });
  return spans;
}

function webhook(scanner: TextScanner, start: number): readonly SecretSpan[] {
  for (const hook of webhookUrls) {
    const [whole = '', secret = ''] = scanner.exec(hook, start) ?? [];
    if (secret !== '') return [{ start: start + whole.length - secret.length, end: start + whole.length }];
  }
  return [];
}
