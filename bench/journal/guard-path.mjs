/** The whole path of an allowed call with a journal that is durable, beside a peer with its audit log. */

import { openSync, closeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { blaming, compare, perPart, toRow } from '../measure.mjs';
import { agtClient } from '../peers/agt.mjs';
import { bridleTurn } from '../peers/bridle.mjs';
import { makeCalls, makeRules } from '../rule-set.mjs';
import { load } from '../dist.mjs';

const { maskSecrets } = await load('journal/index.js');
const { openStore } = await load('store/index.js');

const rules = makeRules(100);
const [call] = makeCalls(rules).first;
const host = { run: async () => 'done' };
const sizes = { '1 at a time': 1, '100 at once': 100 };

export async function guardPath({ scratch, pace }, emit) {
  for (const kind of scratch.kinds) {
    const contestants = await openAll(scratch, kind);
    for (const { name, one } of contestants) await blaming(name, () => one(0));
    for (const [title, size] of Object.entries(sizes)) {
      const runs = contestants.map(({ name, one, many, reset }) => ({
        name,
        reset,
        call: (i) => (size === 1 ? one(i) : (many ?? together(one))(i, size)),
      }));
      emit(perPart(toRow('journal', `guard, ${kind}, ${title}`, await compare(runs, pace)), size));
    }
    for (const { close } of contestants) await close?.();
  }
}

const together = (one) => (i, size) => Promise.all(Array.from({ length: size }, (_, k) => one(i * size + k)));

async function openAll(scratch, kind) {
  return [await bridle(scratch, kind), await byHand(scratch, kind), agt(), await agtSynced(scratch)];
}

async function bridle(scratch, kind) {
  const store = await openStore(scratch.place(kind));
  const mask = maskSecrets({ key: store.keys.secret('masks') });
  let turn;
  const reset = async () => {
    turn = await bridleTurn(rules, [], { journal: store.journal, mask });
  };
  await reset();
  const one = async (i) => {
    const result = await turn.guard({ id: `call-${i}`, tool: call.tool, args: call.args }, host);
    if (result.type !== 'ok') throw new Error(`the call did not run: ${JSON.stringify(result)}`);
  };
  return { name: 'bridle', reset, one, close: () => store.close() };
}

/** The limit: the tool, a raw insert of as much text before it, and one after it. */
async function byHand(scratch, kind) {
  const raw = await scratch.raw(kind);
  const texts = await textsOfOneCall();
  const many = async (_, size) => {
    await raw.keep(Array.from({ length: size }, () => texts[0]));
    await Promise.all(Array.from({ length: size }, () => host.run(call)));
    await raw.keep(Array.from({ length: size }, () => texts[1]));
  };
  return { name: 'limit', one: (i) => many(i, 1), many, close: () => raw.close() };
}

async function textsOfOneCall() {
  const texts = [];
  const turn = await bridleTurn(rules, [], { journal: { append: (entry) => void texts.push(JSON.stringify(entry)) } });
  await turn.guard({ id: 'call-1', tool: call.tool, args: call.args }, host);
  return texts;
}

/** As it comes: the audit log is a list in memory. */
function agt() {
  let client;
  const reset = () => {
    client = agtClient(rules);
  };
  reset();
  return { name: 'agt', reset, one: async () => void (await governed(client)) };
}

/** Each entry of the audit log written to a file and synced before the tool runs, which is up to its host. */
async function agtSynced(scratch) {
  const path = join(scratch.folder, 'audit.jsonl');
  closeSync(openSync(path, 'w'));
  const file = await open(path, 'a');
  let client;
  const reset = () => {
    client = agtClient(rules);
  };
  reset();
  const keep = async (entry) => {
    await file.write(`${JSON.stringify(entry)}\n`);
    await file.datasync();
  };
  return {
    name: 'agt, synced file',
    reset,
    one: async () => void (await governed(client, keep)),
    close: () => file.close(),
  };
}

async function governed(client, keep) {
  const { decision, auditEntry } = await client.executeWithGovernance(`local.${call.tool}`, { mode: call.args.mode });
  if (decision !== 'allow') throw new Error(`agt said ${decision}`);
  await keep?.(auditEntry);
  return host.run(call);
}
