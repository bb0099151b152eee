export type Tone = 'plain' | 'dim' | 'strong' | 'good' | 'bad' | 'warn' | 'accent' | 'emphasis' | 'underline';

/** Wraps text in the colour of its tone. */
export type Paint = (tone: Tone, text: string) => string;

const codes: Readonly<Record<Tone, readonly [on: number, off: number] | undefined>> = {
  plain: undefined,
  dim: [2, 22],
  strong: [1, 22],
  good: [32, 39],
  bad: [31, 39],
  warn: [33, 39],
  accent: [36, 39],
  emphasis: [3, 23],
  underline: [4, 24],
};

export function paintWith(colours: boolean): Paint {
  return (tone, text) => {
    const code = colours ? codes[tone] : undefined;
    return code === undefined || text === '' ? text : `\u001B[${code[0]}m${text}\u001B[${code[1]}m`;
  };
}
