/** What every run of the suite does: steps with one tool call each, then a text. It is known from the conversation alone. */

import { languageModel } from '../turn/language-model.mjs';
import { load } from '../dist.mjs';

const { allow, ask } = await load('index.js');

export const steps = 10;
export const prompt = 'Go on until all of it is done.';
export const final = 'All of it is done.';

const path = (step) => `src/part-${step}/file.ts`;
const result = 'export const value = 1;\n'.repeat(16);

/** The tools of the cases: one without side effects, one with, one that a person is asked about. */
const tools = {
  look: { tier: 'observe' },
  change: { tier: 'confirm' },
  deploy: { tier: 'confirm' },
};

/** The next answer of the model after so many results. */
export function answerAfter(done, tool) {
  if (done >= steps) return { calls: undefined, text: final };
  const args = { path: path(done) };
  return { calls: [{ id: `call-${done}`, name: tool, args, input: JSON.stringify(args) }], text: undefined };
}

export const runTool = async () => result;

/** The options of an agent whose model calls this tool. */
export function agentOptions(tool, store) {
  const next = ({ prompt: asked }) => answerAfter(asked.filter(({ role }) => role === 'tool').length, tool);
  const schema = { type: 'object', properties: { path: { type: 'string' } } };
  return {
    model: languageModel({ next }),
    instructions: 'Work on what you are asked for.',
    tools: Object.entries(tools).map(([name, declared]) => ({
      name,
      description: `What ${name} does.`,
      schema,
      ...declared,
      run: runTool,
    })),
    policy: [ask('deploy'), allow('look'), allow('change')],
    maxSteps: steps + 1,
    capabilities: 'none',
    telemetry: false,
    ...(store === undefined ? {} : { store }),
  };
}
