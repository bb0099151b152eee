/** Environment variable set for everything an agent starts. Commands meant for people refuse to run where it is set. */
export const agentVariable = 'BRIDLE_AGENT';

/** Variables that coding agents set for the commands they run. */
const codingAgents: Readonly<Record<string, string>> = {
  CLAUDECODE: 'Claude Code',
  CODEX_CI: 'Codex CLI',
  CODEX_SESSION_ID: 'Codex CLI',
  GEMINI_CLI: 'Gemini CLI',
  COPILOT_CLI: 'Copilot CLI',
  OPENCODE: 'opencode',
};

/** The variable that marks an environment as an agent's, and the agent's name; undefined if there is none. */
export function agentOf(
  variables: Iterable<string>,
): { readonly variable: string; readonly agent: string } | undefined {
  for (const variable of variables) {
    const agent =
      variable === agentVariable
        ? 'an agent'
        : Object.hasOwn(codingAgents, variable)
          ? codingAgents[variable]
          : undefined;
    if (agent !== undefined) return { variable, agent };
  }
  return undefined;
}

/**
 * True for Bridle's own variables, such as the store address and keys. Programs that an agent starts must not see them.
 */
export function isBridleVariable(name: string): boolean {
  return name.startsWith('BRIDLE_');
}
