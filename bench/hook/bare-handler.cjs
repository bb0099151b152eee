/** The least that a hook must do: read the payload of a call, look at its command, answer. No policy, no record. */

'use strict';

const { readFileSync } = require('node:fs');

/** What the host does with the call if the hook has no opinion. */
const pass = {};

function deny(reason) {
  const decision = { permissionDecision: 'deny', permissionDecisionReason: reason };
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', ...decision } };
}

function answer(payload) {
  if (payload.hook_event_name !== 'PreToolUse') return pass;
  const { tool_name: tool, tool_input: input } = payload;
  if (tool !== 'Bash' || typeof input?.command !== 'string') return pass;
  return /\brm\s+-rf\s+\//.test(input.command) ? deny('This deletes everything.') : pass;
}

try {
  const text = readFileSync(0, 'utf8');
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(text)))}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
