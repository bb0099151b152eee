/**
 * Creates the agent of a chat: Bridle's own, or that of `--agent`. Modules and server files that are named on the command
 * line are the person's own choice, so they need no trust.
 */

import { resolve } from 'node:path';
import type { Agent } from '../../agent/agent.ts';
import { createAgent } from '../../agent/create-agent.ts';
import type { AgentOptions, AgentSessionOptions, ModelInput } from '../../agent/options/agent-options.ts';
import { isFilePolicy } from '../../agent/options/policy-input.ts';
import type { AgentSession } from '../../agent/session/agent-session.ts';
import { realPathOf } from '../../facts/paths/resolve/resolve-path.ts';
import type { Approver } from '../../kernel/approval.ts';
import type { PolicySource } from '../../kernel/guard/guard-options.ts';
import type { Hook } from '../../kernel/hooks/registration/hook.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import { openPolicy } from '../../policy-files/load/open-policy.ts';
import { ownFileRules } from '../../policy-files/own-file-rules.ts';
import type { Store } from '../../store/store.ts';
import type { OpenTerminal } from '../../terminal/open-terminal.ts';
import { usageError } from '../command/command-row.ts';
import { ApproveMode } from './approve-mode.ts';
import { type ChatPolicy, chatPolicy, nameRulesModule, TrustHint } from './chat-policy.ts';
import type { ChatSettings } from './chat-settings.ts';
import { HookActivity } from './hook-activity.ts';
import { LastDecision } from './last-decision.ts';
import { noModelError } from './no-model.ts';
import type { SessionLimits } from './status-line.ts';

/** A chat before it starts, and what its slash commands use. */
export interface Chat {
  readonly agent: Agent;
  readonly cwd: string;
  readonly home: string;
  readonly store: Store | undefined;
  readonly limits: SessionLimits;
  readonly mode: ApproveMode;
  readonly hooks: HookActivity;
  readonly last: LastDecision;
  /** The sessions that are open, by id. */
  readonly sessions: Map<string, AgentSession>;
  /** The model that the person switched to. */
  model: string | undefined;
  /** True if the agent's module answers approvals itself. */
  readonly hasOwnApprover: boolean;
  /** Shown before the first turn. */
  readonly notices: readonly string[];
  /** The policy's file, for errors about it. */
  readonly policyFile: string | undefined;
}

export interface ChatParts {
  readonly terminal: OpenTerminal;
  readonly store: Store | undefined;
  readonly session: AgentSessionOptions | undefined;
}

/** Creates the agent without starting it. */
export async function createChat(settings: ChatSettings, parts: ChatParts): Promise<Chat> {
  const { cwd, home, limits } = settings;
  const folder = realPathOf(cwd);
  const controlFiles = controlFilesOf(settings);
  const mode = new ApproveMode(settings.accept, folder, controlFiles.map(realPathOf));
  const hooks = new HookActivity();
  const base = { cwd: folder, home, limits, mode, hooks, store: parts.store };
  const added = await addedParts(settings, hooks);
  const trustHint = new TrustHint(settings, (text) => parts.terminal.renderer.showNote(text));
  const approver = mode.approver(approverFor(settings, parts.terminal, trustHint));
  const defaults = { ...defaultOptions(settings), store: parts.store, approver };
  const own = settings.agentFile === undefined ? {} : await ownOptions(settings, { store: parts.store, approver });
  const isAgent = 'start' in own;
  const policy = isAgent ? undefined : await policyFor(settings, own, hooks);
  const agent = isAgent
    ? registerHooks(own, [mode.hook, ...added.hooks])
    : createNamed(policy?.file, {
        ...defaults,
        ...own,
        ...overridesOf(settings),
        model: modelOf(settings, own),
        session: parts.session ?? own.session,
        policy: protecting(policy?.policy, controlFiles, { cwd: folder, home }),
        mcpServers: [...(own.mcpServers ?? []), ...added.servers],
        hooks: [...watched(own.hooks, hooks), mode.hook, ...added.hooks],
      });
  mode.tools = () => agent.guard.tools;
  trustHint.tools = mode.tools;
  trustHint.file = policy?.isUntrusted === true ? policy.file : undefined;
  const notices = [policy?.notice, ...added.notices].filter((text) => text !== undefined);
  const hasOwnApprover = isAgent || own.approver !== undefined;
  return {
    ...base,
    agent,
    last: new LastDecision(),
    sessions: new Map(),
    model: undefined,
    hasOwnApprover,
    notices,
    policyFile: policy?.file,
  };
}

/** Errors about the policy name its file. */
function createNamed(policyFile: string | undefined, options: AgentOptions): Agent {
  try {
    return createAgent(options);
  } catch (error) {
    throw nameRulesModule(policyFile, error);
  }
}

/** Files that the command line names. An agent that can write them controls its next session. */
function controlFilesOf({ policyFile, agentFile, hookFiles, mcpFiles }: ChatSettings): readonly string[] {
  return [policyFile, agentFile, ...hookFiles, ...mcpFiles].flatMap((file) =>
    file === undefined ? [] : resolve(file),
  );
}

/** The policy with rules that protect the files that control the chat (D11). A policy file protects itself. */
function protecting(
  policy: Rules | PolicySource | undefined,
  files: readonly string[],
  places: { readonly cwd: string; readonly home: string },
): Rules | PolicySource {
  const rules = ownFileRules({ files, ...places });
  if (policy === undefined || !('compileFor' in policy)) return [policy ?? [], rules];
  if (files.length === 0) return policy;
  const compileFor: PolicySource['compileFor'] = (catalog, options, extraRules = []) =>
    policy.compileFor(catalog, options, [rules, extraRules]);
  return { ...policy, compileFor };
}

function defaultOptions({ cwd, askTimeoutMs }: ChatSettings): Omit<AgentOptions, 'model'> {
  return {
    instructions: `You help the user in the folder ${cwd}. Relative paths start there.`,
    cwd,
    askTimeoutMs,
  };
}

function modelOf({ modelName, agentFile }: ChatSettings, own: Partial<AgentOptions>): ModelInput {
  const model = modelName ?? own.model;
  if (model === undefined) throw noModelError(agentFile);
  return model;
}

/** Options of the command line that replace those of an agent module. */
function overridesOf({ limits }: ChatSettings): Partial<AgentOptions> {
  return {
    ...(limits.maxCost === undefined ? {} : { budget: { perSession: { cost: limits.maxCost } } }),
    ...(limits.maxSteps === undefined ? {} : { maxSteps: limits.maxSteps }),
  };
}

/** Approves calls of the `--yes-to` tier without asking. */
function approverFor({ yesTo }: ChatSettings, terminal: OpenTerminal, trustHint: TrustHint): Approver {
  const approver = trustHint.approver(terminal.approver);
  if (yesTo === undefined) return approver;
  return (request, options) =>
    request.call.tier === yesTo ? { type: 'approve', by: `--yes-to ${yesTo}` } : approver(request, options);
}

/** Servers of `--mcp` and hooks of `--hook`. */
async function addedParts({ mcpFiles, hookFiles, env }: ChatSettings, activity: HookActivity) {
  const read =
    mcpFiles.length === 0
      ? []
      : await import('./mcp-servers-file.ts').then(({ readMcpServersFile }) =>
          mcpFiles.map((file) => readMcpServersFile(file, env)),
        );
  const hooks: Hook[] = [];
  for (const file of hookFiles) {
    const { loadHookModule } = await import('./hook-modules.ts');
    for (const hook of await loadHookModule(file)) hooks.push(activity.watch(hook, `--hook ${file}`));
  }
  const servers = read.flatMap((each) => each.servers);
  return { servers, hooks, notices: read.flatMap((each) => each.notices) };
}

/** What the module of `--agent` gives: options, or an agent that is not started. */
async function ownOptions(
  { agentFile = '', modelName, policyFile, mcpFiles, limits }: ChatSettings,
  given: { readonly store: Store | undefined; readonly approver: Approver },
): Promise<Partial<AgentOptions> | Agent> {
  const { loadAgentSource } = await import('../runs/agent-module.ts');
  const source = await loadAgentSource(agentFile);
  const made: unknown = typeof source === 'function' ? await source(given as Parameters<typeof source>[0]) : source;
  if (typeof made !== 'object' || made === null)
    throw usageError(`the agent module ${agentFile} returned no agent; return agent options, or an agent`);
  if (!('start' in made)) return made;
  const [option] = [
    modelName === undefined ? [] : ['--model'],
    policyFile === undefined ? [] : ['--policy'],
    mcpFiles.length === 0 ? [] : ['--mcp'],
    limits.maxCost === undefined ? [] : ['--max-cost'],
    limits.maxSteps === undefined ? [] : ['--max-steps'],
  ].flat();
  if (option === undefined) return made as Agent;
  throw usageError(`${option} needs agent options, but ${agentFile} returned an agent: return its options instead`);
}

function registerHooks(agent: Agent, hooks: readonly Hook[]): Agent {
  for (const hook of hooks) agent.register(hook);
  return agent;
}

function watched(hooks: readonly Hook[] = [], activity: HookActivity): readonly Hook[] {
  return hooks.map((hook) => activity.watch(hook, '--agent'));
}

interface PolicyOfChat extends Omit<ChatPolicy, 'policy'> {
  readonly policy: Rules | PolicySource | undefined;
}

/** The policy of `--policy`, or else of the agent, or else of the folder. The hooks of a policy file are counted. */
async function policyFor(
  settings: ChatSettings,
  own: Partial<AgentOptions>,
  activity: HookActivity,
): Promise<PolicyOfChat> {
  const hasOwn = own.policy !== undefined || own.default !== undefined;
  const isOwn = settings.policyFile === undefined && hasOwn;
  const { policy, ...about } = isOwn
    ? { policy: own.policy, notice: undefined, file: undefined }
    : await chatPolicy(settings);
  if (!isFilePolicy(policy)) return { policy, ...about };
  const opened = typeof policy === 'string' ? openPolicy(policy, { cwd: own.cwd ?? settings.cwd }) : policy;
  const { loadHooks } = opened;
  if (loadHooks === undefined) return { policy: opened, ...about };
  const counted = async (helpers?: object): Promise<readonly Hook[]> =>
    (await loadHooks(helpers)).map((hook) => activity.watch(hook, 'the policy'));
  return { policy: { ...opened, loadHooks: counted }, ...about };
}
