/** Imports a module by its URL. Bundles of code that must start quickly cannot import, so it is passed to them. */

export async function importModule(url: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(url)) as Readonly<Record<string, unknown>>;
}
