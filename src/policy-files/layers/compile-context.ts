import type { Catalog } from '../../kernel/catalog/catalog.ts';
import type { CompileOptions } from '../../kernel/policy/compiler/compile-options.ts';

/** What a file is compiled for. */
export interface CompileContext {
  readonly catalog: Catalog;
  /** Who answers, what time it is, what is allowed of args: as the guard has it. */
  readonly options: CompileOptions;
  /** Absolute; relative paths in the file start in its folder. */
  readonly path: string;
  /** True: its conditions were checked against these tools before. */
  readonly alreadyChecked: boolean;
}
