import { modelUrl } from '../model/server.mjs';

/** @type {import('../driver.mjs').Driver} */
export const codex = {
  title: 'Codex CLI',
  package: '@openai/codex-linux-x64',
  program: (clis) => [`${clis}/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex`],
  env: ({ home }) => ({ SCRIPTED_KEY: 'scripted', CODEX_HOME: `${home}/.codex` }),
  files: ({ server, project }) => ({
    '.codex/config.toml': `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"

[mcp_servers.lab]
command = "${server[0]}"
args = ${JSON.stringify(server.slice(1))}

[projects."${project}"]
trust_level = "trusted"
`,
  }),
  args: (prompt, mode) => [
    'exec',
    '--skip-git-repo-check',
    ...(mode === 'bypass' ? ['--dangerously-bypass-approvals-and-sandbox'] : ['-s', 'danger-full-access']),
    prompt,
  ],
  settings: '.codex/hooks.json',
  isManaged: true,
  switchOff: { path: '.codex/config.toml', text: 'features.hooks = false' },
  asks: 'store',

  shell: (command) => ({ name: 'exec_command', input: { cmd: command } }),
  write: (path, content) => ({
    name: 'apply_patch',
    text: `*** Begin Patch\n*** Add File: ${path}\n${content.trimEnd().replaceAll(/^/gm, '+')}\n*** End Patch\n`,
  }),
  touch: (name) => ({ name: 'touch', namespace: 'mcp__lab', input: { name } }),
  delegate: (prompt, calls) => ({
    main: [
      { calls: [{ name: 'spawn_agent', namespace: 'multi_agent_v1', input: { message: prompt } }] },
      { calls: (history) => [waitFor(history)] },
    ],
    subagent: [{ calls }, { text: 'Done.' }],
  }),
};

function waitFor(history) {
  const agents = [...history.matchAll(/agent_id\\*": ?\\*"([0-9a-f-]{20,})/g)].map(([, id]) => id);
  const input = { targets: agents.slice(-1), timeout_ms: 20_000 };
  return { name: 'wait_agent', namespace: 'multi_agent_v1', input };
}
