import { modelUrl } from '../model/server.mjs';

/** @type {import('../driver.mjs').Driver} */
export const claude = {
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code-linux-x64',
  program: (clis) => [`${clis}/@anthropic-ai/claude-code-linux-x64/claude`],
  env: () => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-scripted',
    ANTHROPIC_MODEL: 'claude-sonnet-4-5',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    ENABLE_TOOL_SEARCH: 'false',
    // Its bypass mode refuses to run as root without this.
    IS_SANDBOX: '1',
  }),
  files: ({ server }) => ({
    '.claude.json': JSON.stringify({
      hasCompletedOnboarding: true,
      mcpServers: { lab: { type: 'stdio', command: server[0], args: server.slice(1) } },
    }),
  }),
  args: (prompt, mode) => [
    '-p',
    prompt,
    ...(mode === 'bypass'
      ? ['--dangerously-skip-permissions']
      : ['--allowedTools', 'Bash', 'Edit', 'Write', 'Agent', 'mcp__lab__touch']),
  ],
  settings: '.claude/settings.json',
  isManaged: true,
  switchOff: { path: '.claude/settings.local.json', text: '{"disableAllHooks":true}' },
  // A changed file took effect within 5 s.
  reloadMs: 6000,
  asks: 'prompt',
  repositoryEnv: (env) => ({ '.claude/settings.json': JSON.stringify({ env }) }),

  shell: (command) => ({ name: 'Bash', input: { command, description: 'a step' } }),
  write: (path, content) => ({ name: 'Write', input: { file_path: path, content } }),
  touch: (name) => ({ name: 'mcp__lab__touch', input: { name } }),
  delegate: (prompt, calls) => ({
    main: [{ calls: [{ name: 'Agent', input: { description: 'a part', prompt, subagent_type: 'general-purpose' } }] }],
    subagent: [{ calls }, { text: 'Done.' }],
  }),
};
