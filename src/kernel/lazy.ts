/** Makes a value when it is asked for the first time, and keeps it: what a short run does not need costs it nothing. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** What a map holds under a key; made, and kept there, if it holds nothing yet. */
export function getOrCreate<K, V>(
  map: { get(key: K): V | undefined; set(key: K, made: V): unknown },
  key: K,
  make: () => V,
): V {
  let found = map.get(key);
  if (found === undefined) {
    found = make();
    map.set(key, found);
  }
  return found;
}
