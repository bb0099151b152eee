/** `bridle/agent`: a complete agent whose whole life runs through hooks and policy. */

export type { McpServerConfig } from '../mcp/server-config.ts';
export type { HeldTool, Pins } from '../mcp/pins.ts';
export { Agent } from './agent.ts';
export { createAgent } from './create-agent.ts';
export type { AgentSession, ChatOptions } from './agent-session.ts';
export type { Budget, BudgetLimits, Rate, Rates, SharedLimits } from './budget.ts';
export type { Capabilities, CapabilityOptions, CapabilityPreset } from './capabilities.ts';
export type { CompactionOptions } from './compaction-options.ts';
export { type Core, type CoreAnswer, type CoreHandles, type CoreStart, loop } from './core.ts';
export type { Memory, MemoryFacts } from './memory.ts';
export type { LanguageModel } from './models/language-model.ts';
export { loadModel, type LoadModelOptions } from './models/load-model.ts';
export { type PriceList, type Prices, pricesDated } from './models/prices.ts';
export type { OpenSessionOptions } from './open-session.ts';
export type { AgentOptions, ModelInput, SessionChoice, SubagentOptions } from './options.ts';
export { plannerModel, type PlannerOptions } from './planner/planner-model.ts';
export type { MediaInput, PromptInput, PromptPart } from './prompt-input.ts';
export type { ResumeOptions, RunOptions } from './runs/agent-runs.ts';
export type { RunResult } from './runs/run-result.ts';
export type { SavedSession } from './saved-session.ts';
export { fileSessions, memorySessions, type SessionStore } from './session-store.ts';
export { storeSessions } from './store-sessions.ts';
export type { OutputSchema } from './structured-output.ts';
export { every, onFileChange, type Trigger, type TriggerHandles } from './triggers.ts';
export type { StopReason, TurnResult } from './turn-result.ts';
export type { TurnStream } from './turn-stream.ts';
export type { UsageReport } from './usage-book.ts';
