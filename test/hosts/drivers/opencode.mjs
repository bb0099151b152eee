import { modelUrl } from '../model/server.mjs';

/** @type {import('../driver.mjs').Driver} */
export const opencode = {
  title: 'opencode',
  package: 'opencode-linux-x64',
  program: (clis) => [`${clis}/opencode-linux-x64/bin/opencode`],
  env: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    // It waits for a registry before it starts, unless that fails immediately.
    npm_config_registry: `${modelUrl}/`,
    npm_config_fetch_retries: '0',
  }),
  files: ({ server }) => ({
    '.config/opencode/opencode.json': JSON.stringify(
      {
        $schema: 'https://opencode.ai/config.json',
        model: 'scripted/model',
        small_model: 'scripted/model',
        autoupdate: false,
        share: 'disabled',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Scripted',
            options: { baseURL: `${modelUrl}/v1`, apiKey: 'scripted' },
            models: { model: { name: 'Scripted', limit: { context: 100_000, output: 8000 } } },
          },
        },
        mcp: { lab: { type: 'local', command: server, enabled: true } },
      },
      null,
      2,
    ),
  }),
  args: (prompt, mode) => ['run', ...(mode === 'bypass' ? ['--auto'] : []), prompt],
  settings: '.config/opencode/opencode.json',
  survives: 'no file in a repository removes a plugin of the user',
  switchOff: { path: 'opencode.json', text: '{"shell":"/bin/true"}' },
  asks: 'store',

  shell: (command) => ({ name: 'bash', input: { command, description: 'a step' } }),
  write: (path, content) => ({ name: 'write', input: { filePath: path, content } }),
  touch: (name) => ({ name: 'lab_touch', input: { name } }),
  delegate: (prompt, calls) => ({
    main: [{ calls: [{ name: 'task', input: { description: 'a part', prompt, subagent_type: 'general' } }] }],
    subagent: [{ calls }, { text: 'Done.' }],
  }),
};
