/** Puts an agent together from what it was given: everything is checked here, and nothing is opened yet. */

import { resolve } from 'node:path';
import type { Mask } from '../approval.ts';
import { systemClock } from '../clock.ts';
import { Catalog } from '../catalog/catalog.ts';
import { rememberProposals } from '../documents/remember/remember-proposals.ts';
import { buildGuard, type Guard, type PolicySource } from '../guard/guard.ts';
import { defaultLimits } from '../limits.ts';
import { defaultPinFile, openPins, type Pins } from '../mcp/pins.ts';
import { checkServerConfigs, declarationOf, type McpServerConfig } from '../mcp/server-config.ts';
import { commandFolders } from '../paths/command-folders.ts';
import { placeOf } from '../paths/resolve-path.ts';
import { type CheckRule, workspaceOnly } from '../paths/workspace-only.ts';
import { compile } from '../policy/compile.ts';
import type { CompileOptions } from '../policy/compile-options.ts';
import type { GuardPolicy } from '../policy/policy.ts';
import type { Rules } from '../policy/rule.ts';
import type { ServerDeclaration, ToolDeclaration } from '../tool.ts';
import type { AgentParts } from './actor.ts';
import { hidesBy } from './capabilities.ts';
import { checkAgentOptions } from './check-options.ts';
import { defaultCompaction } from './compaction-options.ts';
import { loop } from './core.ts';
import type { AgentOptions } from './options.ts';
import { type PolicyInput, refuseSecondDefault, rulesOf, sourceOf } from './policy-input.ts';
import type { AskingRun } from '../store/store-approver.ts';
import { pinRules } from './servers.ts';
import { type StoreParts, storeParts } from './store-parts.ts';
import { priceFinder } from './models/price-finder.ts';
import { ToolKit } from './tool-kit.ts';
import { gatherTools, type ToolSet } from './tool-set.ts';

/** An agent that was put together and has opened nothing. */
export interface Assembly {
  readonly options: AgentOptions;
  readonly name: string;
  readonly parts: AgentParts;
  readonly servers: readonly McpServerConfig[];
  readonly pins: Pins;
  /** What the agent's own model does not see. */
  readonly hides: (tool: ToolDeclaration) => boolean;
  /** The same for each subagent. */
  readonly hiddenFrom: ReadonlyMap<string, (tool: ToolDeclaration) => boolean>;
  /** Looks at all tools for path arguments nobody declared. */
  readonly review: (tools: readonly ToolDeclaration[]) => readonly string[];
  /** The further layers of subagents. */
  readonly layers: ReadonlyMap<string, GuardPolicy>;
  /** Where the policy is kept, if it is kept in a file. */
  readonly source: PolicySource | undefined;
  /** Runs that are being worked on, by id, which is also that of their session. */
  readonly runs: Map<string, AskingRun>;
  readonly mask: Mask | undefined;
}

export function assemble(options: AgentOptions): Assembly {
  checkAgentOptions(options);
  const servers = checkServerConfigs(options.mcpServers ?? []);
  const set = gatherTools(options);
  const cwd = placeOf(resolve(options.cwd ?? process.cwd()));
  const pins = openPins(pinFile(options, servers));
  const { workspaces = [cwd] } = options;
  const confined = [workspaces.length === 0 ? commandFolders() : workspaceOnly(workspaces, { cwd })];
  const source = sourceOf(options.policy, { cwd, abstains: false });
  refuseSecondDefault(source, options.default);
  const runs = new Map<string, AskingRun>();
  const kept = storeParts(options, runs);
  const guard = guardOf(options, { set, servers, pins, confined, source, kept });
  const { subagents = {} } = options;
  const around = { ...surroundings(options, set, servers), approver: kept.options.approver };
  const layerOf = (policy: PolicyInput): GuardPolicy =>
    sourceOf(policy, { cwd, abstains: true })?.compileFor(new Catalog(set.declarations, around.servers), around) ??
    compile(rulesOf(policy), around);
  return {
    options,
    name: options.name ?? 'main',
    parts: partsOf(options, { guard, set, cwd, mask: kept.options.mask }),
    servers,
    pins,
    hides: rootHides(options, set),
    hiddenFrom: new Map(Object.keys(subagents).map((name) => [name, subagentHides(options, set, name)])),
    review: (tools) => confined.flatMap((rule) => rule.review(tools)),
    layers: new Map(
      Object.entries(subagents).flatMap(([name, { policy }]) =>
        policy === undefined ? [] : [[name, layerOf(policy)]],
      ),
    ),
    source,
    runs,
    mask: kept.options.mask,
  };
}

function partsOf(
  options: AgentOptions,
  { guard, set, cwd, mask }: { readonly set: ToolSet } & Pick<AgentParts, 'guard' | 'cwd' | 'mask'>,
): AgentParts {
  return {
    guard,
    kit: new ToolKit(set.tools),
    core: options.core ?? loop,
    memory: options.memory,
    pricesOf: priceFinder(options.prices),
    compaction: { ...defaultCompaction, ...options.compaction },
    maxSteps: options.maxSteps ?? 100,
    clock: options.clock ?? systemClock,
    limits: Object.freeze({ ...defaultLimits, ...options.limits }),
    cwd,
    mask,
    subagentTool: set.subagentTool,
  };
}

interface GuardNeeds {
  readonly set: ToolSet;
  readonly servers: readonly McpServerConfig[];
  readonly pins: Pins;
  readonly confined: readonly CheckRule[];
  readonly source: PolicySource | undefined;
  readonly kept: StoreParts;
}

function guardOf(options: AgentOptions, { set, servers, pins, confined, source, kept }: GuardNeeds): Guard {
  const { hooks, resultOrder, limits, grant, timeoutMs, journalTimeoutMs, clock } = options;
  const besides: Rules = [confined, pinRules(servers, pins), kept.rules];
  return buildGuard({
    tools: set.declarations,
    servers: servers.map(declarationOf),
    policy:
      source === undefined
        ? [rulesOf(options.policy), besides]
        : { ...source, compileFor: (catalog, around) => source.compileFor(catalog, around, besides) },
    default: options.default,
    hooks,
    resultOrder,
    limits,
    grant,
    timeoutMs,
    journalTimeoutMs,
    clock,
    proposals: rememberProposals(),
    ...kept.options,
  });
}

function surroundings(
  options: AgentOptions,
  set: ToolSet,
  servers: readonly McpServerConfig[],
): CompileOptions & { readonly servers: readonly ServerDeclaration[] } {
  const { timeoutMs, limits, clock } = options;
  return { tools: set.declarations, servers: servers.map(declarationOf), timeoutMs, limits, clock };
}

function pinFile({ pins }: AgentOptions, servers: readonly McpServerConfig[]): string | undefined {
  if (pins === false || servers.length === 0) return undefined;
  return pins ?? defaultPinFile();
}

function rootHides(options: AgentOptions, set: ToolSet): (tool: ToolDeclaration) => boolean {
  const hides = hidesBy(options.capabilities, {
    tools: set.declarations,
    servers: (options.mcpServers ?? []).map(({ name }) => name),
    covered: ({ server, name }) => server === undefined && set.builtins.has(name),
    preset: 'all',
    of: 'createAgent',
  });
  return (tool) => (tool.server === undefined && set.onlyOfSubagents.has(tool.name)) || hides(tool);
}

/** A subagent sees what changes nothing, its own tools, and what its capabilities name. */
function subagentHides(options: AgentOptions, set: ToolSet, name: string): (tool: ToolDeclaration) => boolean {
  const { capabilities, subagents: mayStart = [] } = options.subagents?.[name] ?? {};
  const isOwn = (tool: ToolDeclaration): boolean =>
    tool.server === undefined && (set.given.get(name)?.has(tool.name) ?? false);
  const isStart = (tool: ToolDeclaration): boolean => tool.server === undefined && tool.name === set.subagentTool?.name;
  const hides = hidesBy(capabilities, {
    tools: set.declarations,
    servers: (options.mcpServers ?? []).map(({ name }) => name),
    covered: (tool) => !isOwn(tool) && !isStart(tool),
    preset: 'readOnly',
    of: `createAgent: subagents.${name}`,
  });
  return (tool) => {
    if (isStart(tool)) return mayStart.length === 0 || hides(tool);
    const foreign = tool.server === undefined && set.onlyOfSubagents.has(tool.name) && !isOwn(tool);
    return foreign || (!isOwn(tool) && hides(tool));
  };
}
