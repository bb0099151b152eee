/** `bridle/agent`: a complete agent. Hooks and policy see everything it does. */

export type {
  Interaction,
  ListedTool,
  LlmRequest,
  LlmResponse,
  Media,
  Message,
  MessagePart,
  Prompt,
  Question,
  QuestionResponse,
  RequestedCall,
  TurnCall,
  TurnOrigin,
  TurnOutput,
  Usage,
} from '../kernel/hooks/points/payloads.ts';
export type { McpServerConfig } from '../mcp/protocol/server-config.ts';
export type { HeldTool, Pins } from '../mcp/pins/pins.ts';
export { Agent } from './agent.ts';
export { createAgent } from './create-agent.ts';
export type { AgentSession, ChatOptions } from './session/agent-session.ts';
export type { Budget, BudgetLimits, Rate, Rates, SharedLimits } from './budget/budget-options.ts';
export type { Capabilities, CapabilityOptions, CapabilityPreset } from './options/capabilities.ts';
export type { CompactionOptions } from './model/history.ts';
export type { Memory, MemoryFacts } from './turn/agent-in-session.ts';
export { type AgentLoop, type LoopAnswer, type LoopHandles, type LoopStart, defaultLoop } from './turn/agent-loop.ts';
export type { LanguageModel } from './model/model-interface.ts';
export { loadModel, type LoadModelOptions } from './model/providers/load-model.ts';
export { type PriceList, type Prices, pricesDate } from './model/providers/prices.ts';
export type { OpenSessionOptions } from './session/open-session.ts';
export type { AgentOptions, ModelInput, AgentSessionOptions, SubagentOptions } from './options/agent-options.ts';
export type { MediaInput, PromptInput, PromptPart } from './turn/prompt-input.ts';
export type { ResumeOptions, RunOptions } from './runs/agent-runs.ts';
export type { RunResult } from './runs/run-result.ts';
export type { SavedSession } from './saved-sessions/saved-session.ts';
export { fileSessions, memorySessions, type SessionStore } from './saved-sessions/session-store.ts';
export { storeSessions } from './session/sessions-in-store.ts';
export type { OutputSchema } from './turn/structured-output.ts';
export { every, onFileChange, type Trigger, type TriggerHandles } from './options/triggers.ts';
export type { StopReason, TurnResult } from './turn/turn-result.ts';
export type { TurnStream } from './session/turn-stream.ts';
export type { UsageReport } from './budget/usage.ts';
