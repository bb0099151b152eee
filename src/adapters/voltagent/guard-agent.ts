/**
 * Guards an agent of VoltAgent. Every tool runs through the agent's `createToolExecutionFactory`, every list of tools
 * comes from `prepareTools`, and every model from `resolveModelReference`. These are replaced.
 */

import { BridleError } from '../../kernel/errors.ts';
import { quoteName } from '../../kernel/names.ts';
import type { AiModel } from '../ai-sdk/model-calls.ts';
import { DeclaredTools } from '../declared-tools.ts';
import type { FrameworkGuard } from '../framework-guard.ts';
import { checkVersion, refuseMissing } from '../installed-version.ts';
import type { AgentParts, EntryOptions, Operation, PrepareStep, VoltAgent } from './agent-parts.ts';
import { AgentRun, callingRun, frameworkName, type GuardAgentOptions, type Guarding, points } from './agent-run.ts';

type Entry = (...args: unknown[]) => Promise<unknown>;

const testedVersions = [
  { name: '@voltagent/core', versions: ['2.10.0'] },
  { name: 'ai', versions: ['6.0.326'] },
];
/** The methods that run an agent, and where their options are. */
const entries = { generateText: 1, streamText: 1, generateObject: 2, streamObject: 2 } as const;
const places = [
  'createOperationContext',
  'createToolExecutionFactory',
  'prepareTools',
  'resolveModelReference',
  'getSubAgents',
];
const guards = new WeakMap<object, FrameworkGuard>();
const watched = new WeakSet<object>();

/** Guards all tools, models and subagents of an agent, also those that are added later. Returns the same agent. */
export function guardAgent<A extends VoltAgent>(guard: FrameworkGuard, agent: A, options: GuardAgentOptions = {}): A {
  if (guards.get(agent) === guard) return agent;
  if (guards.has(agent)) throw invalid(`agent ${quoteName(agent.name)} has another guard already`);
  for (const tested of testedVersions) checkVersion(tested);
  const parts = agent as unknown as AgentParts & Record<string, unknown>;
  const names = [...places, ...Object.keys(entries)];
  const found = names.map((name) => [`${name} of the agent`, typeof parts[name] === 'function']);
  refuseMissing('VoltAgent', Object.fromEntries(found) as Record<string, boolean>);
  guard.attach({ framework: frameworkName, points, tools: [] });
  guards.set(agent, guard);
  new GuardedAgent({ guard, options, declared: new DeclaredTools(({ name }) => name) }, parts).attach();
  watchClass(parts);
  return agent;
}

function invalid(message: string): BridleError {
  return new BridleError('FRAMEWORK_UNSUPPORTED', message);
}

class GuardedAgent {
  private readonly runs = new WeakMap<Operation, AgentRun>();
  private readonly models = new WeakMap<object, AgentRun>();

  constructor(
    private readonly guarding: Guarding,
    private readonly agent: AgentParts,
  ) {}

  attach(): void {
    const { agent } = this;
    const factory = agent.createToolExecutionFactory.bind(agent);
    const prepare = agent.prepareTools.bind(agent);
    const resolve = agent.resolveModelReference.bind(agent);
    agent.createToolExecutionFactory = (operation, hooks) => {
      const make = factory(operation, hooks);
      return (tool) => this.runOf(operation).execution(tool, make);
    };
    agent.prepareTools = (adHoc, operation, ...more) => {
      this.guardSubAgents();
      return prepare(adHoc, operation, ...more).then((tools) => this.runOf(operation).list(tools));
    };
    agent.resolveModelReference = (model, operation) =>
      resolve(model, operation).then((resolved) => this.guardModel(this.runOf(operation), resolved));
    if (agent.prepareStep !== undefined) agent.prepareStep = this.guardStep(agent.prepareStep);
    for (const [name, index] of Object.entries(entries)) this.guardEntry(name, index);
  }

  private guardEntry(name: string, index: number): void {
    const own = this.agent as unknown as Record<string, Entry>;
    const original = (own[name] as Entry).bind(this.agent);
    own[name] = (...args) => {
      const options = args[index] as EntryOptions | undefined;
      if (options?.model !== undefined) return Promise.reject(otherModel());
      if (options?.prepareStep === undefined) return original(...args);
      return original(...args.with(index, { ...options, prepareStep: this.guardStep(options.prepareStep) }));
    };
  }

  /** A step may use another model. */
  private guardStep(prepareStep: PrepareStep): PrepareStep {
    return async (step: { readonly model: object }) => {
      const changed = (await prepareStep(step as never)) as { readonly model?: AiModel } | undefined;
      const run = this.models.get(step.model);
      if (changed?.model === undefined) return changed;
      if (run === undefined) throw invalid('prepareStep was called outside a run of the agent');
      return { ...changed, model: this.guardModel(run, changed.model) };
    };
  }

  private guardModel(run: AgentRun, model: AiModel): AiModel {
    if (typeof model !== 'object' || model === null) throw invalid(`the model ${String(model)} is not an object`);
    if (this.models.has(model)) return model;
    const guarded = run.guardModel(model);
    this.models.set(guarded, run);
    return guarded;
  }

  private guardSubAgents(): void {
    for (const each of this.agent.getSubAgents()) {
      const agent = 'method' in each ? each.agent : each;
      if (!guards.has(agent)) guardAgent(this.guarding.guard, agent, this.guarding.options);
    }
  }

  private runOf(operation: Operation): AgentRun {
    const known = this.runs.get(operation);
    if (known !== undefined) return known;
    // Tools get a copy of the operation, and a tool may run another tool of the same run.
    const outer = callingRun();
    if (outer?.operationId !== undefined && outer.operationId === operation.operationId) return outer;
    const run = new AgentRun(this.guarding, this.agent.name, operation);
    this.runs.set(operation, run);
    return run;
  }
}

function otherModel(): BridleError {
  return invalid('a model in the options of one call is not guarded; set it on the agent');
}

/** Agents that a tool creates or keeps to itself, as a PlanAgent does, are guarded when they start inside that tool. */
function watchClass(agent: AgentParts): void {
  let owner = Object.getPrototypeOf(agent) as AgentParts;
  while (!Object.hasOwn(owner, 'createOperationContext')) owner = Object.getPrototypeOf(owner) as AgentParts;
  if (watched.has(owner)) return;
  watched.add(owner);
  const original = Reflect.get(owner, 'createOperationContext');
  owner.createOperationContext = function (this: AgentParts, input, options) {
    const run = callingRun();
    if (run !== undefined && !guards.has(this)) {
      if (options?.model !== undefined) throw otherModel();
      if (options?.prepareStep !== undefined) throw invalid(`agent ${quoteName(this.name)} is not guarded`);
      guardAgent(run.guarding.guard, this, run.guarding.options);
    }
    return original.call(this, input, options);
  };
}
