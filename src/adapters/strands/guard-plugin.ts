/**
 * A plugin for agents of Strands. It puts the guard inside all middleware, next to the tool and the model, so nothing can
 * change a call after it was decided.
 */

import { getOrCreate } from '../../kernel/lazy.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { checkVersion, refuseMissing } from '../installed-version.ts';
import { modelPoints } from '../model-call.ts';
import { frameworkName, GuardedAgent, type SharedParts } from './guarded-agent.ts';
import type { AnyNext, McpClient, MiddlewareRegistry, StrandsAgent } from './strands-types.ts';
import { ToolCalls } from './tool-calls.ts';

export interface GuardPluginOptions {
  /** The id of the session. Default: that of the agent's SessionManager, or a new one for each agent. */
  readonly session?: string | undefined;
  /** The names of agents from the root to this one. Default: `main`. Agents that are used as tools come below it. */
  readonly agent?: readonly string[] | undefined;
  /** The MCP clients of the agent, by the name that rules use for the server. Default: the prefix of a client. */
  readonly mcpServers?: Readonly<Record<string, object>> | undefined;
}

/** A plugin of Strands: `new Agent({ plugins: [plugin] })`. */
export interface GuardPlugin {
  readonly name: string;
  initAgent(agent: object): Promise<void>;
}

const testedVersions = { name: '@strands-agents/sdk', versions: ['1.19.0'] };
const points = ['preToolCall', 'postToolCall', 'onToolError', ...modelPoints] as const;

/** Guards the agents that it is given to, and the agents that they use as tools. */
export function guardPlugin(guard: FrameworkGuard, options: GuardPluginOptions = {}): GuardPlugin {
  checkVersion(testedVersions);
  guard.attach({ framework: frameworkName, points, tools: [] });
  const servers = Object.entries(options.mcpServers ?? {}).map(
    ([name, client]) => [client as McpClient, name] as const,
  );
  const parts: SharedParts = {
    guard,
    calls: new ToolCalls(guard, { framework: frameworkName, mcpServers: new Map(servers) }),
    session: options.session,
    path: options.agent ?? ['main'],
    adopt: (agent) => guardAgent(agent, parts),
  };
  return { name: 'bridle', initAgent: (agent) => guardAgent(agent as StrandsAgent, parts) };
}

/** Agents that are guarded already: an agent may have the plugin and be used as a tool, too. */
const guardedAgents = new WeakMap<FrameworkGuard, WeakMap<StrandsAgent, Promise<void>>>();

/** If it fails, it fails again each time. */
function guardAgent(agent: StrandsAgent, parts: SharedParts): Promise<void> {
  const known = getOrCreate(guardedAgents, parts.guard, () => new WeakMap<StrandsAgent, Promise<void>>());
  return getOrCreate(known, agent, () => attachTo(agent, parts));
}

async function attachTo(agent: StrandsAgent, parts: SharedParts): Promise<void> {
  refuseMissing('Strands', {
    'the middleware of the agent': typeof agent._middlewareRegistry?.compose === 'function',
    'the tool registry of the agent': typeof agent.toolRegistry?.resolve === 'function',
    'the interrupts of the agent': typeof agent._interruptState?.registerInterrupt === 'function',
  });
  const guarded = new GuardedAgent(agent, parts);
  const resolve = agent.toolRegistry.resolve.bind(agent.toolRegistry);
  agent.toolRegistry.resolve = (name) => guarded.direct(resolve(name));
  await attachToMiddleware(agent._middlewareRegistry as MiddlewareRegistry, guarded);
}

/** Strands composes the middleware of a stage each time it gets there. The guard is the last one. */
async function attachToMiddleware(registry: MiddlewareRegistry, guarded: GuardedAgent): Promise<void> {
  const compose = registry.compose.bind(registry);
  let isReached = false;
  registry.compose = (stage, terminal) => {
    isReached = true;
    return compose(stage, lastOf(stage.name, terminal, guarded));
  };
  await registry.invoke({ name: 'bridle' }, {} as never, async function* () {}).next();
  refuseMissing('Strands', { 'the composition of middleware': isReached });
}

function lastOf(stage: string, terminal: AnyNext, guarded: GuardedAgent): AnyNext {
  if (stage === 'agentStream') return (context) => guarded.run(context, terminal as never);
  if (stage === 'invokeModel') return (context) => guarded.model(context, terminal as never);
  if (stage === 'executeTool') return (context) => guarded.call(context, terminal as never);
  return terminal;
}
