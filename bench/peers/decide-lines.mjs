/**
 * Decides command lines as Gemini CLI and cc-safety-net do with their default settings: `npm run corpus` starts it and
 * sends one JSON object per line, { "folder": …, "line": … }. The first answer gives the versions.
 */

import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { createInterface } from 'node:readline';
import { checkCommand } from 'cc-safety-net/api';

register('./engine-loader.mjs', import.meta.url);
// The engine logs what it does; stdout is for answers.
for (const kind of ['log', 'debug', 'info', 'warn', 'error']) console[kind] = () => undefined;

const core = new URL('../node_modules/@google/gemini-cli-core/', import.meta.url);
const { PolicyEngine } = await import(new URL('dist/src/policy/policy-engine.js', core));
const { NoopSandboxManager } = await import(new URL('dist/src/services/sandboxManager.js', core));

/** As policies/write.toml of the package has it; no other rule of its default policies is about commands. */
const shellRule = { toolName: 'run_shell_command', decision: 'ask_user', priority: 1.01, interactive: true };
const effects = { allow: 'allow', ask_user: 'ask', deny: 'deny' };
const engines = new Map();

/** Default approval mode, interactive, without a sandbox, in a folder that the user trusts. */
function engineFor(workspace) {
  let engine = engines.get(workspace);
  if (engine === undefined) {
    const sandboxManager = new NoopSandboxManager({ workspace });
    engine = new PolicyEngine({ rules: [{ ...shellRule }], sandboxManager, isTrustedFolder: () => true });
    engines.set(workspace, engine);
  }
  return engine;
}

async function decide({ folder, line }) {
  const call = { name: 'run_shell_command', args: { command: line } };
  const { decision } = await engineFor(folder).check(call);
  return { 'Gemini CLI': effects[decision], 'cc-safety-net': safetyNet(line, folder) };
}

/** It never asks. Its documentation says that a line must not run if the check throws. */
function safetyNet(command, cwd) {
  try {
    return checkCommand({ command, cwd }).kind;
  } catch {
    return 'deny';
  }
}

function version(name) {
  return JSON.parse(readFileSync(new URL(`../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
}

function answer(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

answer({ 'Gemini CLI': version('@google/gemini-cli-core'), 'cc-safety-net': version('cc-safety-net') });
for await (const request of createInterface({ input: process.stdin })) answer(await decide(JSON.parse(request)));
