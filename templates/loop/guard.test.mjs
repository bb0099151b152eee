import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryJournal, scriptedApprover } from 'bridle/testing';
import { guardTools } from './guard.mjs';

async function refund(amount, answers = []) {
  const approver = scriptedApprover(answers);
  const journal = memoryJournal();
  const { guard, tools } = guardTools({ approver: approver.approver, journal });
  const result = await tools.refund.execute({ id: 'A1', amount });
  await guard.end();
  approver.assertDone();
  return { result, ran: journal.entries().some(({ kind }) => kind === 'settled') };
}

test('refunds small amounts without asking', async () => {
  assert.deepEqual(await refund(20), { result: 'refunded 20 of A1', ran: true });
});

test('refunds larger amounts only if a person approves', async () => {
  assert.equal((await refund(200, [true])).ran, true);
  assert.equal((await refund(200, [false])).ran, false);
});

test('never refunds very large amounts, and tells the model why', async () => {
  const { result, ran } = await refund(9000);
  assert.equal(ran, false);
  assert.match(result, /Denied refund/);
});

test('does not run a call whose args do not fit', async () => {
  assert.equal((await refund(-5)).ran, false);
});
