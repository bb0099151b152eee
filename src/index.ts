/** `bridle`, the root entry point: hooks, scopes, policy and the guard. No dependencies, and no Node APIs. */

export type { ApprovalAnswer, ApprovalRequest, Approver } from './kernel/approval.ts';
export type { Decision, ToolCall } from './kernel/call.ts';
export type { Clock } from './kernel/clock.ts';
export { BridleError } from './kernel/errors.ts';
export { createGuard, type Guard } from './kernel/guard/guard.ts';
export type { GuardOptions, SessionOptions } from './kernel/guard/guard-options.ts';
export type { CallResult } from './kernel/guard/calls/call-result.ts';
export type { RunContext, ToolHost } from './kernel/guard/calls/run-tool.ts';
export type { Session } from './kernel/guard/session.ts';
export type { Turn } from './kernel/guard/turn.ts';
export {
  answerQuestions,
  cancelQuestions,
  confirm,
  giveUp,
  fallback,
  summaryHint,
  errorMessage,
  recover,
  reject,
  replace,
  retry,
  useSummary,
  transform,
} from './kernel/hooks/points/actions.ts';
export type { HookContext } from './kernel/hooks/points/hook-context.ts';
export type { BridleEvent } from './kernel/hooks/points/events.ts';
export {
  type Hook,
  type ObservingHook,
  onEvent,
  onInteraction,
  onLlmError,
  onSessionEnd,
  onSessionStart,
  onToolError,
  onTurnError,
  postCompaction,
  postLlmCall,
  postToolCall,
  postTurn,
  preCompaction,
  preLlmCall,
  preToolCall,
  preTurn,
} from './kernel/hooks/registration/hook.ts';
export { createHooks } from './kernel/hooks/registration/hooks.ts';
export { type ActionAt, type PointPayloads, type PointName, pointNames } from './kernel/hooks/points/points.ts';
export type { Journal, JournalEntry } from './kernel/records/journal-entry.ts';
export type { JsonObject, JsonValue } from './kernel/json.ts';
export {
  allow,
  allowAll,
  allowMcp,
  arg,
  ask,
  askMcp,
  confirmRunCommand,
  deny,
  denyAll,
  denyMcp,
  forbid,
  safeDefaults,
} from './kernel/policy/rules/builders.ts';
export { compilePolicy } from './kernel/policy/compiler/compile-policy.ts';
export type { Policy } from './kernel/policy/evaluator/policy.ts';
export type { Rule, Rules } from './kernel/policy/rules/rule.ts';
export { createScope, type Scope, type StateKey, stateKey } from './kernel/scope/scope.ts';
export type { ServerDeclaration, StandardSchema, ToolDeclaration } from './kernel/tool.ts';
