/**
 * A session of a host in one hook process. The policy, the store and the state of the session are opened, one event is
 * handled, and the next event is handled by another process.
 */

import { protectFiles } from '../../facts/paths/protection/protect-files.ts';
import type { Approver } from '../../kernel/approval.ts';
import type { Decision, RuleRef } from '../../kernel/call.ts';
import { BridleError } from '../../kernel/errors.ts';
import { lazy } from '../../kernel/lazy.ts';
import { pairText } from '../../kernel/names.ts';
import { buildGuard } from '../../kernel/guard/guard.ts';
import type { Session } from '../../kernel/guard/session.ts';
import type { Turn } from '../../kernel/guard/turn.ts';
import { confirm, reject } from '../../kernel/hooks/points/actions.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { PolicySource } from '../../kernel/guard/guard-options.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { type FilesRead, sessionFiles } from '../../policy-files/host-files.ts';
import { storeRules } from '../../policy-files/own-file-rules.ts';
import { maskSecrets } from '../../redact/mask-secrets.ts';
import type { Store } from '../../store/store.ts';
import { builtinTools } from '../../tools/declare-builtins.ts';
import type { HostCall, HostEvent, HostName } from '../host.ts';
import { type HandlerOptions, HostPolicy } from './host-policy.ts';
import { storeQuestions } from './store-questions.ts';
import { type SessionStateData, SessionStateStore, scopeValues } from './session-state.ts';

/** Many hook processes may write at the same time. */
const journalTimeoutMs = 30_000;
/** How long a question stays open: an agent can try the same call again until then. */
const askTimeoutMs = 60 * 60 * 1000;

/** Gemini CLI takes the variables of its hooks from `.env`, and opencode reads settings of all folders above. */
const filesReadBy: Readonly<Partial<Record<HostName, FilesRead>>> = {
  gemini: { env: true },
  opencode: { settingsAbove: true },
};

/** What an event needs to be handled. */
export interface HostSessionParts {
  readonly policy: HostPolicy;
  readonly store: Store;
  readonly hooks: readonly Hook[];
}

export async function openParts(
  event: HostEvent,
  options: HandlerOptions,
  policy = new HostPolicy(event, options),
): Promise<HostSessionParts> {
  // Before a store is created for nothing.
  policy.check();
  const hooks = await policy.hooks();
  return { policy, store: await policy.openStore(), hooks };
}

export interface SessionChoices extends HostSessionParts {
  /** Default: an approver that asks through the store. */
  readonly approver?: Approver | undefined;
  /** The calls of the event, whose declarations the policy needs. */
  readonly calls?: readonly HostCall[] | undefined;
  /** False if the session starts with this event. */
  readonly joined?: boolean | undefined;
}

/** The guard, session and turn in which one event is handled. */
export interface HostSession {
  readonly session: Session;
  readonly turn: Turn;
  readonly states: SessionStateStore;
  /** Saves what the hooks have stored, and lets other processes run hooks of this session. */
  readonly releaseHooks: () => Promise<void>;
}

/**
 * Runs `work` in the session of the event, and saves what its hooks have stored. While hooks may run, no other process
 * runs hooks of the same session.
 */
export async function withHostSession<T>(
  event: HostEvent,
  options: HandlerOptions,
  given: SessionChoices & { readonly work: (session: HostSession) => Promise<T> },
): Promise<T> {
  const { store, hooks, work } = given;
  const states = new SessionStateStore(store, options.host, event);
  if (hooks.length > 0) await states.acquire(options.deadline);
  try {
    const opened = await openSession(event, options, { ...given, state: await states.loadInTurn() });
    const releaseHooks = async (): Promise<void> => {
      if (!states.isLocked) return;
      await states.update((state) => ({ ...state, ...hookState(opened), ...states.turnOf(opened.turn.number) }));
      await states.release();
    };
    const result = await work({ ...opened, states, releaseHooks });
    // A session that starts here continues in other processes.
    if (given.joined !== false) await opened.session.end();
    await releaseHooks();
    return result;
  } finally {
    await states.release();
  }
}

function hookState({
  session,
  turn,
}: Pick<HostSession, 'session' | 'turn'>): Pick<SessionStateData, 'session' | 'inTurn'> {
  return { session: scopeValues(session.scope), inTurn: scopeValues(turn.scope) };
}

async function openSession(
  event: HostEvent,
  options: HandlerOptions,
  given: SessionChoices & { readonly state: SessionStateData },
): Promise<Pick<HostSession, 'session' | 'turn'>> {
  const { policy, store, hooks, approver, calls = [], joined = true, state } = given;
  const { host } = options;
  if (state.rejected !== undefined && joined) throw new BridleError('SESSION_REJECTED', state.rejected);
  const declarations = calls.map(({ declaration }) => declaration);
  const rules = policy.rules([
    storeRules({ files: store.files, keys: store.keys.folder }),
    protectFiles(lazy(() => [...policy.place.shadowing, ...sessionFiles(policy.place, filesReadBy[host] ?? {})])),
  ]);
  const guard = buildGuard({
    tools: withDeclarations(declarations),
    servers: serversOf(declarations),
    policy: rules,
    hooks,
    approver: approver ?? storeQuestions(store, event, options),
    journal: store.journal,
    mask: maskSecrets({ key: store.keys.secret('masks') }),
    askTimeoutMs,
    journalTimeoutMs,
  });
  if (calls.some(({ otherNames }) => otherNames !== undefined))
    guard.register(otherNamesHook(rules, calls, guard.policy.rules));
  const number = Math.max(1, state.turn);
  const session = await guard.start({
    id: sessionId(host, event),
    host,
    agent: event.agent,
    // Conditions such as readsInside(".") are about the folder of the policy, wherever a command starts.
    cwd: policy.place.root,
    state: state.session,
    turns: number,
    joined,
  });
  const turn = session.turn('user', { number, step: 1 });
  for (const [key, value] of Object.entries(state.inTurn)) turn.scope.set(key, value);
  return { session, turn };
}

/** The id under which journal and approvals know the session. */
function sessionId(host: HostName, { session }: HostEvent): string {
  return `${host}:${session}`;
}

/** The call with the folder in which its command starts, if that is not the folder of the policy. */
export function withFolder(call: HostCall, cwd: string, root: string): HostCall {
  const { tool, server, args, toInput } = call;
  if (tool !== 'run_command' || server !== undefined || 'working_dir' in args || cwd === root) return call;
  return {
    ...call,
    args: { ...args, working_dir: cwd },
    toInput: ({ working_dir: folder, ...changed }) => (folder === cwd ? toInput(changed) : undefined),
  };
}

/** Applies the rules that deny or ask for another name that the tool of a call may have. */
function otherNamesHook(rules: Rules | PolicySource, calls: readonly HostCall[], named: readonly RuleRef[]): Hook {
  const servers = new Set(
    named.flatMap(({ target }) => (target.includes('/') ? [target.slice(0, target.indexOf('/'))] : [])),
  );
  return {
    name: 'other_names',
    gate: true,
    async preToolCall({ call }) {
      const { otherNames = [] } = calls.find(({ tool, server }) => tool === call.tool && server === call.server) ?? {};
      const byRule: Decision[] = [];
      // Hosts replace characters of the names of servers.
      const possible = otherNames.flatMap(({ server, tool }) => [
        { server, tool },
        ...[...servers].filter((each) => flat(each) === flat(server)).map((each) => ({ server: each, tool })),
      ]);
      for (const { server, tool } of possible) {
        // In a guard of its own: two ways to split a name have the same name for a model.
        const tools = [{ name: tool, server }];
        const { policy } = buildGuard({ tools, servers: [{ name: server }], policy: rules, approver: () => false });
        const decision = await policy.decide({ tool, server, args: call.args });
        // A default is not about this name: it has decided the call already.
        if (decision.rule !== undefined) byRule.push(decision);
      }
      const denied = byRule.find(({ effect }) => effect === 'deny');
      if (denied !== undefined) return reject(denied.reason);
      const asks = byRule.find(({ effect }) => effect === 'ask');
      return asks === undefined ? undefined : confirm(asks.reason);
    },
  };
}

function flat(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9]/g, '_');
}

/** Bridle's tools, with the declarations of these calls instead of their own. */
function withDeclarations(declarations: readonly ToolDeclaration[]): readonly ToolDeclaration[] {
  const given = new Map(declarations.map((each) => [pairText(each.server, each.name), each]));
  const names = new Set(declarations.flatMap(({ name, server }) => (server === undefined ? [name] : [])));
  // A tool of the host may have a name that is an alias of one of Bridle's tools.
  const others = builtinTools.filter(({ name }) => !names.has(name)).map((tool) => withoutAliases(tool, names));
  return [...others, ...given.values()];
}

function withoutAliases(tool: ToolDeclaration, taken: ReadonlySet<string>): ToolDeclaration {
  const names = tool.aliases?.names?.filter((name) => !taken.has(name));
  return { ...tool, aliases: { ...tool.aliases, names } };
}

function serversOf(declarations: readonly ToolDeclaration[]): readonly { readonly name: string }[] {
  const names = declarations.flatMap(({ server }) => (server === undefined ? [] : [server]));
  return [...new Set(names)].map((name) => ({ name }));
}
