/** The options that all ready-made hooks share, and their checks: one error lists all problems. */

import type { HookOptions } from '../../kernel/hooks/registration/hook.ts';
import * as is from '../../kernel/shapes.ts';
import { readOptions, type Shape, type ShapesOf } from '../../kernel/shapes.ts';

/** Options of every ready-made hook. */
export interface ReadyMadeOptions {
  /** Required if the same kind of hook is used twice, since names are unique. */
  readonly name?: string | undefined;
  /** Lower runs first, or last at points that run in reverse. */
  readonly priority?: number | undefined;
  /** The timeout of one asynchronous answer. */
  readonly timeoutMs?: number | undefined;
}

const sharedShapes: ShapesOf<ReadyMadeOptions> = {
  name: is.nonEmptyText,
  priority: is.anyNumber,
  timeoutMs: is.finitePositive,
};

interface ExpectedOptions {
  readonly shapes: Readonly<Record<string, Shape<unknown>>>;
  readonly needed?: readonly string[];
  /** Which of the shared options are allowed. Default: all. */
  readonly shared?: readonly (keyof ReadyMadeOptions)[];
}

/** Throws one error that lists all problems of the options. */
export function checkHookOptions(hook: string, options: object, expected: ExpectedOptions): void {
  const { shapes, needed = [], shared = ['name', 'priority', 'timeoutMs'] } = expected;
  const common = Object.fromEntries(shared.map((option) => [option, sharedShapes[option]]));
  readOptions(hook, options, is.options({ ...shapes, ...common }, { needed }));
}

/** The name and options of the hook itself, with defaults. */
export function hookSettings<Defaults extends HookOptions & { readonly name: string }>(
  { name, priority, timeoutMs }: ReadyMadeOptions,
  defaults: Defaults,
): Defaults & Pick<HookOptions, 'priority' | 'timeoutMs'> & { readonly name: string } {
  return {
    ...defaults,
    name: name ?? defaults.name,
    priority: priority ?? defaults.priority,
    timeoutMs: timeoutMs ?? defaults.timeoutMs,
  };
}
