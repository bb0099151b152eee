import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

function bot(task, env = {}) {
  const options = { encoding: 'utf8', env: { ...process.env, ...env } };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bot.mjs', task], options);
  return { status, output: stdout + stderr };
}

test('exits with 0 if everything was allowed', () => {
  const { status, output } = bot('ls');
  assert.equal(status, 0, output);
});

test('exits with 1 if a call was denied, and records it', () => {
  const { status, output } = bot('npm publish');
  assert.equal(status, 1, output);
  assert.match(output, /run_command: denied/);
  const last = JSON.parse(readFileSync('journal.jsonl', 'utf8').trim().split('\n').at(-1));
  assert.deepEqual([last.entry.status, last.entry.args.command_line], ['denied', 'npm publish']);
});

test('exits with 2 if the bot itself fails', () => {
  const { status, output } = bot('ls', { BRIDLE_STORE: 'README.md' });
  assert.equal(status, 2, output);
  assert.match(output, /The bot failed/);
});
