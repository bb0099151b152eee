/** Decides recorded calls with a policy, groups those that it does not allow, and finds commands that it could allow. */

import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { commandsOfLine } from '../../approvals/proposals/read-only-commands-of-line.ts';
import { hostOfUrl } from '../../facts/net/host-of-url.ts';
import { analyseCommand } from '../../facts/shell/analysis/analyse-command.ts';
import type { ShellCommand } from '../../facts/shell/commands/command-analysis.ts';
import { lineRunsOnly } from '../../facts/shell/conditions/call-facts.ts';
import { readsInsideFact } from '../../facts/paths/inside-facts.ts';
import type { Effect } from '../../kernel/call.ts';
import { cutText, isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { pairText } from '../../kernel/names.ts';
import type { Mask } from '../../kernel/approval.ts';
import { type DecidedEntry, type JournalEntry, journalVersion } from '../../kernel/records/journal-entry.ts';
import type { LoadedPolicy } from '../loaded-policy.ts';
import { commandsAllowedBy } from '../policy-rules.ts';
import { journalLines } from '../replay/journal-lines.ts';
import type { HistoryCommand } from './history/history-formats.ts';
import { type ReplayDecision, ReplayEvaluator } from '../replay/replay-evaluator.ts';

/** Similar calls that the policy would not have allowed. */
export interface CallGroup {
  readonly effect: 'ask' | 'deny';
  /** The tool, and what distinguishes these calls from others: the commands, the file, the host. */
  readonly call: string;
  readonly count: number;
  /** The rule that decides them; undefined for the default. */
  readonly rule?: string | undefined;
  /** The first of these command lines, if they come from a history. */
  readonly example?: string | undefined;
  /** How a rule names the tool, if its name or tier says that it only reads, and Bridle knows nothing else about it. */
  readonly readingTool?: string | undefined;
  /** The command that is missing in the list of a rule: with it, the first of these calls would be allowed. */
  readonly missing?: string | undefined;
}

export interface RecordedCalls {
  /** Calls in the folder of the policy that could be decided. */
  readonly calls: number;
  readonly decisions: Readonly<Record<Effect, number>>;
  /** The decision depends on masked values or on the state of a session. */
  readonly cannotTell: number;
  /** Records that could not be read. */
  readonly unreadable: number;
  readonly inOtherFolders: number;
  /** The most frequent first. */
  readonly groups: readonly CallGroup[];
  /** Harmless commands that the policy asks about only because no rule names them. */
  readonly commands: readonly string[];
}

/** Commands that were recorded less often are not worth a rule. */
const often = 3;
const maxGroups = 5000;
const maxExample = 80;
/** The oldest open questions are dropped first. */
const maxOpen = 10_000;
const answers: ReadonlySet<string> = new Set(['approved', 'refused', 'expired']);

/** Scripts of the project, by name. The presets ask before a file that defines them changes. */
const scriptCommand = /^(?:(?:npm|pnpm|yarn|bun|composer) run|deno task|make|just|task) [a-z][\w:.-]*$/i;
/** Even a person who approved these several times may want to see each of them. */
const consequential =
  /deploy|publish|release|push|upload|prod|migrat|seed|drop|destroy|delet|remov|clean|purge|reset|install|login|start|serve|dev|watch/i;

export async function decideRecordedCalls(
  lines: AsyncIterable<string> | Iterable<string>,
  policy: LoadedPolicy,
): Promise<RecordedCalls> {
  const recording = new Recording(policy);
  for await (const line of journalLines(lines)) {
    if (line.type === 'entry') await recording.add(line.entry);
    else recording.unreadable++;
  }
  return recording.result();
}

/** Decides command lines of a history. `mask` hides secrets in what is reported; the policy decides the real lines. */
export async function decideHistory(
  commands: readonly HistoryCommand[],
  policy: LoadedPolicy,
  mask: Mask,
): Promise<RecordedCalls> {
  const recording = new Recording(policy, mask);
  for (const [index, { line, cwd }] of commands.entries()) {
    const args = { command_line: line };
    const head = {
      v: journalVersion,
      at: 0,
      session: 'history',
      turn: 1,
      step: 0,
      agent: ['main'],
      policy: '',
    } as const;
    const call = { call: `history-${index}`, tool: 'run_command', tier: 'confirm', requested: args, args } as const;
    await recording.add({ ...head, ...call, kind: 'decided', status: 'allowed', cwd });
  }
  return recording.result();
}

class Recording {
  unreadable = 0;
  private cannotTell = 0;
  private inOtherFolders = 0;
  private readonly decisions = { allow: 0, ask: 0, deny: 0 };
  private readonly groups = new Map<string, CallGroup>();
  private readonly evaluator: ReplayEvaluator;
  private readonly allowedCommands: readonly string[];
  private readonly foldersInside = new Map<string, boolean>();
  /** How often each read-only command was recorded. */
  private readonly readOnly = new Map<string, number>();
  /** Open questions by session and call, each with the script that it is about. */
  private readonly open = new Map<string, string | undefined>();
  /** How often a person approved each script; negative if a person ever refused it. */
  private readonly approved = new Map<string, number>();

  constructor(
    private readonly policy: LoadedPolicy,
    private readonly mask?: Mask,
  ) {
    this.evaluator = new ReplayEvaluator(policy);
    this.allowedCommands = commandsAllowedBy(policy.layers);
  }

  async add(entry: JournalEntry): Promise<void> {
    // Some hosts have no ids of calls, so equal calls have the same id.
    if (entry.kind !== 'decided' || this.isAnswer(entry)) return;
    if (entry.status === 'asked') this.addQuestion(entry);
    if (!this.isInside(entry.cwd)) {
      this.inOtherFolders++;
      return;
    }
    const decided = await this.evaluator.decide(entry);
    if (decided.type === 'unreadable') this.unreadable++;
    else if (decided.type === 'cannot tell') this.cannotTell++;
    else this.count(entry, decided);
  }

  result(): RecordedCalls {
    const { allow, ask, deny } = this.decisions;
    const commands = [...this.readOnly, ...this.approved].flatMap(([command, count]) =>
      count >= often ? command : [],
    );
    return {
      calls: allow + ask + deny,
      decisions: this.decisions,
      cannotTell: this.cannotTell,
      unreadable: this.unreadable,
      inOtherFolders: this.inOtherFolders,
      groups: [...this.groups.values()].toSorted((a, b) => b.count - a.count || (a.call < b.call ? -1 : 1)),
      commands: [...new Set(commands)].toSorted(),
    };
  }

  private count(call: DecidedEntry, decided: Extract<ReplayDecision, { type: 'decided' }>): void {
    const { effect, rule } = decided.decision;
    this.decisions[effect]++;
    if (effect === 'allow') return;
    const shown = this.mask === undefined ? call : { ...call, args: this.mask(call.args) };
    const name = this.groupName(shown);
    const key = JSON.stringify([effect, rule?.name, name]);
    const group = this.groups.get(key) ?? {
      effect,
      call: name,
      count: 0,
      rule: rule?.name,
      readingTool: this.readingTool(call),
      missing: effect === 'ask' && rule === undefined ? this.missingCommand(shown) : undefined,
      example: this.mask === undefined ? undefined : cutText(lineOf(shown) ?? '', maxExample),
    };
    if (group.count > 0 || this.groups.size < maxGroups) this.groups.set(key, { ...group, count: group.count + 1 });
    // No list of commands helps if a rule asks, or if the command reads outside the folder.
    const staysInside = readsInsideFact([this.policy.cwd])(decided.call, decided.tool) === true;
    if (effect === 'ask' && rule === undefined && staysInside) this.countCommands(shown);
  }

  private readingTool({ tool, server, tier }: DecidedEntry): string | undefined {
    if (server === undefined && this.policy.tools.some(({ name }) => name === tool)) return undefined;
    return tier === 'observe' || (server !== undefined && readName.test(tool)) ? pairText(server, tool) : undefined;
  }

  /** Only a person can know whether a script is harmless, so the command is named, but not added. */
  private missingCommand(call: DecidedEntry): string | undefined {
    const line = lineOf(call);
    if (line === undefined) return undefined;
    const others = analyseCommand(line)
      .commands.map(leadingWords)
      .filter((command) => !this.isAllowed(command));
    const [only = ''] = others;
    if (others.length !== 1 || !/^[a-z][\w-]*(?: [\w.:@/-]+)*$/.test(only) || consequential.test(only))
      return undefined;
    return lineRunsOnly(line, [...this.allowedCommands, only]) === true ? only : undefined;
  }

  private countCommands(call: DecidedEntry): void {
    const line = lineOf(call);
    if (line === undefined) return;
    for (const command of commandsOfLine(line) ?? []) {
      if (!this.isAllowed(command)) this.readOnly.set(command, (this.readOnly.get(command) ?? 0) + 1);
    }
    if (call.status === 'asked') this.open.set(keyOf(call), this.scriptOf(line));
  }

  private addQuestion(call: DecidedEntry): void {
    this.open.set(keyOf(call), undefined);
    const [oldest] = this.open.keys();
    if (this.open.size > maxOpen && oldest !== undefined) this.open.delete(oldest);
  }

  /** True if a decision answers an open question. Counts what people approved. */
  private isAnswer(entry: DecidedEntry): boolean {
    const key = keyOf(entry);
    if (!this.open.has(key) || !answers.has(entry.status)) return false;
    const script = this.open.get(key);
    this.open.delete(key);
    if (script === undefined) return true;
    // An answer that was remembered is one answer of a person, however often it counts.
    if (entry.status === 'refused') this.approved.set(script, Number.NEGATIVE_INFINITY);
    else if (entry.status === 'approved' && entry.approval?.remembered !== true)
      this.approved.set(script, (this.approved.get(script) ?? 0) + 1);
    return true;
  }

  /** The one script that a line runs, if everything else in it is allowed. */
  private scriptOf(line: string): string | undefined {
    const { commands, unknown } = analyseCommand(line);
    if (unknown !== undefined) return undefined;
    const others = commands.filter((command) => !this.isAllowed(leadingWords(command)));
    const [only] = others;
    if (others.length !== 1 || only === undefined || only.via.length + only.assignments.length > 0) return undefined;
    const script = leadingWords(only);
    return scriptCommand.test(script) && !consequential.test(script) ? script : undefined;
  }

  private isAllowed(command: string): boolean {
    return lineRunsOnly(command, this.allowedCommands) === true;
  }

  private groupName(call: DecidedEntry): string {
    const { tool, server, args } = call;
    const line = lineOf(call);
    if (line === undefined) return cutText(`${pairText(server, tool)}${subjectOf(args)}`, 100);
    const commands = analyseCommand(line)
      .commands.map(leadingWords)
      .filter((text) => text !== '');
    const others = commands.filter((command) => !this.isAllowed(command));
    const shown = new Set(others.length > 0 ? others : commands);
    return cutText(`${tool}: ${shown.size === 0 ? line : [...shown].join(', ')}`, 100);
  }

  /** The store may have recorded agents in other projects. */
  private isInside(cwd: string | undefined): boolean {
    if (cwd === undefined) return true;
    const known = this.foldersInside.get(cwd);
    if (known !== undefined) return known;
    const folder = realPath(cwd);
    const isInside = folder === this.policy.cwd || folder.startsWith(`${this.policy.cwd}${sep}`);
    this.foldersInside.set(cwd, isInside);
    return isInside;
  }
}

const readName = /^(?:get|list|read|search|find|view|show|describe|query|count|check)(?:[_-]|[A-Z]|$)/;

function keyOf({ session, call }: DecidedEntry): string {
  return JSON.stringify([session, call]);
}

function lineOf({ tool, server, args }: DecidedEntry): string | undefined {
  const line = isJsonObject(args) ? args['command_line'] : undefined;
  return tool === 'run_command' && server === undefined && typeof line === 'string' ? line : undefined;
}

/** The program and up to two plain words behind it. */
function leadingWords({ argv }: Pick<ShellCommand, 'argv'>): string {
  const words = argv.slice(0, 3).map((word) => (word.type === 'literal' ? word.value : ''));
  const end = words.findIndex((word) => !/^[\w@./~][\w@.:/~+-]*$/.test(word));
  return words.slice(0, end === -1 ? words.length : end).join(' ');
}

function subjectOf(args: JsonValue): string {
  const { file_path, file_paths, directory_path, url }: JsonObject = isJsonObject(args) ? args : {};
  if (typeof url === 'string') {
    const host = hostOfUrl(url);
    return typeof host === 'string' ? ` ${host}` : '';
  }
  const path = Array.isArray(file_paths) ? file_paths[0] : (file_path ?? directory_path);
  return typeof path === 'string' ? ` ${path}` : '';
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // It may no longer exist.
    return folder;
  }
}
