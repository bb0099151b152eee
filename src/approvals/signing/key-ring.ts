/** The keys of one user on one machine. They seal rows and sign journals and answers; no tool may read their folder. */

import type { KeyObject } from 'node:crypto';

export interface SigningKey {
  /** The name of its owner. */
  readonly name: string;
  /** The fingerprint of its public key: the first 16 hex digits of the SHA-256 of its SPKI form. */
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A public key whose signatures are trusted here. */
export interface TrustedKey {
  readonly name: string;
  readonly id: string;
  readonly publicKey: KeyObject;
}

export interface KeyRing {
  readonly folder: string;
  /** A secret for one purpose, such as `rows`, `masks` or `state`: 32 bytes, derived from the secret of the store. */
  secret(purpose: string): Uint8Array;
  /** The key that signs journal checkpoints here; created on first use. */
  journalKey(): SigningKey;
  /** Fails if there is no usable key for checkpoints. */
  mustSign(): void;
  /** Trusted checkpoint keys: the own key and `journal/*.pub`. */
  journalKeys(): readonly TrustedKey[];
  /** Trusted approver keys: `approvers/*.pub`. */
  approverKeys(): readonly TrustedKey[];
}
