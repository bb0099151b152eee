/** A plugin for the Runner of ADK. */

import type { FrameworkGuard } from '../framework-guard.ts';
import { checkVersion } from '../installed-version.ts';
import { modelPoints } from '../model-call.ts';
import type { AdkEvent, AdkNode, AdkRequest, InvocationContext, ToolContext } from './adk-types.ts';
import { GuardedRunner, type GuardPluginOptions, pluginName, type ToolOutcome } from './guarded-runner.ts';
import { frameworkName } from './guarded-runs.ts';

/** ADK calls all of these, so they must exist. It awaits what they return, so those that need not wait return no promise. */
const callbacks = [
  'onUserMessageCallback',
  'beforeRunCallback',
  'onEventCallback',
  'afterRunCallback',
  'beforeAgentCallback',
  'afterAgentCallback',
  'beforeNodeCallback',
  'afterNodeCallback',
  'beforeModelCallback',
  'afterModelCallback',
  'onModelErrorCallback',
  'beforeToolSelection',
  'beforeContextCompaction',
  'afterContextCompaction',
  'beforeToolCallback',
  'afterToolCallback',
  'onToolErrorCallback',
] as const;

/** A plugin of ADK: `new Runner({ plugins: [plugin] })`. */
export type GuardPlugin = { readonly name: string } & Readonly<
  Record<(typeof callbacks)[number], (params: never) => Promise<undefined>>
>;

interface InContext {
  readonly invocationContext: InvocationContext;
}

const testedVersions = { name: '@google/adk', versions: ['2.0.0'] };
const points = ['preToolCall', 'postToolCall', 'onToolError', ...modelPoints] as const;

function nothing(): undefined {
  return undefined;
}

/** Guards the tools and models of all agents of a Runner, and of the agents that they use as tools. */
export function guardPlugin(guard: FrameworkGuard, options: GuardPluginOptions = {}): GuardPlugin {
  checkVersion(testedVersions);
  guard.attach({ framework: frameworkName, points, tools: [] });
  const runner = new GuardedRunner(guard, options);
  const own = {
    beforeRunCallback: ({ invocationContext }: InContext) => runner.begin(invocationContext),
    onEventCallback: ({ invocationContext, event }: InContext & { readonly event: AdkEvent }) =>
      runner.runs.noteEvent(invocationContext, event),
    afterRunCallback: ({ invocationContext }: InContext) => runner.runs.end(invocationContext),
    beforeModelCallback: (model: { readonly callbackContext: ToolContext; readonly llmRequest: AdkRequest }) =>
      runner.beforeModel(model.callbackContext.invocationContext, model.llmRequest),
    beforeNodeCallback: ({ node }: { readonly node: AdkNode }) => runner.beforeNode(node),
    beforeToolCallback: ({ tool }: { readonly tool: unknown }) => runner.beforeTool(tool),
    afterToolCallback: (outcome: ToolOutcome) => runner.afterTool(outcome, outcome.result),
    onToolErrorCallback: (outcome: ToolOutcome) => runner.afterTool(outcome, { error: outcome.error?.message }),
  };
  const plugin = {
    name: pluginName,
    ...Object.fromEntries(callbacks.map((name) => [name, nothing])),
    ...own,
  } as unknown as GuardPlugin;
  runner.plugin = plugin;
  return plugin;
}
