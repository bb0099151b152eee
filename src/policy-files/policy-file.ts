/** A policy file as data: read, checked, with the place of everything that can be wrong about it. JSON all the way. */

import type { Effect, Grant, Tier } from '../kernel/call.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { ServerDeclaration, ToolTouches } from '../kernel/tool.ts';

/** Counted from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** A text and where it stands. */
export interface LocatedText {
  readonly text: string;
  readonly at: FilePosition;
}

/** A condition, and where each stretch of it stands in the file: quoted and folded text is not in one piece. */
export interface PolicyFileCondition extends LocatedText {
  /** From an offset in `text` on, characters stand at this line and column, one after another. In order of offset. */
  readonly stretches: readonly { readonly offset: number; readonly at: FilePosition }[];
  /** Its syntax tree, where it was read before. */
  readonly tree?: JsonValue | undefined;
}

export interface PolicyFileRule {
  readonly effect: Effect | 'forbid';
  readonly targets: readonly LocatedText[];
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
  readonly when?: PolicyFileCondition | undefined;
  readonly grant?: Grant | undefined;
  /** What a deny or forbid rule does if it is unknown whether its condition holds. Default: deny. */
  readonly unknown?: 'deny' | 'ask' | undefined;
  readonly shadow?: boolean | undefined;
  /** Milliseconds since 1970; from then on the rule is as good as not there. */
  readonly expires?: number | undefined;
  readonly at: FilePosition;
}

/** What a file says of a tool that Bridle does not know by itself: one of yours, or of an MCP server. */
export interface PolicyFileTool {
  /** `tool` or `server/tool`. */
  readonly target: LocatedText;
  readonly tier?: Tier | undefined;
  /** A JSON Schema of its arguments. */
  readonly schema?: JsonObject | undefined;
  readonly args?: readonly string[] | undefined;
  readonly paths?: readonly string[] | undefined;
  readonly touches?: ToolTouches | undefined;
}

export interface PolicyFileTest {
  readonly name?: string | undefined;
  readonly tool: string;
  readonly server?: string | undefined;
  readonly args: JsonObject;
  /** Relative to the folder the tests are run for. */
  readonly cwd?: string | undefined;
  readonly state?: CheckState | undefined;
  readonly expect: Effect;
  /** The rule that must have decided. */
  readonly rule?: string | undefined;
  readonly at: FilePosition;
}

/** What the scopes hold in a test or a checked call. */
export interface CheckState {
  readonly session?: JsonObject | undefined;
  readonly turn?: JsonObject | undefined;
}

export interface PolicyFile {
  /** The file as messages name it. */
  readonly file: string;
  readonly version: 1;
  readonly default?: Effect | undefined;
  /** True: what would be a finding is an error. */
  readonly strict?: boolean | undefined;
  /** Files of higher layers, relative to this one. */
  readonly extends: readonly LocatedText[];
  readonly workspaces?: readonly LocatedText[] | undefined;
  readonly servers?: readonly (ServerDeclaration & { readonly at: FilePosition })[] | undefined;
  readonly tools: readonly PolicyFileTool[];
  readonly rules: readonly PolicyFileRule[];
  readonly tests: readonly PolicyFileTest[];
}
