import { modelUrl } from '../model/server.mjs';

/** @type {import('../driver.mjs').Driver} */
export const copilot = {
  title: 'GitHub Copilot CLI',
  package: '@github/copilot-linux-x64',
  program: (clis) => [`${clis}/@github/copilot-linux-x64/copilot`],
  env: ({ cache }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: 'scripted',
    COPILOT_MODEL: 'claude-sonnet-4.5',
    COPILOT_PROVIDER_WIRE_API: 'completions',
    COPILOT_AUTO_UPDATE: 'false',
    NO_COLOR: '1',
    // It unpacks 235 MB into every new cache folder.
    XDG_CACHE_HOME: cache,
  }),
  files: ({ server, project }) => ({
    '.copilot/config.json': JSON.stringify({ trustedFolders: [project] }),
    '.copilot/mcp-config.json': JSON.stringify({
      mcpServers: { lab: { type: 'local', command: server[0], args: server.slice(1), tools: ['*'] } },
    }),
  }),
  args: (prompt, mode) => [mode === 'bypass' ? '--yolo' : '--allow-all-tools', '-p', prompt],
  settings: '.copilot/settings.json',
  isManaged: true,
  switchOff: { path: '.github/copilot/settings.json', text: '{"disableAllHooks":true}' },
  asks: 'prompt',

  shell: (command) => ({ name: 'bash', input: { command, description: 'a step' } }),
  write: (path, content) => ({ name: 'create', input: { path, file_text: content } }),
  touch: (name) => ({ name: 'lab-touch', input: { name } }),
  delegate: (prompt, calls) => ({
    main: [
      {
        calls: [
          {
            name: 'task',
            input: { description: 'a part', prompt, agent_type: 'general-purpose', name: 'part', mode: 'sync' },
          },
        ],
      },
    ],
    subagent: [{ calls }, { text: 'Done.' }],
  }),
};
