/** Branded ids. All ids are created here. */

declare const brand: unique symbol;
type Id<Kind extends string> = string & { readonly [brand]: Kind };

export type SessionId = Id<'session'>;
export type CallId = Id<'call'>;
export type ApprovalId = Id<'approval'>;

/** A new unguessable id. */
export function newId<Kind extends SessionId | CallId | ApprovalId>(): Kind {
  return globalThis.crypto.randomUUID() as Kind;
}
