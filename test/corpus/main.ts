/** `npm run corpus -- NAME`: reads the arguments and runs one corpus. */

import { parseArgs } from 'node:util';
import { type Corpus, type CorpusOptions, UsageError } from './corpus.ts';
import { everyday } from './everyday/everyday.ts';
import { hostile } from './hostile.ts';

const corpora: Readonly<Record<string, Corpus>> = { everyday, hostile };

const help = `npm run corpus -- NAME [options]

Decides a corpus of command lines and prints how many are allowed, need approval, or are denied.

Corpora:
${Object.entries(corpora)
  .map(([name, { title }]) => `  ${name.padEnd(12)}${title}`)
  .join('\n')}

Options:
  --class NAME   only this class; may be repeated
  --preset NAME  only the answers of this preset; may be repeated (everyday)
  --asked        also list the lines that need approval (everyday)
  --json         one JSON line per case instead of tables
  --observe      run the lines with the real bash in a sandbox and compare their effects with the data
                 (hostile)
  --peers        also ask Gemini CLI's policy engine and cc-safety-net; needs "npm ci --prefix bench"
  --write        update the data and docs/reference/precision.md with the results
  --help         print this text

Exit codes: 0 success; 1 a wrong allow, a line with other effects than the data (--observe), or an exceeded bound
(everyday); 2 wrong arguments.
`;

export async function main(args: readonly string[]): Promise<number> {
  try {
    const parsed = readArgs(args);
    if (parsed !== undefined) return await parsed.corpus.run(parsed.options);
    process.stdout.write(help);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`corpus: ${error.message}\n`);
    return 2;
  }
}

function readArgs(args: readonly string[]): { corpus: Corpus; options: CorpusOptions } | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const known = Object.keys(corpora).join(', ');
  const [name, ...more] = positionals;
  if (name === undefined) throw new UsageError(`name a corpus: ${known}`);
  const corpus = Object.hasOwn(corpora, name) ? corpora[name] : undefined;
  if (corpus === undefined) throw new UsageError(`there is no corpus "${name}"; there are: ${known}`);
  if (more.length > 0) throw new UsageError(`one corpus at a time, not also "${more.join('", "')}"`);
  const { class: classes, preset: presets, asked, json, observe, peers, write } = values;
  if (write && classes.length > 0) throw new UsageError('--write needs all classes');
  return { corpus, options: { classes, presets, asked, json, observe, peers, write } };
}

function parse(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const named = { type: 'string', multiple: true, default: [] as string[] } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        class: named,
        preset: named,
        asked: flag,
        json: flag,
        observe: flag,
        peers: flag,
        write: flag,
        help: flag,
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
