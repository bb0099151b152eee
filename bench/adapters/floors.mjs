/**
 * Adapters that do nothing, at the same places of a framework as the real ones: what the framework itself charges for
 * being guarded at these places. By the entry point of the adapter.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** A model with functions of its own around the calls. */
const passedModel = (model) =>
  new Proxy(model, {
    get(target, key) {
      if (key === 'doGenerate') return async (options) => target.doGenerate(options);
      return Reflect.get(target, key, target);
    },
  });

/** Replaces a method of an agent. `make` gets the original one. */
const replace = (agent, name, make) => (agent[name] = make(agent[name].bind(agent)));

/** Agents that run inside a tool are found through the async context. */
const inTool = new AsyncLocalStorage();

export const floors = {
  'ai-sdk': {
    guardModel: (_guard, model) => passedModel(model),
    guardTools: (_guard, tools) =>
      Object.fromEntries(
        Object.entries(tools).map(([name, tool]) => [
          name,
          { ...tool, needsApproval: async () => false, execute: async (args, options) => tool.execute(args, options) },
        ]),
      ),
  },
  langchain: {
    guardMiddleware: () => ({
      name: 'floor',
      wrapToolCall: async (request, handler) => handler(request),
      wrapModelCall: async (request, handler) => handler(request),
    }),
  },
  'openai-agents': {
    guardAgent(_guard, agent) {
      const listTools = agent.getAllTools.bind(agent);
      const getAllTools = async (...given) =>
        (await listTools(...given)).map((tool) => ({
          ...tool,
          needsApproval: async () => false,
          invoke: async (context, input, details) => tool.invoke(context, input, details),
        }));
      Object.defineProperty(agent, 'getAllTools', { value: getAllTools });
      return agent;
    },
  },
  voltagent: {
    guardAgent(_guard, agent) {
      replace(agent, 'createToolExecutionFactory', (original) => (operation, hooks) => {
        const make = original(operation, hooks);
        return (tool) => {
          const execute = make(tool);
          return (args, options) => inTool.run(tool, execute, args, options);
        };
      });
      replace(agent, 'prepareTools', (original) => async (...given) => {
        const tools = Object.entries(await original(...given));
        return Object.fromEntries(tools.map(([name, tool]) => [name, { ...tool, needsApproval: async () => false }]));
      });
      replace(
        agent,
        'resolveModelReference',
        (original) =>
          async (...given) =>
            passedModel(await original(...given)),
      );
      return agent;
    },
  },
  mastra: {
    guardAgent(_guard, agent) {
      replace(agent, 'convertTools', (original) => async (options) => {
        const tools = Object.entries(await original(options));
        return Object.fromEntries(
          tools.map(([name, tool]) => [
            name,
            { ...tool, execute: (input, context) => inTool.run(tool, () => tool.execute(input, context)) },
          ]),
        );
      });
      replace(
        agent,
        'resolveModelConfig',
        (original) =>
          async (...given) =>
            passedModel(await original(...given)),
      );
      replace(agent, 'generate', (original) => (input, options) => inTool.run(agent, original, input, options));
      return agent;
    },
  },
};
