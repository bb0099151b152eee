/** `bridle/testing`: for testing your own hooks and policies. */

export { type MemoryJournal, memoryJournal } from '../journal/memory-journal.ts';
export { type FakeClock, fakeClock } from './fake-clock.ts';
export { type ScriptedApprover, scriptedApprover, type ScriptedHost, scriptedHost } from './scripted-host.ts';
export { type ScriptedCall, type ScriptedModel, scriptedModel, type ScriptedModelOptions } from './scripted-model.ts';
export type { ScriptedAnswer, ScriptedReply, ScriptedStep, ScriptedToolCall } from './scripted-reply.ts';
export {
  expectDecisions,
  type ExpectedDecision,
  testCall,
  testActivity,
  tryHooks,
  type TryOptions,
} from './try-hooks.ts';
