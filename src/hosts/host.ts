/**
 * What Bridle needs to know about a coding agent: how to read the payloads of its hooks, how to answer them, and what it
 * does with each answer. Every host has a folder with its own reader and renderer; they share only these types.
 */

import type { PointName } from '../kernel/hooks/points/points.ts';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import type { ToolDeclaration } from '../kernel/tool.ts';

export const hostNames = ['claude', 'codex', 'gemini', 'copilot', 'opencode'] as const;
export type HostName = (typeof hostNames)[number];

export type HostEnv = Readonly<Record<string, string | undefined>>;

/** The input of a hook process. */
export interface HookInput {
  readonly payload: JsonObject;
  readonly env: HostEnv;
  /** The current folder of the hook process. */
  readonly folder: string;
}

/** A tool call of a host, translated to Bridle's tools and arguments. */
export interface HostCall {
  /** The host's id of the call; undefined if the host has none. */
  readonly id: string | undefined;
  readonly tool: string;
  readonly server: string | undefined;
  /**
   * Set if the host joins the names of server and tool, and the name can be split in several ways. A rule that denies
   * or asks for one of these pairs applies to the call; a rule that allows one does not.
   */
  readonly otherNames?: readonly { readonly server: string; readonly tool: string }[] | undefined;
  readonly args: JsonObject;
  /** What is known about the arguments of this call. Facts hold only for what it declares. */
  readonly declaration: ToolDeclaration;
  /** For people: why nothing is known about the command of this call, if that is so and the reason is known. */
  readonly unknownBecause?: string | undefined;
  /** Translates changed args back to the input of the host's tool; undefined if the host cannot express them. */
  readonly toInput: (args: JsonObject) => JsonValue | undefined;
}

/** How a call ended, as the host reports it. */
export interface HostOutcome {
  readonly type: 'ok' | 'error' | 'cancelled';
  /** The result or the error, as the model sees it as far as the host reports that. */
  readonly value: JsonValue;
}

/** What has happened. The types are named after the points that they reach. */
export type HostEventBody =
  /** The host waits for a decision. A patch of several files is several calls; all of them must be allowed. */
  | { readonly type: 'tool-call'; readonly calls: readonly HostCall[] }
  | { readonly type: 'tool-result'; readonly calls: readonly HostCall[]; readonly outcome: HostOutcome }
  | { readonly type: 'prompt'; readonly text: string }
  /** `isCleared` if the host has been running: only the conversation starts again. */
  | { readonly type: 'session-start'; readonly resumed: boolean; readonly isCleared?: boolean }
  | { readonly type: 'session-end'; readonly reason: string }
  /** The agent has finished its turn. */
  | { readonly type: 'turn-end'; readonly text: string | undefined }
  /** `summary` is empty if the host does not report it. */
  | { readonly type: 'compaction'; readonly phase: 'before' }
  | { readonly type: 'compaction'; readonly phase: 'after'; readonly summary: string }
  /** A settings file of the host has changed during the session. */
  | { readonly type: 'settings-change'; readonly file: string }
  /** An event that reaches no point. It needs an answer, but no decision. */
  | { readonly type: 'other' };

export type HostEvent = HostEventBody & {
  /** The host's name of the event. */
  readonly name: string;
  readonly session: string;
  /** The path of the agent within the session: `['main']`, or `['main', '<subagent>']` if the host reports it. */
  readonly agent: readonly string[];
  /** Absolute: the folder in which the call starts. */
  readonly cwd: string;
  /** Absolute: the folder in which the session was started. The policy is looked up from here. */
  readonly project: string;
  /** The version of the host, if the event reveals it. */
  readonly version: string | undefined;
};

/** What Bridle answers. A renderer expresses it, or the strictest answer below it that the host understands. */
export type HookAnswer =
  /** No opinion: the host's own permissions apply. */
  | { readonly type: 'pass' }
  | { readonly type: 'deny'; readonly reason: string }
  /** Ask the person at the host. Only for hosts whose record says that their prompt stops the call. */
  | { readonly type: 'ask'; readonly reason: string }
  /** The call runs with this input, subject to the host's own permissions. */
  | { readonly type: 'rewrite'; readonly input: JsonValue }
  /** The model sees this instead of the result of its tool. */
  | { readonly type: 'replace-result'; readonly text: string };

/** What the hook process prints, and how it exits. */
export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

export interface Host {
  readonly name: HostName;
  /** One per measured range of versions, the newest first. */
  readonly records: readonly HostRecord[];
  /** True if the payload comes from this host, even if another host's name is on the command line. */
  recognises(input: HookInput): boolean;
  /** Throws `PAYLOAD_INVALID` for a payload that is incomplete or has wrong types. */
  read(input: HookInput): HostEvent;
  /** `event` is the event that is answered. */
  render(answer: HookAnswer, event: HostEvent, record: HostRecord): HookOutput;
  /**
   * Refuses an event that {@link read} could not read, for hosts that do not show the reason of exit status 2.
   * Undefined if the payload does not say enough; then exit status 2 blocks the call.
   */
  refuse?(reason: string, input: HookInput): HookOutput | undefined;
  /** Why a changed settings file must not take effect during the session; undefined if it is harmless. */
  settingsProblem?(file: string, home: string): string | undefined;
  /** Called when a session starts, before its hooks. `home` is Bridle's own folder. */
  sessionStarts?(home: string): void;
}

/** What a host does: `blocks` the call, `runs` it, or `asks` a person, who really stops it. */
type HostReaction = 'blocks' | 'runs' | 'asks' | 'rewrites';

/** What a version range of a host does, measured on the real host. */
export interface HostRecord {
  readonly host: HostName;
  /** For people: `Claude Code`. */
  readonly title: string;
  /** The measured versions: from this one, up to and including the other one. */
  readonly versions: { readonly from: string; readonly to: string };
  /** Later versions below this one use the record, too, although they were not measured: hosts are updated every week. */
  readonly usedBefore: string;
  /** What the host does with each answer to an event before a tool call. */
  readonly answers: {
    readonly deny: HostReaction;
    readonly ask: HostReaction;
    readonly allow: HostReaction;
    readonly rewrite: HostReaction;
    readonly silence: HostReaction;
    readonly crash: HostReaction;
    readonly timeout: HostReaction;
  };
  /** `prompt`: its own prompt stops the call in every mode. `store`: Bridle asks through the store. */
  readonly ask: 'prompt' | 'store';
  /** True if Bridle asks through the store only because the prompt of this version was not measured. */
  readonly unmeasuredPrompt?: boolean | undefined;
  readonly shell: {
    /** False if nothing is known about the shell: then facts about commands do not hold. */
    readonly isKnown: boolean;
    /** For people: which shell runs commands, and how it is chosen. */
    readonly program: string;
    readonly startupFiles: string;
    /** What persists from one call to the next. */
    readonly persists: string;
  };
  /** Points that its events reach, with the name of the event; a point that is missing is not reached. */
  readonly points: Readonly<Partial<Record<PointName, string>>>;
  /** Ways to run something that no hook sees, each with what Bridle does about it. */
  readonly unhooked: readonly { readonly path: string; readonly instead: string }[];
  /** What switches the hook off at each level, and what survives it. */
  readonly switchedOffBy: readonly string[];
  /** What remains open even with the wrapper installed. */
  readonly gaps: readonly string[];
}
