/** What a word may be where the line shows it without saying which: the value of a loop's variable, say (X08). */

/** One text that a word may be. */
export type Choice =
  | { readonly type: 'text'; readonly value: string }
  /** A pattern of file names where the word stands. In a glob, a backslash makes a letter literal. */
  | { readonly type: 'glob'; readonly glob: string }
  | NameChoice;

/** One of the names that were listed before, with text around it. */
export interface NameChoice {
  readonly type: 'name';
  readonly before: string;
  readonly names: NameList;
  /** Taken off the end of the name, if it ends so: `${f%.ts}`. */
  readonly cut: string;
  readonly after: string;
  /** True: bash or xargs splits and expands the name, so that it has to be a plain one. */
  readonly plain: boolean;
}

/** Names that stand on the disk. */
export interface NameList {
  readonly type: 'glob';
  readonly glob: string;
  /** Where it is expanded, as of FileAccess. */
  readonly from: readonly string[] | undefined;
}

/** More choices than this are not looked at one by one. */
export const mostChoices = 256;

/** What has a meaning in a glob. */
const specials = /[*?[\]\\{}]/g;

export function escapeGlob(text: string): string {
  return text.replaceAll(specials, String.raw`\$&`);
}

/** The choices with this text behind each. */
export function withText(choices: readonly Choice[], text: string): readonly Choice[] {
  if (text === '') return choices;
  return choices.map((choice) => {
    if (choice.type === 'text') return { ...choice, value: choice.value + text };
    if (choice.type === 'glob') return { ...choice, glob: choice.glob + escapeGlob(text) };
    return { ...choice, after: choice.after + text };
  });
}

/** The choices with this pattern behind each; undefined where that cannot be told. */
export function withPattern(choices: readonly Choice[], pattern: string): readonly Choice[] | undefined {
  const made = choices.map((choice): Choice | undefined => {
    if (choice.type === 'text') return { type: 'glob', glob: escapeGlob(choice.value) + pattern };
    return choice.type === 'glob' ? { ...choice, glob: choice.glob + pattern } : undefined;
  });
  return allMade(made);
}

/** Each of the first with each of the others behind it. */
export function withChoices(
  choices: readonly Choice[],
  others: readonly (Choice & { type: 'text' | 'name' })[],
): readonly Choice[] | undefined {
  if (choices.length * others.length > mostChoices) return undefined;
  return allMade(
    choices.flatMap((choice) =>
      others.map((other) => {
        if (other.type === 'text') return withText([choice], other.value)[0];
        return choice.type === 'text' ? { ...other, before: choice.value + other.before } : undefined;
      }),
    ),
  );
}

function allMade(made: readonly (Choice | undefined)[]): readonly Choice[] | undefined {
  return made.every((choice) => choice !== undefined) ? made : undefined;
}

/** How a choice begins, as far as it is known. */
export function startOfChoice(choice: Choice): string {
  if (choice.type === 'text') return choice.value;
  if (choice.type === 'glob') return startOfGlob(choice.glob);
  return choice.before === '' ? startOfGlob(choice.names.glob) : choice.before;
}

function startOfGlob(glob: string): string {
  return /^(?:\\.|[^*?[\\])*/su.exec(glob)?.[0].replaceAll(/\\(.)/gsu, '$1') ?? '';
}

/** The choices without their first letters; undefined if these are not known of each. */
export function withoutStart(choices: readonly Choice[] | undefined, length: number): readonly Choice[] | undefined {
  if (choices === undefined || length === 0) return choices;
  return allMade(
    choices.map((choice) => {
      if (choice.type === 'text' && choice.value.length >= length)
        return { ...choice, value: choice.value.slice(length) };
      if (choice.type === 'name' && choice.before.length >= length)
        return { ...choice, before: choice.before.slice(length) };
      return undefined;
    }),
  );
}
