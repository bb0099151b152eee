/**
 * The texts that a word may stand for, if the line shows them all but not which one applies, as for a loop variable
 * (X08).
 */

/** One text that a word may stand for. */
export type WordChoice =
  | { readonly type: 'text'; readonly value: string }
  /** A glob pattern, expanded where the word is used. A backslash makes a character literal. */
  | { readonly type: 'glob'; readonly glob: string }
  | NameChoice;

/** A choice that a variable may hold. */
export type VariableChoice = WordChoice & { readonly type: 'text' | 'name' };

/** One of several listed names, with text around it. */
export interface NameChoice {
  readonly type: 'name';
  readonly before: string;
  readonly names: NameList;
  /** Removed from the end of the name, if present: `${f%.ts}`. */
  readonly cut: string;
  readonly after: string;
  /** True: bash or xargs splits and expands the name, so it must be plain. `line`: it must be a single line. */
  readonly plain: boolean | 'line';
}

/** Names on the disk. */
export type NameList = GlobNames | SearchedNames;

interface GlobNames {
  readonly type: 'glob';
  readonly glob: string;
  /** Where it is expanded; see `FileAccess.from`. */
  readonly from: readonly string[] | undefined;
  /** True: it lists its names only if none is a folder, as for `ls`. */
  readonly filesOnly?: boolean | undefined;
}

/** Names that a program finds by searching folders and prints or passes on: all of them or some. */
export interface SearchedNames {
  readonly type: 'found';
  readonly from: readonly string[] | undefined;
  /** The folders or files it starts from, as written. */
  readonly roots: readonly string[];
  /** True: names start with their root folder, as `find` prints them. */
  readonly rooted: boolean;
  readonly test: FileTest;
  /** The action that prints them or passes them on. */
  readonly action: number;
  /** True: including hidden files. */
  readonly hidden: boolean;
  /** True: lines with `!` in `.ignore` and similar files include hidden files again. */
  readonly ignores?: boolean | undefined;
  /** False: pruned folders are searched anyway. */
  readonly prunes: boolean;
  /** How deep below its root a name may be. */
  readonly minDepth: number;
  readonly maxDepth: number;
  /** True for fd, which appends a slash to a folder. */
  readonly slashes: boolean;
  /** True for git, which prints tracked names: the file may be gone, or behind a link by now. */
  readonly tracked: boolean;
}

/** A test of one path. `perhaps`: the result is not known. */
export type FileTest =
  /** Matches the last name or the whole path. `folds`: ignoring case. */
  | { readonly type: 'name' | 'path'; readonly pattern: string; readonly folds: boolean }
  /** Letters of `find -type`. */
  | { readonly type: 'kind'; readonly kinds: string }
  | { readonly type: 'true' | 'false' | 'perhaps' | 'prune' }
  | { readonly type: 'action'; readonly index: number; readonly succeeds: boolean }
  | { readonly type: 'not'; readonly test: FileTest }
  | { readonly type: 'all' | 'any'; readonly tests: readonly FileTest[] };

/** Beyond this, choices are not inspected one by one. */
export const maxChoices = 256;
/** The longest possible path (PATH_MAX). */
export const maxWordLength = 4096;
/** The total length of the texts that one word may stand for. */
const maxTotalLength = 16_384;

/** A choice costs more than its length. */
const choiceCost = 16;

/** The cost of keeping these texts. Undefined if one of them, or their total, is too long. */
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

/** Special characters in a glob. */
const special = /[*?[\]\\{}]/;
const specials = /[*?[\]\\{}]/g;

export function escapeGlob(text: string): string {
  return special.test(text) ? text.replaceAll(specials, String.raw`\$&`) : text;
}

/** Appends the text to each choice. */
export function appendText(choices: readonly WordChoice[], text: string): readonly WordChoice[] {
  if (text === '') return choices;
  return choices.map((choice) => {
    if (choice.type === 'text') return { ...choice, value: choice.value + text };
    if (choice.type === 'glob') return { ...choice, glob: choice.glob + escapeGlob(text) };
    return { ...choice, after: choice.after + text };
  });
}

/** Appends the pattern to each choice. Undefined if that is not possible. */
export function appendPattern(choices: readonly WordChoice[], pattern: string): readonly WordChoice[] | undefined {
  const made = choices.map((choice): WordChoice | undefined => {
    if (choice.type === 'text') return { type: 'glob', glob: escapeGlob(choice.value) + pattern };
    return choice.type === 'glob' ? { ...choice, glob: choice.glob + pattern } : undefined;
  });
  return allDefined(made);
}

/** Appends each of the others to each of the choices. */
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

/** The known start of a choice. */
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

/** The choices without their first characters. Undefined if these are not known for each. */
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
