/** What a word may be where the line shows it without saying which: the value of a loop's variable, say (X08). */

/** One text that a word may be. */
export type WordChoice =
  | { readonly type: 'text'; readonly value: string }
  /** A pattern of file names where the word stands. In a glob, a backslash makes a letter literal. */
  | { readonly type: 'glob'; readonly glob: string }
  | NameChoice;

/** A choice that a variable may hold. */
export type VariableChoice = WordChoice & { readonly type: 'text' | 'name' };

/** One of the names that were listed before, with text around it. */
export interface NameChoice {
  readonly type: 'name';
  readonly before: string;
  readonly names: NameList;
  /** Taken off the end of the name, if it ends so: `${f%.ts}`. */
  readonly cut: string;
  readonly after: string;
  /** True: bash or xargs splits and expands the name, so that it has to be a plain one. `line`: it has to be one line. */
  readonly plain: boolean | 'line';
}

/** Names that stand on the disk. */
export type NameList = GlobNames | SearchedNames;

interface GlobNames {
  readonly type: 'glob';
  readonly glob: string;
  /** Where it is expanded, as of FileAccess. */
  readonly from: readonly string[] | undefined;
  /** True: it stands for its names only if none of them is a folder, as for `ls`. */
  readonly filesOnly?: boolean | undefined;
}

/** What a program prints or hands on that looks through folders: these names, or some of them. */
export interface SearchedNames {
  readonly type: 'found';
  readonly from: readonly string[] | undefined;
  /** The folders or files it starts from, as written. */
  readonly roots: readonly string[];
  /** True: names begin with the folder they were found from, as `find` prints them. */
  readonly rooted: boolean;
  readonly test: FileTest;
  /** The action that prints them or hands them on. */
  readonly action: number;
  /** True: hidden files, too. */
  readonly hidden: boolean;
  /** True: lines with `!` in `.ignore` and the like bring hidden files back. */
  readonly ignores?: boolean | undefined;
  /** False: what is pruned is looked through all the same. */
  readonly prunes: boolean;
  /** How far below its start a name stands. */
  readonly minDepth: number;
  readonly maxDepth: number;
  /** True of fd, which puts a slash behind a folder: then its name may be followed by one. */
  readonly slashes: boolean;
  /** True of git, which prints what it has tracked: it may be gone, or lie behind a link by now. */
  readonly tracked: boolean;
}

/** A test of one path. What nobody can tell is `perhaps`. */
export type FileTest =
  /** By its last name, or as a whole; `folds`: in any case of letters. */
  | { readonly type: 'name' | 'path'; readonly pattern: string; readonly folds: boolean }
  /** One of the letters of `find -type`. */
  | { readonly type: 'kind'; readonly kinds: string }
  | { readonly type: 'true' | 'false' | 'perhaps' | 'prune' }
  | { readonly type: 'action'; readonly index: number; readonly succeeds: boolean }
  | { readonly type: 'not'; readonly test: FileTest }
  | { readonly type: 'all' | 'any'; readonly tests: readonly FileTest[] };

/** More choices than this are not looked at one by one. */
export const maxChoices = 256;
/** No path is longer (PATH_MAX). */
export const maxWordLength = 4096;
/** The texts that one word may be, taken together. */
const maxTotalLength = 16_384;

/** A choice costs more than its letters. */
const choiceCost = 16;

/** What these texts cost to keep, in letters. Undefined: one of them is too long, or all together are. */
export function costOfChoices(choices: readonly WordChoice[]): number | undefined {
  let all = 0;
  for (const choice of choices) {
    const letters = lengthOf(choice);
    all += letters + choiceCost;
    if (letters > maxWordLength || all > maxTotalLength) return undefined;
  }
  return all;
}

function lengthOf(choice: WordChoice): number {
  if (choice.type === 'text') return choice.value.length;
  return choice.type === 'glob' ? choice.glob.length : choice.before.length + choice.cut.length + choice.after.length;
}

/** What has a meaning in a glob. */
const special = /[*?[\]\\{}]/;
const specials = /[*?[\]\\{}]/g;

export function escapeGlob(text: string): string {
  return special.test(text) ? text.replaceAll(specials, String.raw`\$&`) : text;
}

/** The choices with this text behind each. */
export function appendText(choices: readonly WordChoice[], text: string): readonly WordChoice[] {
  if (text === '') return choices;
  return choices.map((choice) => {
    if (choice.type === 'text') return { ...choice, value: choice.value + text };
    if (choice.type === 'glob') return { ...choice, glob: choice.glob + escapeGlob(text) };
    return { ...choice, after: choice.after + text };
  });
}

/** The choices with this pattern behind each; undefined where that cannot be told. */
export function appendPattern(choices: readonly WordChoice[], pattern: string): readonly WordChoice[] | undefined {
  const made = choices.map((choice): WordChoice | undefined => {
    if (choice.type === 'text') return { type: 'glob', glob: escapeGlob(choice.value) + pattern };
    return choice.type === 'glob' ? { ...choice, glob: choice.glob + pattern } : undefined;
  });
  return allDefined(made);
}

/** Each of the first with each of the others behind it. */
export function appendChoices(
  choices: readonly WordChoice[],
  others: readonly VariableChoice[],
): readonly WordChoice[] | undefined {
  if (choices.length * others.length > maxChoices) return undefined;
  return allDefined(
    choices.flatMap((choice) =>
      others.map((other) => {
        if (other.type === 'text') return appendText([choice], other.value)[0];
        return choice.type === 'text' ? { ...other, before: choice.value + other.before } : undefined;
      }),
    ),
  );
}

function allDefined(made: readonly (WordChoice | undefined)[]): readonly WordChoice[] | undefined {
  return made.every((choice) => choice !== undefined) ? made : undefined;
}

/** How a choice begins, as far as it is known. */
export function knownStart(choice: WordChoice): string {
  if (choice.type === 'text') return choice.value;
  if (choice.type === 'glob') return startOfGlob(choice.glob);
  return choice.before === '' ? startOfNames(choice.names) : choice.before;
}

function startOfNames(names: NameList): string {
  if (names.type === 'glob') return startOfGlob(names.glob);
  const [root = ''] = names.roots;
  return names.rooted && names.roots.every((other) => other.charAt(0) === root.charAt(0)) ? root.charAt(0) : '';
}

function startOfGlob(glob: string): string {
  return /^(?:\\.|[^*?[\\])*/su.exec(glob)?.[0].replaceAll(/\\(.)/gsu, '$1') ?? '';
}

/** The choices without their first letters; undefined if these are not known of each. */
export function dropStart(
  choices: readonly WordChoice[] | undefined,
  length: number,
): readonly WordChoice[] | undefined {
  if (choices === undefined || length === 0) return choices;
  return allDefined(
    choices.map((choice) => {
      if (choice.type === 'text' && choice.value.length >= length)
        return { ...choice, value: choice.value.slice(length) };
      if (choice.type === 'name' && choice.before.length >= length)
        return { ...choice, before: choice.before.slice(length) };
      return undefined;
    }),
  );
}

/** A name as it was listed. */
export function nameChoice(names: NameList, plain: NameChoice['plain']): NameChoice {
  return { type: 'name', before: '', names, cut: '', after: '', plain };
}
