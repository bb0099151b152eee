/** Makes a value when it is asked for the first time, and keeps it: what a short run does not need costs it nothing. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
