/** The facts a condition can ask for, handed in: this folder knows their names, not how they are found. */

import type { ToolCall } from '../../../kernel/call.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import type { Fact, Truth, Unknown } from '../../../kernel/policy/conditions/truth.ts';

/** What a fact gives: an answer, a text, or that it cannot be told. */
export type FactResult = Truth | string;

/** Facts about a call, and the same facts about a text. What they are asked about is checked when they are made. */
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
