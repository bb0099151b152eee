import type { Catalog } from '../../kernel/catalog/catalog.ts';
import type { CompileOptions } from '../../kernel/policy/compiler/compile-options.ts';

/** The context a policy file is compiled in. */
export interface CompileContext {
  readonly catalog: Catalog;
  /** Approver, clock and limits, as the guard has them. */
  readonly options: CompileOptions;
  /** Absolute path of the file. Relative paths in the file start in its folder. */
  readonly path: string;
  /** True if its conditions were checked against these tools before. */
  readonly alreadyChecked: boolean;
}
