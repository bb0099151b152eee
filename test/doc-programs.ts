/** Finds the programs in a document: its `ts` blocks, joined if one continues another. */

export interface DocProgram {
  readonly path: string;
  /** The line of the document the first block starts at. */
  readonly line: number;
  /** The code; each line keeps its line number in the document. */
  readonly code: string;
  /** False if a block is marked `no-run`. */
  readonly runs: boolean;
  /** True if a block is marked `alone`: it needs a process of its own. */
  readonly alone: boolean;
  /** The output that the document shows for the program. */
  readonly output: string | undefined;
}

interface Fence {
  readonly info: string;
  /** The first and last line inside the fence, starting at 0. */
  readonly from: number;
  readonly to: number;
  /** The nearest line before the fence that is not empty. */
  readonly before: number;
}

const continues = '<!-- continues -->';

export function programsIn(path: string, text: string): DocProgram[] {
  const lines = text.split('\n');
  const programs: Fence[][] = [];
  const outputs: string[][] = [];
  let last: Fence | undefined;
  for (const fence of fencesIn(lines)) {
    const [language, ...flags] = fence.info.split(/\s+/);
    if (language === 'ts') {
      if (lines[fence.before]?.trim() === continues && programs.length > 0) programs.at(-1)?.push(fence);
      else outputs[programs.push([fence]) - 1] = [];
    } else if (fence.info === 'text output' && last?.info.startsWith('ts') && follows(lines, last, fence)) {
      outputs.at(-1)?.push(lines.slice(fence.from, fence.to + 1).join('\n'));
    } else if (flags.includes('output')) {
      throw new SyntaxError(`${path}:${fence.from}: an output that follows no program`);
    }
    last = fence;
  }
  return programs.map((fences, index) => assemble(path, lines, { fences, outputs: outputs[index] ?? [] }));
}

/** A fenced block that is not a program: a policy, or a few shell lines. */
export interface DocBlock {
  readonly path: string;
  /** The line of the document where its text starts. */
  readonly line: number;
  readonly language: string;
  /** What follows the language on the fence. */
  readonly flags: readonly string[];
  readonly text: string;
}

/** The blocks in one of these languages; all blocks by default. */
export function blocksIn(path: string, text: string, languages?: readonly string[]): DocBlock[] {
  const lines = text.split('\n');
  return fencesIn(lines).flatMap(({ info, from, to }) => {
    const [language = '', ...flags] = info.split(/\s+/);
    if (languages?.includes(language) === false) return [];
    return [{ path, line: from + 1, language, flags, text: `${lines.slice(from, to + 1).join('\n')}\n` }];
  });
}

/**
 * The commands of a block, split into words: every line in `sh`, the lines after a `$` in `console`. Leaves out
 * comments, quoted words and other lines.
 */
export function commandsIn({ language, text }: DocBlock): string[][] {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  const typed =
    language === 'console' ? lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)) : lines;
  return typed
    .flatMap((line) =>
      withoutQuotes(line)
        .replace(/(^|\s)#.*$/, '')
        .split(/&&|\|\|?|;/),
    )
    .map((command) =>
      command
        .trim()
        .split(/\s+/)
        .filter((word) => word !== ''),
    )
    .filter((words) => words.length > 0);
}

/** The values of `name=` on the fence of a block. */
export function flagsOf({ flags }: DocBlock, name: string): readonly string[] {
  return flags.filter((flag) => flag.startsWith(`${name}=`)).map((flag) => flag.slice(name.length + 1));
}

/** The content of a `console` block: each command as typed, and its output. */
export function transcriptOf({ text }: DocBlock): { readonly typed: string; readonly printed: string }[] {
  const [, ...parts] = `\n${text}`.split('\n$ ');
  return parts.map((part) => {
    const [, typed = '', printed = ''] = /^((?:.*\\\n)*.*)\n?([^]*)$/.exec(part) ?? [];
    return { typed, printed: printed.trim() };
  });
}

/**
 * Returns the printed text if it matches what is shown, otherwise what is shown. `…` matches any text on a line; a line
 * with nothing else matches any number of lines.
 */
export function filledIn(shown: string, printed: string): string {
  const pattern = shown
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\n)*?' : `${line.split('…').map(escaped).join('.+')}\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(`${printed}\n`) ? printed : shown;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

function withoutQuotes(line: string): string {
  return line.replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"/g, '…');
}

/** True if nothing is between them, except the end of a fold. */
function follows(lines: readonly string[], program: Fence, output: Fence): boolean {
  return output.before === program.to + 1 || lines[output.before]?.trim() === '</details>';
}

/** The text of a document without its fenced blocks. */
export function proseOf(text: string): string {
  const lines = text.split('\n');
  for (const { from, to } of fencesIn(lines)) lines.fill('', from, to + 1);
  return lines.join('\n');
}

function assemble(
  path: string,
  lines: readonly string[],
  { fences, outputs }: { fences: readonly Fence[]; outputs: readonly string[] },
): DocProgram {
  const flags = fences.flatMap((fence) => fence.info.split(/\s+/));
  const code = Array.from(lines, (line, at) => (fences.some(({ from, to }) => at >= from && at <= to) ? line : ''));
  return {
    path,
    line: (fences[0]?.from ?? 0) + 1,
    code: `${code.join('\n').trimEnd()}\nexport {};\n`,
    runs: !flags.includes('no-run'),
    alone: flags.includes('alone'),
    output: outputs.length > 0 ? outputs.join('\n') : undefined,
  };
}

function fencesIn(lines: readonly string[]): Fence[] {
  const fences: Fence[] = [];
  let open: { info: string; from: number; before: number; ticks: string } | undefined;
  let before = -1;
  for (const [at, line] of lines.entries()) {
    const [, ticks = '', info = ''] = /^\s*(`{3,})([^`]*)$/.exec(line) ?? [];
    if (open === undefined && ticks !== '') open = { info: info.trim(), from: at + 1, before, ticks };
    else if (open !== undefined && ticks.length >= open.ticks.length && info.trim() === '') {
      fences.push({ info: open.info, from: open.from, to: at - 1, before: open.before });
      open = undefined;
    }
    if (line.trim() !== '') before = at;
  }
  return fences;
}
