/** The keys of one user on one machine, in a folder no tool may read: what seals rows, signs journals and answers. */

import type { KeyObject } from 'node:crypto';

export interface SigningKey {
  /** Who signs with it. */
  readonly name: string;
  /** The fingerprint of its public key: the first 16 hex digits of the SHA-256 of its SPKI form. */
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A public key whose signatures count here. */
export interface TrustedKey {
  readonly name: string;
  readonly id: string;
  readonly publicKey: KeyObject;
}

export interface KeyRing {
  readonly folder: string;
  /** A secret of this store for one purpose: `rows`, `masks`, `state`. Made once, 32 bytes. */
  secret(purpose: string): Uint8Array;
  /** The key that signs checkpoints of journals here; made at first use. */
  journalKey(): SigningKey;
  /** Keys whose checkpoints count: the own one, and those in `journal/*.pub`. */
  journalKeys(): readonly TrustedKey[];
  /** Keys whose answers count: `approvers/*.pub`. */
  approverKeys(): readonly TrustedKey[];
}
