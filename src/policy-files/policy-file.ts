/**
 * The parsed contents of a policy file, as plain JSON data. Everything that can be wrong has its position in the file.
 */

import type { Effect, Grant, Tier } from '../kernel/call.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { ServerDeclaration, ToolTouches } from '../kernel/tool.ts';

/** Line and column, counted from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** A string and its position in the file. */
export interface LocatedText {
  readonly text: string;
  readonly at: FilePosition;
}

/** A condition, with the position of each of its parts: a quoted or folded string is not contiguous in the file. */
export interface PolicyFileCondition extends LocatedText {
  /** Characters of `text` from `offset` on are consecutive in the file, starting at `at`. Sorted by offset. */
  readonly stretches: readonly { readonly offset: number; readonly at: FilePosition }[];
  /** The syntax tree, if the condition was parsed before. */
  readonly tree?: JsonValue | undefined;
}

export interface PolicyFileRule {
  readonly effect: Effect | 'forbid';
  readonly targets: readonly LocatedText[];
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
  readonly when?: PolicyFileCondition | undefined;
  readonly grant?: Grant | undefined;
  /** What a deny or forbid rule does if its condition is unknown. Default: deny. */
  readonly unknown?: 'deny' | 'ask' | undefined;
  /** For an ask rule: only a signed answer counts. */
  readonly approval?: 'signed' | undefined;
  readonly shadow?: boolean | undefined;
  /** Milliseconds since 1970. After that time, the rule is ignored. */
  readonly expires?: number | undefined;
  readonly at: FilePosition;
}

/** What a policy file declares about a tool that Bridle does not know: your own, or one of an MCP server. */
export interface PolicyFileTool {
  /** `tool` or `server/tool`. */
  readonly target: LocatedText;
  readonly tier?: Tier | undefined;
  /** JSON Schema of the arguments. */
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
  /** Relative to the folder the tests run in. */
  readonly cwd?: string | undefined;
  readonly state?: CheckState | undefined;
  readonly expect: Effect;
  /** The name of the rule that must decide the call. */
  readonly rule?: string | undefined;
  readonly at: FilePosition;
}

/** Session and turn state for a test or a checked call. */
export interface CheckState {
  readonly session?: JsonObject | undefined;
  readonly turn?: JsonObject | undefined;
}

export interface PolicyFile {
  /** The path of the file as messages show it. */
  readonly file: string;
  readonly version: 1;
  /** The version in the file, if it is older than the current one. */
  readonly migratedFrom?: { readonly version: number; readonly at: FilePosition } | undefined;
  readonly default?: Effect | undefined;
  /** If true, warnings are errors. */
  readonly strict?: boolean | undefined;
  /** Files of higher layers; paths are relative to this file. */
  readonly extends: readonly LocatedText[];
  readonly workspaces?: readonly LocatedText[] | undefined;
  /** Modules with hooks; paths are relative to this file. */
  readonly hooks?: readonly LocatedText[] | undefined;
  readonly servers?: readonly (ServerDeclaration & { readonly at: FilePosition })[] | undefined;
  readonly tools: readonly PolicyFileTool[];
  readonly rules: readonly PolicyFileRule[];
  readonly tests: readonly PolicyFileTest[];
}
