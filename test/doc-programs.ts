/** Finds the programs that a document holds: its `ts` blocks, joined where one continues another. */

export interface DocProgram {
  readonly path: string;
  /** The line of the document the first block starts at. */
  readonly line: number;
  /** The code, each line at the line number it has in the document. */
  readonly code: string;
  /** False where a block says `no-run`. */
  readonly runs: boolean;
  /** What the document says the program prints. */
  readonly output: string | undefined;
}

interface Fence {
  readonly info: string;
  /** The first and the last line inside the fence, counted from 0. */
  readonly from: number;
  readonly to: number;
  /** The nearest line before the fence that is not blank. */
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

/** A fenced block that is not a program of its own: a policy, a few lines for a shell. */
export interface DocBlock {
  readonly path: string;
  /** The line of the document its text starts at. */
  readonly line: number;
  readonly language: string;
  /** What follows the language on the fence. */
  readonly flags: readonly string[];
  readonly text: string;
}

/** The blocks in one of these languages; all of them if none is named. */
export function blocksIn(path: string, text: string, languages?: readonly string[]): DocBlock[] {
  const lines = text.split('\n');
  return fencesIn(lines).flatMap(({ info, from, to }) => {
    const [language = '', ...flags] = info.split(/\s+/);
    if (languages?.includes(language) === false) return [];
    return [{ path, line: from + 1, language, flags, text: `${lines.slice(from, to + 1).join('\n')}\n` }];
  });
}

/**
 * The commands of a block, each as its words: in `sh` every line is one, in `console` those after a `$`. Comments, words
 * in quotes and what stands in other lines are left out.
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

/** What stands behind `name=` on the fence of a block, once for each time it is there. */
export function flagsOf({ flags }: DocBlock, name: string): readonly string[] {
  return flags.filter((flag) => flag.startsWith(`${name}=`)).map((flag) => flag.slice(name.length + 1));
}

/** What a `console` block shows: each command as it is typed, and what it prints until the next one. */
export function transcriptOf({ text }: DocBlock): { readonly typed: string; readonly printed: string }[] {
  const [, ...parts] = `\n${text}`.split('\n$ ');
  return parts.map((part) => {
    const [, typed = '', printed = ''] = /^((?:.*\\\n)*.*)\n?([^]*)$/.exec(part) ?? [];
    return { typed, printed: printed.trim() };
  });
}

/**
 * The text as it was printed, if it is what is shown; else what is shown. In it `…` stands for any text on the line, and
 * a line that is nothing else for any number of lines.
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

/** True if nothing stands between, except the end of a fold. */
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
  const code = Array.from(lines, (line, at) => (fences.some(({ from, to }) => at >= from && at <= to) ? line : ''));
  return {
    path,
    line: (fences[0]?.from ?? 0) + 1,
    code: `${code.join('\n').trimEnd()}\nexport {};\n`,
    runs: !fences.some((fence) => fence.info.split(/\s+/).includes('no-run')),
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
