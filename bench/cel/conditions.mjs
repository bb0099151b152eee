/** The conditions of the policy file in three forms, and the calls they are asked about. */

import { fileURLToPath } from 'node:url';
import { Environment } from '@marcbachmann/cel-js';
import { load } from '../dist.mjs';

const { compileCondition } = await load('policy-files/cel/compile-condition.js');
const { builtInFacts } = await load('policy-files/cel/built-in-facts.js');
const { loadPolicy } = await load('policy-files/index.js');
const { runsFact } = await load('facts/index.js');

const file = fileURLToPath(new URL('bridle.yaml', import.meta.url));
const args = ['mode', 'file_path', 'amount', 'currency', 'labels', 'branch', 'command_line'];

export const tool = Object.freeze({
  name: 'deploy',
  tier: 'confirm',
  args: Object.freeze(args),
  touches: Object.freeze({ bash: Object.freeze(['command_line']) }),
});

export const policy = loadPolicy(file, { tools: [tool] });
const { rules } = policy.layers.at(-1).policyFile;

export const names = rules.map(({ name }) => name);
export const texts = rules.map(({ when }) => when.text);

/** One for which every condition holds, and one for which none does; parsed, as a model's answer is. */
export const calls = [
  {
    mode: 'write',
    file_path: '/srv/project/app/config.json',
    amount: 150,
    currency: 'EUR',
    labels: ['web', 'eu', 'prod'],
    branch: 'release/3.2',
    command_line: 'git push --force origin main',
  },
  {
    mode: 'read',
    file_path: '/home/ada/notes.txt',
    amount: 20,
    currency: 'CHF',
    labels: ['web', 'eu', 'test'],
    branch: 'feature/search',
    command_line: 'git push origin feature/search',
  },
].map((each) => ({ tool: tool.name, args: JSON.parse(JSON.stringify(each)) }));

const about = { tool, state: { session: {}, turn: {} } };
const pattern = /^(main|release\/.*)$/;
const fact = runsFact(['rm', 'git push --force']);

/** By hand. The fact itself is Bridle's everywhere; the line of the call was seen before. */
export const byHand = [
  (call) => call.args.mode === 'write',
  ({ args: { file_path: path } }) => path.startsWith('/srv/project/') && !path.includes('..'),
  (call) => call.args.amount > 100 && (call.args.currency === 'EUR' || call.args.currency === 'USD'),
  (call) => call.args.labels !== undefined && call.args.labels.some((label) => label === 'prod'),
  (call) => pattern.test(call.args.branch),
  (call) => fact(call, tool) === true,
];

export function compileOurs(text) {
  return compileCondition(text, { tools: [tool], complete: true, facts: builtInFacts });
}

export const ours = texts.map((text) => {
  const { evaluate } = compileOurs(text);
  return (call) => evaluate(call.args, call, about);
});

/** A function of cel-js sees its arguments only, so the call is put here before each evaluation. */
let current;
const celJs = new Environment()
  .registerVariable('args', 'map')
  .registerFunction('runs(string, string): bool', () => fact(current, tool) === true);

export function parseCelJs(text) {
  return celJs.parse(text);
}

export function checkCelJs(text) {
  const parsed = celJs.parse(text);
  if (!parsed.check().valid) throw new Error(`cel-js does not take ${text}`);
  return parsed;
}

export const theirs = texts.map((text) => {
  const evaluate = checkCelJs(text);
  return (call) => {
    current = call;
    return evaluate(call);
  };
});
