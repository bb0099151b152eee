/**
 * Adapters that do nothing, at the same places of a framework as the real ones: what the framework itself charges for
 * being guarded at these places. By the entry point of the adapter.
 */

export const floors = {
  'ai-sdk': {
    guardModel: (_guard, model) =>
      new Proxy(model, {
        get(target, key) {
          if (key === 'doGenerate') return async (options) => target.doGenerate(options);
          return Reflect.get(target, key, target);
        },
      }),
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
};
