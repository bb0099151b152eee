/** The suites by name; what each needs is known before its peers are installed. */
export const suites = {
  dispatch: {
    title: 'calling 1, 5 or 20 hooks that have no opinion',
    nodeFlags: [],
    packages: ['tapable', 'hookable', '@strands-agents/sdk'],
  },
  decide: {
    title: 'one policy decision among 10 to 100,000 rules',
    // Without this flag cedar-wasm can abort Node 20 under load. It concerns calls into WebAssembly only.
    nodeFlags: ['--no-turbo-inline-js-wasm-calls'],
    packages: ['@casl/ability', '@microsoft/agent-governance-sdk', 'casbin', '@cedar-policy/cedar-wasm'],
  },
  guard: {
    title: 'the whole path of a tool call, 100 rules, memory journal',
    nodeFlags: ['--expose-gc'],
    packages: [],
  },
  shell: {
    title: 'what a command line does, one of 1,000',
    nodeFlags: [],
    packages: ['unbash', '@google/gemini-cli-core', 'cc-safety-net', 'shell-quote'],
  },
  cel: {
    title: 'one condition of a policy file',
    nodeFlags: [],
    packages: ['@marcbachmann/cel-js'],
  },
  check: {
    title: 'bridle check over 100,000 calls with 100 rules, and its start for one call',
    nodeFlags: [],
    packages: [],
  },
  hook: {
    title: 'one call of the hook in Claude Code, a process per call',
    nodeFlags: [],
    packages: ['cc-safety-net'],
  },
  turn: {
    title: 'one turn of an agent whose model answers immediately',
    nodeFlags: [],
    packages: ['@google/adk', 'ai', '@openai/agents', 'langchain', '@langchain/core'],
  },
  adapters: {
    title: 'one turn with one tool call in each framework, guarded and bare',
    nodeFlags: [],
    packages: [],
  },
  journal: {
    title: 'one durable record, and the path of a call with a durable journal',
    nodeFlags: [],
    packages: ['libsql', 'pg', '@microsoft/agent-governance-sdk'],
  },
  approvals: {
    title: 'from an answer in one process to the process that waits for it',
    nodeFlags: [],
    packages: ['libsql', 'pg'],
  },
  runs: {
    title: 'one step of a run that survives its process',
    nodeFlags: [],
    packages: ['libsql', 'pg', '@dbos-inc/dbos-sdk'],
  },
};
