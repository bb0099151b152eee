/** `bridle`, the root entry point: hooks, scopes, policy and the guard. No dependencies, and no Node APIs. */

export type {
  ApprovalAnswer,
  ApprovalQuestion,
  ApprovalRequest,
  Approver,
  ApproverMemory,
  AskedCall,
  EarlierQuestion,
  ProposalSubject,
  ReusableAnswer,
  Mask,
  RememberDuration,
  RememberedRule,
  ShownArgument,
  ShownCall,
} from './kernel/approval.ts';
export type {
  CallRequest,
  CheckedPath,
  Decision,
  Effect,
  FileIdentity,
  RuleCheckResult,
  Grant,
  OutcomeType,
  RuleRef,
  Tier,
  ToolCall,
} from './kernel/call.ts';
export { flattenName, parseFlatName } from './kernel/names.ts';
export { type Clock, systemClock } from './kernel/clock.ts';
export { BridleError, type ErrorCode } from './kernel/errors.ts';
export { createGuard, type Guard } from './kernel/guard/guard.ts';
export type { GuardOptions, PolicyChange, PolicySource, SessionOptions } from './kernel/guard/guard-options.ts';
export type { CallResult, DeniedResult, InvalidResult, SettledResult } from './kernel/guard/calls/call-result.ts';
export type { RunContext, ToolHost } from './kernel/guard/calls/run-tool.ts';
export type { Session } from './kernel/guard/session.ts';
export { makeVisible } from './kernel/guard/calls/show-call.ts';
export type { EnterResult, HostPoint, Turn } from './kernel/guard/turn.ts';
export type { SingleCall, ToolFunction } from './kernel/guard/single-call.ts';
export type { GuardedTools, WrappableTools, WrapOptions } from './kernel/guard/wrap-tools.ts';
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
export type { DispatchResult } from './kernel/hooks/dispatch/dispatch-result.ts';
export type { BridleEvent } from './kernel/hooks/points/events.ts';
export {
  type FunctionHookOptions,
  type Hook,
  type HookAnswer,
  type HookMethod,
  type HookOptions,
  type ObservingHook,
  type ObservingMethod,
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
export { createHooks, type Hooks, type ResultOrder } from './kernel/hooks/registration/hooks.ts';
export type {
  Interaction,
  ListedTool,
  LlmRequest,
  LlmResponse,
  Media,
  Message,
  MessagePart,
  TurnOrigin,
  Outcome,
  Prompt,
  Question,
  QuestionResponse,
  RequestedCall,
  ToolError,
  TurnCall,
  TurnOutput,
  Usage,
} from './kernel/hooks/points/payloads.ts';
export { type ActionAt, type PointPayloads, type PointName, pointNames } from './kernel/hooks/points/points.ts';
export type { CallId, SessionId } from './kernel/ids.ts';
export type { Journal, JournalEntry } from './kernel/records/journal-entry.ts';
export type { JsonObject, JsonValue } from './kernel/json.ts';
export { defaultLimits, type Limits } from './kernel/limits.ts';
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
export type { CompileOptions } from './kernel/policy/compiler/compile-options.ts';
export type { Explanation, GuardPolicy, Policy, ShadowDecision } from './kernel/policy/evaluator/policy.ts';
export type {
  RuleContext,
  AskOptions,
  DenyOptions,
  Rule,
  RuleOptions,
  Rules,
  ScopeValues,
  RuleCondition,
} from './kernel/policy/rules/rule.ts';
export type { ConsideredRule } from './kernel/policy/evaluator/call-evaluation.ts';
export { createScope, type Scope, type StateKey, stateKey } from './kernel/scope/scope.ts';
export type { ServerDeclaration, StandardSchema, ToolDeclaration } from './kernel/tool.ts';
