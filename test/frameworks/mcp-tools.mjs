/** The tools of the MCP server "files", for drivers whose framework takes them as functions. It notes its calls. */
export function fileServer() {
  const calls = [];
  const tool = (name, run) => ({
    name,
    run: async (args) => {
      calls.push(name);
      return run(args);
    },
  });
  return {
    calls,
    tools: [tool('read', ({ path }) => `contents of ${path}`), tool('remove', ({ path }) => `removed ${path}`)],
  };
}
