/**
 * Command lines that mean the same in bash, zsh and dash: plain words, simple quotes, simple redirections, and commands
 * joined by `&&`, `||`, `|`, `;` and line breaks. Facts about such a line hold even if the host does not use bash.
 */

const maxLength = 16 * 1024;

/** Names that are keywords, change the shell, or mean something else in one of the shells. */
const notPortable = new Set(
  (
    'if then elif else fi for foreach while until repeat do done case esac in select function time coproc end noglob ' +
    'nocorrect exec eval command builtin source set setopt unsetopt emulate shopt alias unalias hash rehash unhash ' +
    'trap enable disable declare typeset local readonly export integer float let read mapfile readarray unset fc ' +
    'history r print pushd popd dirs chdir bye log where whence which type limit unlimit ulimit umask autoload ' +
    'functions zmodload sched vared break continue return shift logout getopts wait fg bg jobs suspend times'
  ).split(' '),
);

/** Commands of the shells themselves that may read an argument as a number. */
const arithmetic = new Set(['[', 'exit', 'kill', 'printf', 'test']);

const blank = /[ \t]+/y;
/** A backslash before a line break would join lines, and `&` alone or `;;` is not in the subset. */
const operator = /&&|\|\|(?!\|)|\|(?![|&])|;(?![;&|])|\n/y;
const redirect = /[12]?(?:>&[12](?=[\s;|&]|$)|>>?(?![>&|!(])[ \t]*|<(?=[ \tA-Za-z./_~'"])[ \t]*)/y;
const pieces = [
  '[A-Za-z0-9_@%+,:./-]',
  '(?<=[A-Za-z0-9_@%+,:./-])=', // At the start of a word, zsh looks the rest up in PATH.
  '(?<!\\*)\\*(?!\\*)|\\?', // zsh follows `**` into subfolders.
  "'[^'\\p{Cc}]*'(?!')", // Two quotes in a row may be one quote in zsh.
  '"[^"$`\\\\!\\p{Cc}]*"',
];
const word = new RegExp(
  `(?:[\\[\\]=]|\\{\\})(?=[\\s;|&]|$)|(?:~(?=/|[\\s;|&]|$))?(?:${pieces.join('|')})+|~(?=[\\s;|&]|$)`,
  'uy',
);
const assignment = /^[A-Z][A-Z0-9_]*=[A-Za-z0-9_@%+,:./-]*$/;
const commandName = /^(?:[A-Za-z0-9_/][A-Za-z0-9_./+-]*|\.{1,2}\/[A-Za-z0-9_./+-]+|\[)$/;
/** A pattern next to quotes, or one for names that start with a dot: the shells disagree on `.` and `..`. */
const oddPattern = /^(?=.*[*?])(?:.*["']|(?:.*\/)?\.[.]?[*?])/;
const quoted = /^(?:[^*?"']|"[^"]*"|'[^']*')*$/;

interface SimpleCommand {
  readonly words: string[];
  readonly assignments: string[];
  writes: number;
  reads: number;
}

export function isPortableCommand(line: string): boolean {
  if (line.length > maxLength) return false;
  const pipelines = readLine(line);
  return pipelines !== undefined && pipelines.every((pipeline) => isPortablePipeline(pipeline, line));
}

/** The pipelines of the line; undefined if it contains anything outside the subset. */
function readLine(line: string): readonly (readonly SimpleCommand[])[] | undefined {
  const pipelines: SimpleCommand[][] = [];
  let pipeline: SimpleCommand[] = [];
  let command = emptyCommand();
  let expectsCommand = false;
  for (let at = 0; at < line.length;) {
    const space = matchAt(blank, line, at);
    at += space.length;
    if (at === line.length) break;
    const end = matchAt(operator, line, at);
    if (end !== '') {
      at += end.length;
      if (isEmpty(command)) {
        // A line may be empty, and a line break may follow an operator.
        if (end !== '\n') return undefined;
        continue;
      }
      pipeline.push(command);
      command = emptyCommand();
      expectsCommand = end !== ';' && end !== '\n';
      if (end === '|') continue;
      pipelines.push(pipeline);
      pipeline = [];
      continue;
    }
    const isSeparate = at === 0 || /[\s;|&]/.test(line[at - 1] ?? '');
    const length = isSeparate ? readPart(command, line, at) : 0;
    if (length === 0) return undefined;
    at += length;
  }
  if (isEmpty(command)) return expectsCommand ? undefined : pipelines;
  return [...pipelines, [...pipeline, command]];
}

function emptyCommand(): SimpleCommand {
  return { words: [], assignments: [], writes: 0, reads: 0 };
}

function isEmpty({ words, assignments, writes, reads }: SimpleCommand): boolean {
  return words.length + assignments.length + writes + reads === 0;
}

/** Reads a redirection or a word into the command, and returns its length. */
function readPart(command: SimpleCommand, line: string, at: number): number {
  const arrow = matchAt(redirect, line, at);
  if (arrow === '') {
    const text = matchAt(word, line, at);
    const isAssignment = command.words.length === 0 && /^[A-Za-z_]\w*\+?=/.test(text);
    (isAssignment ? command.assignments : command.words).push(text);
    return text.length;
  }
  if (arrow.includes('&')) return arrow.length;
  if (arrow.includes('<')) command.reads++;
  else if (!arrow.startsWith('2')) command.writes++;
  const target = matchAt(word, line, at + arrow.length);
  return target === '' || /[*?]/.test(target) || target === '[' ? 0 : arrow.length + target.length;
}

function matchAt(pattern: RegExp, line: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(line)?.[0] ?? '';
}

function isPortablePipeline(pipeline: readonly SimpleCommand[], line: string): boolean {
  return pipeline.every(({ words, assignments, writes, reads }, index) => {
    const [name = ''] = words;
    if (
      !commandName.test(name) ||
      notPortable.has(name) ||
      words.some((each) => oddPattern.test(each) && !quoted.test(each))
    )
      return false;
    if (!assignments.every((each) => assignment.test(each)) || (assignments.length > 0 && line.includes('~')))
      return false;
    // zsh sends output to a file and to a pipe at the same time.
    if (writes > 1 || reads > 1 || (writes === 1 && index < pipeline.length - 1) || (reads === 1 && index > 0))
      return false;
    // zsh evaluates arguments of its own commands as arithmetic, which runs `a[$(…)]`.
    if (arithmetic.has(name) && words.some((each) => each.includes('[') && /[$`]/.test(each))) return false;
    // Each echo has other escapes and options.
    if (name === 'echo' && (line.includes('\\') || words.some((each) => /^["']*-/.test(each)))) return false;
    return name !== 'cd' || (pipeline.length === 1 && words.length <= 2 && !/^["']*[-+]|[*?]/.test(words[1] ?? ''));
  });
}
