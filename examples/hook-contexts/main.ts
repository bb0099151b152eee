import { answerQuestions, type Hook, stateKey, onEvent, onInteraction } from 'bridle';
import type { QuestionResponse } from 'bridle/agent';
import { createAgent } from 'bridle/agent';
import { migrationQuestion, retryLoopDetector, slowToolTimer, tokenBudget, tokensUsed } from 'bridle/ready-made';
import { fakeClock, scriptedModel } from 'bridle/testing';
import { defineTool } from 'bridle/tools';
import { composedStory } from './composed.ts';

const calling = (tool: string, args: object = {}) => ({ toolCalls: [{ tool, args }] });
const custom = onEvent(
  (event) => {
    if (event.type === 'custom') console.log(`  ${event.name} ${JSON.stringify(event.data)}`);
  },
  { name: 'custom-events' },
);

console.log('# Three tiers: a value is looked up outward and written where you are');
const project = stateKey<string>('project', 'none');
const tiers: Hook = {
  name: 'tiers',
  onSessionStart: (_payload, ctx) => ctx.session.set(project, 'payment-platform'),
  preTurn: (_payload, ctx) => ctx.turn.set('turn_number', ctx.turnNumber),
  preToolCall: ({ call }, ctx) => ctx.operation.set('tool', call.tool),
  postToolCall: (_payload, ctx) =>
    console.log(ctx.get('tool'), ctx.get('turn_number'), ctx.get(project), ctx.get('missing')),
};
const noop = defineTool({ name: 'noop', tier: 'observe', run: () => 'nothing' });
const tiered = createAgent({
  model: scriptedModel([calling('noop'), 'Done.'], { repeat: true }),
  tools: [noop],
  capabilities: 'none',
  hooks: [tiers],
});
await tiered.start();
await tiered.chat('one');
await tiered.chat('two');
await tiered.stop();

console.log('\n# A token budget for the session');
const costly = (text: string) => ({ text, usage: { inputTokens: 60_000, outputTokens: 12_000 } });
const budgeted = createAgent({
  model: scriptedModel([costly('first'), costly('second'), costly('third')]),
  capabilities: 'none',
  hooks: [tokenBudget({ max: 150_000 }), custom],
});
await budgeted.start();
for (const prompt of ['one', 'two', 'three', 'four']) {
  const { stopReason, text } = await budgeted.chat(prompt);
  console.log(`${stopReason}: ${text}, ${budgeted.session.scope.get(tokensUsed)} tokens used`);
}
await budgeted.stop();

console.log('\n# A loop of retries within a turn');
const stuck = createAgent({
  model: scriptedModel([...Array.from({ length: 5 }, () => calling('noop')), 'I give up.', calling('noop'), 'Again.']),
  tools: [noop],
  capabilities: 'none',
  hooks: [retryLoopDetector({ maxCalls: 4 })],
});
await stuck.start();
for (const prompt of ['try', 'try again']) {
  const stream = stuck.stream(prompt);
  for await (const event of stream) if (event.type === 'tool_denied') console.log(event.reason);
  console.log((await stream.result).text);
}
await stuck.stop();

console.log('\n# Slow tools');
const clock = fakeClock();
const slow = defineTool<{ ms: number }>({ name: 'wait', tier: 'observe', run: ({ ms }) => clock.advance(ms) });
const timed = createAgent({
  model: scriptedModel([calling('wait', { ms: 100 }), calling('wait', { ms: 6000 }), 'Done.']),
  tools: [slow],
  capabilities: 'none',
  clock,
  hooks: [slowToolTimer({ thresholdMs: 5000, report: ({ text }) => console.log(text) })],
});
await timed.start();
await timed.chat('wait');
await timed.stop();

console.log('\n# A structured question from a hook');
const replace = defineTool({
  name: 'replace_call',
  run: (args) => console.log('  runs with', JSON.stringify(args)) ?? null,
});
const migration = migrationQuestion({
  tools: ['replace_call'],
  detect: ({ args: { from, to } }) => (typeof from === 'string' && typeof to === 'string' ? { from, to } : undefined),
  wrap: ({ args }) => ({ ...args, wrapper: true }),
});
const choices: QuestionResponse[] = [{ selected: [0] }, { selected: [1] }, { selected: [2] }];
const person = onInteraction(
  ({ questions: [asked] }) => {
    const response = choices.shift() ?? { skipped: true };
    const [chosen = -1] = response.selected ?? [];
    console.log(`${asked?.question}\n  > ${asked?.options?.[chosen]?.text ?? 'no answer'}`);
    return answerQuestions([response]);
  },
  { name: 'person' },
);
const change = calling('replace_call', { from: 'fetchAll()', to: 'query()' });
const migrating = createAgent({
  model: scriptedModel([change, change, change, change, 'Done.']),
  tools: [replace],
  capabilities: 'none',
  default: 'allow',
  hooks: [migration, person],
});
await migrating.start();
const stream = migrating.stream('Migrate');
for await (const event of stream) if (event.type === 'tool_denied') console.log(`  denied: ${event.reason}`);
await migrating.stop();

await composedStory();
