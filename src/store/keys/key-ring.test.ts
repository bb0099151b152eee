/** The keys of a user: created once, distinguishable, and refused if other users could have read or placed them. */

import { generateKeyPairSync, sign, verify } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listApprovers, createApproverKey, openApproverKey } from './approver-keys.ts';
import { isSigningKey, publicText } from './key-files.ts';
import { openKeyRing, secretFingerprint } from './open-key-ring.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'bridle-keys-')), 'keys');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const refused = (text: string | RegExp) =>
  expect.objectContaining({ code: 'STORE_KEYS', message: expect.stringMatching(text) as string });

describe('a key ring', () => {
  it('has one secret per purpose, the same each time it is opened', () => {
    const [one, again] = [openKeyRing(folder), openKeyRing(folder)];
    for (const purpose of ['rows', 'masks', 'state']) {
      expect(one.secret(purpose)).toHaveLength(32);
      expect(Buffer.from(one.secret(purpose)).equals(again.secret(purpose))).toBe(true);
    }
    expect(Buffer.from(one.secret('rows')).equals(one.secret('state'))).toBe(false);
    const other = openKeyRing(join(folder, 'other'));
    expect(Buffer.from(one.secret('rows')).equals(other.secret('rows'))).toBe(false);
    expect(secretFingerprint(one)).toBe(secretFingerprint(again));
    expect(secretFingerprint(one)).not.toBe(secretFingerprint(other));
    // The fingerprint stored in a database is not part of any secret in use.
    expect(readFileSync(join(folder, 'store.secret'), 'utf8')).not.toContain(secretFingerprint(one));
    expect(Buffer.from(one.secret('rows')).toString('hex')).not.toContain(secretFingerprint(one));
  });

  it('creates the journal key on first use, and trusts additional keys in its folder', () => {
    const ring = openKeyRing(folder);
    expect(ring.journalKeys()).toEqual([]);
    expect(readdirSync(folder)).toEqual(['store.secret']);
    const own = ring.journalKey();
    expect(openKeyRing(folder).journalKey().id).toBe(own.id);
    const signature = sign(null, Buffer.from('text'), own.privateKey);
    mkdirSync(join(folder, 'journal'), { mode: 0o700 });
    const { publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(join(folder, 'journal', 'older.pub'), publicText(publicKey));
    writeFileSync(join(folder, 'journal', 'own.pub'), readFileSync(join(folder, 'journal.pub')));
    writeFileSync(join(folder, 'journal', 'notes.txt'), 'not a key');
    const trusted = ring.journalKeys();
    expect(trusted.map(({ name }) => name)).toEqual(['journal', 'older']);
    expect(verify(null, Buffer.from('text'), trusted[0]!.publicKey, signature)).toBe(true);
    expect(trusted[1]?.id).toMatch(/^[0-9a-f]{16}$/);
  });

  it('creates nothing with `create: false`', () => {
    expect(() => openKeyRing(folder, { create: false })).toThrow(refused(/key folder .* does not exist/));
    mkdirSync(folder, { mode: 0o700 });
    expect(() => openKeyRing(folder, { create: false })).toThrow(refused(/secret .* does not exist/));
    expect(readdirSync(folder)).toEqual([]);
    openKeyRing(folder);
    const ring = openKeyRing(folder, { create: false });
    expect(ring.journalKeys()).toEqual([]);
    expect(() => ring.journalKey()).toThrow(refused(/key .* does not exist/));
    expect(readdirSync(folder)).toEqual(['store.secret']);
  });

  it('knows that a key can sign without parsing it', () => {
    openKeyRing(folder).mustSign();
    const path = join(folder, 'journal.key');
    const text = readFileSync(path, 'utf8');
    expect(isSigningKey(text)).toBe(true);
    for (let i = 0; i < 50; i++) {
      const { privateKey } = generateKeyPairSync('ed25519');
      expect(isSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)).toBe(true);
    }
    const { privateKey: other } = generateKeyPairSync('x25519');
    const damaged = [
      other.export({ type: 'pkcs8', format: 'pem' }) as string,
      text.slice(0, -30),
      text.replace('CIEI', 'CIEJ'),
      '',
    ];
    for (const each of damaged) {
      writeFileSync(path, each);
      expect(() => openKeyRing(folder).mustSign()).toThrow(refused(/journal\.key is (?:damaged|not an Ed25519 key)/));
    }
  });

  it('refuses damaged keys', () => {
    openKeyRing(folder).journalKey();
    mkdirSync(join(folder, 'approvers'), { mode: 0o700 });
    writeFileSync(join(folder, 'approvers', 'ann.pub'), 'not a key');
    expect(() => openKeyRing(folder).approverKeys()).toThrow(refused(/ann\.pub is damaged/));
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(join(folder, 'approvers', 'ann.pub'), publicText(publicKey));
    expect(() => openKeyRing(folder).approverKeys()).toThrow(refused(/not an Ed25519 key/));
    writeFileSync(join(folder, 'journal.key'), 'not a key');
    expect(() => openKeyRing(folder).journalKey()).toThrow(refused(/journal\.key is damaged/));
    for (const text of ['', 'abc', 'z'.repeat(64), 'A'.repeat(64)]) {
      writeFileSync(join(folder, 'store.secret'), text);
      expect(() => openKeyRing(folder)).toThrow(refused(/damaged/));
    }
  });
});

describe.skipIf(process.platform === 'win32')('keys that others could have read or changed', () => {
  it('are refused, with what to run', () => {
    openKeyRing(folder).journalKey();
    for (const [path, run] of [
      [join(folder, 'store.secret'), 'chmod 600'],
      [folder, 'chmod 700'],
    ] as const) {
      const { mode } = statSync(path);
      for (const bit of [0o040, 0o004, 0o020, 0o002]) {
        chmodSync(path, mode | bit);
        expect(() => openKeyRing(folder)).toThrow(refused(`Run: ${run} ${path}`));
      }
      chmodSync(path, mode);
    }
    chmodSync(join(folder, 'journal.key'), 0o640);
    expect(() => openKeyRing(folder).journalKey()).toThrow(refused('Run: chmod 600'));
  });

  it.skipIf(process.getuid?.() !== 0)('are refused if they belong to another user', () => {
    openKeyRing(folder);
    chownSync(join(folder, 'store.secret'), 65_534, 65_534);
    expect(() => openKeyRing(folder)).toThrow(refused('belongs to another user'));
  });
});

describe('the key of an approver', () => {
  it('is trusted where it was created', () => {
    const made = createApproverKey({ folder, name: 'ann' });
    const [trusted] = openKeyRing(folder).approverKeys();
    expect(trusted).toMatchObject({ name: 'ann', id: made.id });
    const opened = openApproverKey({ folder, name: 'ann' });
    const signature = sign(null, Buffer.from('text'), opened.privateKey);
    expect(verify(null, Buffer.from('text'), trusted!.publicKey, signature)).toBe(true);
    expect(listApprovers(folder)).toEqual([{ name: 'ann', locked: false }]);
  });

  it('opens with its passphrase only', () => {
    const made = createApproverKey({ folder, name: 'ann', passphrase: 'sesame' });
    expect(openApproverKey({ folder, name: 'ann', passphrase: 'sesame' }).id).toBe(made.id);
    expect(listApprovers(folder)).toEqual([{ name: 'ann', locked: true }]);
    expect(() => openApproverKey({ folder, name: 'ann' })).toThrow(refused('needs its passphrase'));
    for (const passphrase of ['wrong', '']) {
      expect(() => openApproverKey({ folder, name: 'ann', passphrase })).toThrow(
        refused('Wrong passphrase for the key ann'),
      );
    }
  });

  it('is created once, and only with a valid name', () => {
    createApproverKey({ folder, name: 'ann' });
    expect(() => createApproverKey({ folder, name: 'ann' })).toThrow(refused('already'));
    rmSync(join(folder, 'approvers', 'ann.pub'));
    expect(() => createApproverKey({ folder, name: 'ann' })).toThrow(refused('A key named ann already exists'));
    writeFileSync(join(folder, 'approvers', 'ann.pub'), 'another one');
    rmSync(join(folder, 'approver-ann.key'));
    expect(() => createApproverKey({ folder, name: 'ann' })).toThrow(refused('already exists'));
    expect(listApprovers(folder)).toEqual([]);
    for (const name of ['', '../x', 'a/b', '.hidden', 'x'.repeat(65), 'a b']) {
      expect(() => createApproverKey({ folder, name })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    }
    expect(() => openApproverKey({ folder, name: 'bob' })).toThrow(refused('no key named bob'));
  });
});
