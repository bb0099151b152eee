import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { scriptedApprover, scriptedModel } from 'bridle/testing';
import { createProjectAgent } from './agent.mjs';

/** Lets the model call one tool, and gives each question one of these answers. */
async function callTool(tool, args, answers = []) {
  const model = scriptedModel([{ toolCalls: [{ tool, args }] }, 'Done.']);
  const approver = scriptedApprover(answers);
  const agent = createProjectAgent({ model, approver: approver.approver });
  await agent.start();
  const { toolCalls } = await agent.chat('Go');
  await agent.stop();
  approver.assertDone();
  return toolCalls[0];
}

afterEach(() => rmSync('notes.txt', { force: true }));

test('reads files without asking', async () => {
  const { outcome } = await callTool('view_file', { file_path: 'README.md' });
  assert.equal(outcome, 'ok');
});

test('never reads secrets', async () => {
  const { outcome, reason } = await callTool('view_file', { file_path: '.env' });
  assert.equal(outcome, 'denied');
  assert.match(reason, /Files with secrets stay closed/);
});

test('adds a note if a person approves it', async () => {
  const { outcome } = await callTool('add_note', { text: 'Buy milk' }, [true]);
  assert.equal(outcome, 'ok');
  assert.ok(existsSync('notes.txt'));
});

test('adds no note if a person refuses it', async () => {
  const { outcome } = await callTool('add_note', { text: 'Buy milk' }, [false]);
  assert.equal(outcome, 'denied');
  assert.ok(!existsSync('notes.txt'));
});
