/** The models of an agent and of its subagents: loaded when it starts, called through a caller for each session. */

import type { Assembly } from './assemble.ts';
import { ModelCaller } from './model-caller.ts';
import type { LanguageModel } from './models/language-model.ts';
import { loadModel } from './models/load-model.ts';
import type { ModelInput } from './options.ts';
import { plannerModel } from './planner/planner-model.ts';
import type { SubagentPlan } from './subagents.ts';

const ownModels = { 'bridle/planner': (): LanguageModel => plannerModel() };

function load(spec: string): Promise<LanguageModel> {
  return loadModel(spec, { own: ownModels });
}

export async function loadAll(model: ModelInput): Promise<readonly LanguageModel[]> {
  const wanted = (Array.isArray(model) ? model : [model]) as readonly (LanguageModel | string)[];
  return Promise.all(wanted.map((each) => (typeof each === 'string' ? load(each) : Promise.resolve(each))));
}

export function callerOf({ options, parts }: Assembly, models: readonly LanguageModel[]): ModelCaller {
  const { retries = 2, modelTimeoutMs: silenceMs = 120_000 } = options;
  return new ModelCaller({ models, retries, silenceMs, clock: parts.clock, load });
}

export async function planSubagents(
  assembly: Assembly,
  models: readonly LanguageModel[],
): Promise<ReadonlyMap<string, SubagentPlan>> {
  const { options, hiddenFrom, layers } = assembly;
  const plans = Object.entries(options.subagents ?? {}).map(async ([name, subagent]): Promise<SubagentPlan> => {
    const { instructions, model, settings = options.settings ?? {}, subagents: mayStart = [] } = subagent;
    const own = model === undefined ? models : await loadAll(model);
    const hides = hiddenFrom.get(name) ?? ((): boolean => true);
    const newCaller = (): ModelCaller => callerOf(assembly, own);
    return { name, instructions, settings, layer: layers.get(name), hides, mayStart, newCaller };
  });
  return new Map((await Promise.all(plans)).map((plan) => [plan.name, plan]));
}
