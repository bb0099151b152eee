/** Selections and text fields in the terminal. They return `undefined` if nothing was chosen. */

import type { Readable, Writable } from 'node:stream';
import type * as Prompts from '@clack/prompts';
import type { MaybePromise } from '../../kernel/maybe-promise.ts';

export interface DialogChoice<Value extends string | number> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

export interface DialogParts {
  readonly prompts: typeof Prompts;
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  /** Shows text above the dialog. */
  readonly show: (text: string) => void;
}

export interface TextField {
  readonly message: string;
  readonly initial?: string | undefined;
  /** Returns what is wrong with the text; undefined if it is valid. */
  readonly problem?: ((text: string) => MaybePromise<string | undefined>) | undefined;
}

export class Dialog {
  constructor(private readonly parts: DialogParts) {}

  show(text: string): void {
    this.parts.show(text);
  }

  /** Asks for one choice; the cursor starts on `initial`. */
  async select<Value extends string | number>(
    message: string,
    choices: readonly DialogChoice<Value>[],
    initial: Value,
  ): Promise<Value | undefined> {
    const { prompts } = this.parts;
    const options = choices.map(clackOption) as Prompts.Option<Value>[];
    return this.runPrompt((common) => prompts.select<Value>({ ...common, message, options, initialValue: initial }));
  }

  /** Asks for any number of choices. */
  async selectMany<Value extends string | number>(
    message: string,
    choices: readonly DialogChoice<Value>[],
  ): Promise<readonly Value[] | undefined> {
    const { prompts } = this.parts;
    const options = choices.map(clackOption) as Prompts.Option<Value>[];
    return this.runPrompt((common) => prompts.multiselect<Value>({ ...common, message, options, required: false }));
  }

  async text({ message, initial = '', problem }: TextField): Promise<string | undefined> {
    const { prompts } = this.parts;
    const validate = (text = ''): MaybePromise<string | undefined> => problem?.(text);
    // For an empty field, the library returns undefined.
    return this.runPrompt(
      async (common) => (await prompts.text({ ...common, message, initialValue: initial, validate })) ?? '',
    );
  }

  private async runPrompt<T>(
    prompt: (common: PromptOptions) => Promise<T | typeof Prompts.CANCEL_SYMBOL>,
  ): Promise<T | undefined> {
    const { prompts, input, output, signal } = this.parts;
    const own = new AbortController();
    const withdraw = (): void => own.abort();
    // A prompt never stops listening to its signal: an abort long after it has closed would end raw mode.
    signal.addEventListener('abort', withdraw, { once: true });
    if (signal.aborted) withdraw();
    try {
      const given = await prompt({ input, output, signal: own.signal });
      return prompts.isCancel(given) ? undefined : given;
    } finally {
      signal.removeEventListener('abort', withdraw);
    }
  }
}

type PromptOptions = Pick<DialogParts, 'input' | 'output' | 'signal'>;

function clackOption({ value, label, hint }: DialogChoice<string | number>): object {
  return { value, label, ...(hint === undefined ? {} : { hint }) };
}
