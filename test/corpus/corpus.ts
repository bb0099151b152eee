/** What `npm run corpus -- NAME` needs to know about a corpus. */

export interface CorpusOptions {
  /** Only the cases of these classes; all if empty. */
  readonly classes: readonly string[];
  /** Show only the answers of these presets; all if empty. */
  readonly presets: readonly string[];
  /** List the lines that are asked about, too. */
  readonly asked: boolean;
  readonly json: boolean;
  /** Run the lines for real and compare what they do with what the data says. */
  readonly observe: boolean;
  /** Ask the peers of the bench, too. */
  readonly peers: boolean;
  /** Write the results into the data and into docs/reference/precision.md. */
  readonly write: boolean;
}

export interface Corpus {
  readonly title: string;
  /** Prints a report and returns the exit code. */
  run(options: CorpusOptions): Promise<number>;
}

/** A mistake in the arguments: exit code 2. */
export class UsageError extends Error {}

/** The cases of the classes that were asked for, all if none was. */
export function casesOf<T extends { readonly class: string }>(all: readonly T[], classes: readonly string[]): T[] {
  const known = new Set(all.map((item) => item.class));
  const unknown = classes.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw new UsageError(`there is no class "${unknown}"; there are: ${[...known].join(', ')}`);
  return all.filter((item) => classes.length === 0 || classes.includes(item.class));
}
