/** Creates a value on first use and caches it, so a short run does not pay for what it does not need. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The value of a map under `key`; created and stored first if it is missing. */
export function getOrCreate<K, V>(
  map: { get(key: K): V | undefined; set(key: K, made: V): unknown },
  key: K,
  make: () => V,
): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
