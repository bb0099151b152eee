import { writeFileSync } from 'node:fs';
import { createAgent } from 'bridle/agent';
import { recordLine } from 'bridle/journal';
import { openStore } from 'bridle/store';
import { scriptedModel } from 'bridle/testing';

const [task = 'ls'] = process.argv.slice(2);

// This script runs the task as a command. A real model: npm install @ai-sdk/anthropic, set ANTHROPIC_API_KEY, and write
// 'anthropic/claude-opus-5' here.
const model = scriptedModel([{ toolCalls: [{ tool: 'run_command', args: { command_line: task } }] }, 'Done.']);

const finished = ['end', 'finished'];

/** Runs the task and returns the exit code. There is no approver: a call that a rule asks about is denied. */
async function run(store) {
  const agent = createAgent({
    model,
    instructions: 'You work alone in continuous integration. Nobody can answer questions.',
    capabilities: { enabledTools: ['view_file', 'list_directory', 'find_file', 'run_command'] },
    policy: 'bridle.yaml',
    maxSteps: 20,
    store,
  });
  await agent.start();
  try {
    const { text, toolCalls, stopReason } = await agent.chat(task);
    for (const { tool, outcome, reason = '' } of toolCalls) console.log(`${tool}: ${outcome} ${reason}`.trimEnd());
    console.log(text);
    return finished.includes(stopReason) && toolCalls.every(({ outcome }) => outcome === 'ok') ? 0 : 1;
  } finally {
    await agent.stop();
  }
}

/** Writes every record of the journal, also if the task failed. */
async function exportJournal(store) {
  const lines = [];
  for await (const record of store.journal.read()) lines.push(`${recordLine(record)}\n`);
  writeFileSync('journal.jsonl', lines.join(''));
}

try {
  const store = await openStore(process.env.BRIDLE_STORE);
  try {
    process.exitCode = await run(store);
  } finally {
    await exportJournal(store);
    await store.close();
  }
} catch (error) {
  console.error(`The bot failed: ${error.message}`);
  process.exitCode = 2;
}
