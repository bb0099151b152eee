/** Assembles an agent from its options. Checks everything and opens nothing. */

import { resolve } from 'node:path';
import type { Mask } from '../../kernel/approval.ts';
import { systemClock } from '../../kernel/clock.ts';
import { deadlinesOf } from '../../kernel/deadlines.ts';
import { Catalog } from '../../kernel/catalog/catalog.ts';
import { buildGuard, type Guard } from '../../kernel/guard/guard.ts';
import type { PolicySource } from '../../kernel/guard/guard-options.ts';
import { defaultLimits } from '../../kernel/limits.ts';
import { defaultPinFile, openPins, type Pins } from '../../mcp/pins/pins.ts';
import { checkServerConfigs, serverDeclaration, type McpServerConfig } from '../../mcp/protocol/server-config.ts';
import { commandFolders } from '../../facts/paths/workspace/command-folders.ts';
import { realPathOf } from '../../facts/paths/resolve/resolve-path.ts';
import { type WorkspaceRule, workspaceOnly } from '../../facts/paths/workspace/workspace-only.ts';
import { compilePolicy } from '../../kernel/policy/compiler/compile-policy.ts';
import type { CompileOptions } from '../../kernel/policy/compiler/compile-options.ts';
import type { GuardPolicy } from '../../kernel/policy/evaluator/policy.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import type { ServerDeclaration, ToolDeclaration } from '../../kernel/tool.ts';
import { type AgentParts } from '../turn/agent-in-session.ts';
import { defaultCompaction } from '../model/history.ts';
import { createHidesPredicate } from '../options/capabilities.ts';
import { checkAgentOptions } from '../options/check-options.ts';
import { defaultLoop } from '../turn/agent-loop.ts';
import type { AgentOptions } from '../options/agent-options.ts';
import { type PolicyInput, refuseSecondDefault, inlineRulesOf, policySourceOf } from '../options/policy-input.ts';
import type { SessionRun } from '../../store/store-approver.ts';
import { pinRules } from './mcp-servers.ts';
import { type StoreParts, createStoreParts } from './store-parts.ts';
import { createPriceLookup } from '../model/providers/prices.ts';
import { ToolRegistry } from '../model/tool-registry.ts';
import { gatherTools, type GatheredTools } from './gather-tools.ts';

/** An agent before its start. */
export interface Assembly {
  readonly options: AgentOptions;
  readonly name: string;
  readonly parts: AgentParts;
  readonly servers: readonly McpServerConfig[];
  readonly pins: Pins;
  /** True for the tools hidden from the agent's own model. */
  readonly hides: (tool: ToolDeclaration) => boolean;
  /** The same, for each subagent by name. */
  readonly hiddenFrom: ReadonlyMap<string, (tool: ToolDeclaration) => boolean>;
  /** Warnings about tools with undeclared path arguments. */
  readonly review: (tools: readonly ToolDeclaration[]) => readonly string[];
  /** The additional policy layer of each subagent that has one. */
  readonly layers: ReadonlyMap<string, GuardPolicy>;
  /** The policy file, if the policy is kept in one. */
  readonly source: PolicySource | undefined;
  /** The runs in progress, by id. A run and its session have the same id. */
  readonly runs: Map<string, SessionRun>;
  readonly mask: Mask | undefined;
}

export function assemble(options: AgentOptions): Assembly {
  checkAgentOptions(options);
  const servers = checkServerConfigs(options.mcpServers ?? []);
  const gathered = gatherTools(options);
  const cwd = realPathOf(resolve(options.cwd ?? process.cwd()));
  const pins = openPins(pinFileOf(options, servers));
  const { workspaces = [cwd] } = options;
  const pathRules = [workspaces.length === 0 ? commandFolders() : workspaceOnly(workspaces, { cwd })];
  const source = policySourceOf(options.policy, { cwd, abstains: false });
  refuseSecondDefault(source, options.default);
  const runs = new Map<string, SessionRun>();
  const storeParts = createStoreParts(options, runs);
  const guard = buildAgentGuard(options, { gathered, servers, pins, pathRules, source, storeParts });
  const { subagents = {} } = options;
  const compileContext = { ...compileContextOf(options, gathered, servers), approver: storeParts.options.approver };
  const layerOf = (policy: PolicyInput): GuardPolicy =>
    policySourceOf(policy, { cwd, abstains: true })?.compileFor(
      new Catalog(gathered.declarations, compileContext.servers),
      compileContext,
    ) ?? compilePolicy(inlineRulesOf(policy), compileContext);
  return {
    options,
    name: options.name ?? 'main',
    parts: buildParts(options, { guard, gathered, cwd, mask: storeParts.options.mask }),
    servers,
    pins,
    hides: rootHides(options, gathered),
    hiddenFrom: new Map(Object.keys(subagents).map((name) => [name, subagentHides(options, gathered, name)])),
    review: (tools) => pathRules.flatMap((rule) => rule.review(tools)),
    layers: new Map(
      Object.entries(subagents).flatMap(([name, { policy }]) =>
        policy === undefined ? [] : [[name, layerOf(policy)]],
      ),
    ),
    source,
    runs,
    mask: storeParts.options.mask,
  };
}

function buildParts(
  options: AgentOptions,
  { guard, gathered, cwd, mask }: { readonly gathered: GatheredTools } & Pick<AgentParts, 'guard' | 'cwd' | 'mask'>,
): AgentParts {
  const { clock = systemClock } = options;
  return {
    guard,
    toolRegistry: new ToolRegistry(gathered.tools),
    loop: options.loop ?? defaultLoop,
    memory: options.memory,
    pricesOf: createPriceLookup(options.prices),
    compaction: { ...defaultCompaction, ...options.compaction },
    maxSteps: options.maxSteps ?? 100,
    clock,
    deadlines: deadlinesOf(clock),
    limits: Object.freeze({ ...defaultLimits, ...options.limits }),
    cwd,
    mask,
    subagentTool: gathered.subagentTool,
  };
}

interface GuardInputs {
  readonly gathered: GatheredTools;
  readonly servers: readonly McpServerConfig[];
  readonly pins: Pins;
  readonly pathRules: readonly WorkspaceRule[];
  readonly source: PolicySource | undefined;
  readonly storeParts: StoreParts;
}

function buildAgentGuard(
  options: AgentOptions,
  { gathered, servers, pins, pathRules, source, storeParts }: GuardInputs,
): Guard {
  const { hooks, resultOrder, limits, grant, timeoutMs, journalTimeoutMs, clock } = options;
  const extraRules: Rules = [pathRules, pinRules(servers, pins), storeParts.rules];
  return buildGuard({
    tools: gathered.declarations,
    servers: servers.map(serverDeclaration),
    policy:
      source === undefined
        ? [inlineRulesOf(options.policy), extraRules]
        : { ...source, compileFor: (catalog, context) => source.compileFor(catalog, context, extraRules) },
    default: options.default,
    hooks,
    resultOrder,
    limits,
    grant,
    timeoutMs,
    journalTimeoutMs,
    clock,
    ...storeParts.options,
  });
}

function compileContextOf(
  options: AgentOptions,
  gathered: GatheredTools,
  servers: readonly McpServerConfig[],
): CompileOptions & { readonly servers: readonly ServerDeclaration[] } {
  const { timeoutMs, limits, clock } = options;
  return { tools: gathered.declarations, servers: servers.map(serverDeclaration), timeoutMs, limits, clock };
}

function pinFileOf({ pins }: AgentOptions, servers: readonly McpServerConfig[]): string | undefined {
  if (pins === false || servers.length === 0) return undefined;
  return pins ?? defaultPinFile();
}

function rootHides(options: AgentOptions, gathered: GatheredTools): (tool: ToolDeclaration) => boolean {
  const hides = createHidesPredicate(options.capabilities, {
    tools: gathered.declarations,
    servers: (options.mcpServers ?? []).map(({ name }) => name),
    covered: ({ server, name }) => server === undefined && gathered.builtins.has(name),
    preset: 'all',
    owner: 'createAgent',
  });
  return (tool) => (tool.server === undefined && gathered.onlyOfSubagents.has(tool.name)) || hides(tool);
}

/** By default, a subagent sees its own tools and all tools without side effects. Its capabilities can change that. */
function subagentHides(
  options: AgentOptions,
  gathered: GatheredTools,
  name: string,
): (tool: ToolDeclaration) => boolean {
  const { capabilities, subagents: mayStart = [] } = options.subagents?.[name] ?? {};
  const isOwn = (tool: ToolDeclaration): boolean =>
    tool.server === undefined && (gathered.toolsOfSubagent.get(name)?.has(tool.name) ?? false);
  const isStart = (tool: ToolDeclaration): boolean =>
    tool.server === undefined && tool.name === gathered.subagentTool?.name;
  const hides = createHidesPredicate(capabilities, {
    tools: gathered.declarations,
    servers: (options.mcpServers ?? []).map(({ name }) => name),
    covered: (tool) => !isOwn(tool) && !isStart(tool),
    preset: 'readOnly',
    owner: `createAgent: subagents.${name}`,
  });
  return (tool) => {
    if (isStart(tool)) return mayStart.length === 0 || hides(tool);
    const isOfOtherSubagent = tool.server === undefined && gathered.onlyOfSubagents.has(tool.name) && !isOwn(tool);
    return isOfOtherSubagent || (!isOwn(tool) && hides(tool));
  };
}
