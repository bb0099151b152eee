/** Loads the models of an agent and its subagents at the start, and creates one model caller per session. */

import type { Assembly } from './assemble.ts';
import { ModelCaller } from '../model/model-caller.ts';
import type { LanguageModel } from '../model/model-interface.ts';
import { loadModel } from '../model/providers/load-model.ts';
import type { ModelInput } from '../options/agent-options.ts';
import type { SubagentPlan } from '../turn/subagents.ts';

export async function loadModels(model: ModelInput): Promise<readonly LanguageModel[]> {
  const models = (Array.isArray(model) ? model : [model]) as readonly (LanguageModel | string)[];
  return Promise.all(models.map((each) => (typeof each === 'string' ? loadModel(each) : Promise.resolve(each))));
}

export function createCaller({ options, parts }: Assembly, models: readonly LanguageModel[]): ModelCaller {
  const { retries = 2, modelTimeoutMs: idleTimeoutMs = 120_000 } = options;
  return new ModelCaller({
    models,
    retries,
    idleTimeoutMs,
    clock: parts.clock,
    deadlines: parts.deadlines,
    load: loadModel,
  });
}

export async function planSubagents(
  assembly: Assembly,
  models: readonly LanguageModel[],
): Promise<ReadonlyMap<string, SubagentPlan>> {
  const { options, hiddenFrom, layers } = assembly;
  const plans = Object.entries(options.subagents ?? {}).map(async ([name, subagent]): Promise<SubagentPlan> => {
    const { instructions, model, settings = options.settings ?? {}, subagents: mayStart = [] } = subagent;
    const own = model === undefined ? models : await loadModels(model);
    const hides = hiddenFrom.get(name) ?? ((): boolean => true);
    const newCaller = (): ModelCaller => createCaller(assembly, own);
    return { name, instructions, settings, layer: layers.get(name), hides, mayStart, newCaller };
  });
  return new Map((await Promise.all(plans)).map((plan) => [plan.name, plan]));
}
