/** The interface of a corpus for `npm run corpus -- NAME`. */

export interface CorpusOptions {
  /** Only the cases of these classes; all if empty. */
  readonly classes: readonly string[];
  /** Show only the answers of these presets; all if empty. */
  readonly presets: readonly string[];
  /** Also list the lines that need approval. */
  readonly asked: boolean;
  readonly json: boolean;
  /** Really run the lines and compare their effects with the data. */
  readonly observe: boolean;
  /** Also ask the peers of the bench. */
  readonly peers: boolean;
  /** Write the results into the data and into docs/reference/precision.md. */
  readonly write: boolean;
}

export interface Corpus {
  readonly title: string;
  /** Prints a report and returns the exit code. */
  run(options: CorpusOptions): Promise<number>;
}

/** Wrong arguments: exit code 2. */
export class UsageError extends Error {}

/** The cases of the requested classes; all cases if no class was requested. */
export function casesOf<T extends { readonly class: string }>(all: readonly T[], classes: readonly string[]): T[] {
  const known = new Set(all.map((item) => item.class));
  const unknown = classes.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new UsageError(`there is no class "${unknown}"; there are: ${[...known].join(', ')}`);
  return all.filter((item) => classes.length === 0 || classes.includes(item.class));
}
