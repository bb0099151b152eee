/** The interface of the facts that conditions use. `cel/functions` knows their names, not how they are computed. */

import type { ToolCall } from '../../../kernel/call.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import type { Fact, Truth, Unknown } from '../../../kernel/policy/conditions/truth.ts';

/** The result of a fact: true, false, a string, or unknown. */
export type FactResult = Truth | string;

/** Facts about a call, and the same facts about a string. Their arguments are checked when they are created. */
export interface ConditionFacts {
  readonly runs: (entries: readonly string[]) => Fact;
  readonly runsOnly: (entries: readonly string[]) => Fact;
  readonly opaque: (entries: readonly string[]) => Fact;
  readonly reads: (glob: string) => Fact;
  readonly writes: (glob: string) => Fact;
  readonly readsInside: (folders: readonly string[]) => Fact;
  readonly writesInside: (folders: readonly string[]) => Fact;
  readonly worksIn: (folders: readonly string[]) => Fact;
  readonly isPublicHost: () => Fact;
  readonly underDomain: (name: string) => Fact;
  readonly host: () => (call: ToolCall, tool: ToolDeclaration) => string | Unknown;
  readonly runsIn: (text: string, entries: readonly string[]) => Truth;
  readonly runsOnlyIn: (text: string, entries: readonly string[]) => Truth;
  readonly opaqueIn: (text: string, entries: readonly string[]) => Truth;
  readonly hostOf: (text: string) => string | Unknown;
  readonly isPublicHostOf: (text: string) => Truth;
  readonly underDomainOf: (text: string, name: string) => Truth;
}
