/** `bridle`: hooks, scopes, policy and the guard. No dependency, nothing of Node. */

export type {
  AnswerBook,
  AnswerQuery,
  ApprovalAnswer,
  ApprovalQuestion,
  ApprovalRequest,
  Approver,
  EarlierQuestion,
  KeptAnswer,
  Mask,
  Proposals,
  ProposalSubject,
  Remember,
  RememberedRule,
  ShownArgument,
  ShownCall,
} from './approval.ts';
export type {
  CallRequest,
  CheckedPath,
  Decision,
  Effect,
  FileIdentity,
  Finding,
  Grant,
  OutcomeType,
  RuleRef,
  Tier,
  ToolCall,
} from './call.ts';
export { flattenName, parseFlatName } from './catalog/names.ts';
export { type Clock, systemClock } from './clock.ts';
export { BridleError, type ErrorCode } from './errors.ts';
export {
  createGuard,
  type Guard,
  type GuardOptions,
  type PolicyChange,
  type PolicySource,
  type SessionOptions,
} from './guard/guard.ts';
export type { CallResult, DeniedResult, InvalidResult, SettledResult } from './guard/result.ts';
export type { RunContext, ToolHost } from './guard/run-tool.ts';
export type { Session } from './guard/session.ts';
export { makeVisible } from './guard/show-call.ts';
export type { Entered, HostPoint, Turn } from './guard/turn.ts';
export type { PlainCall, PlainRun } from './guard/plain-call.ts';
export type { Guarded, Wrappable, WrapOptions } from './guard/wrap-tools.ts';
export {
  answer,
  cancel,
  confirm,
  fail,
  fallback,
  hint,
  message,
  recover,
  reject,
  replace,
  retry,
  summary,
  transform,
} from './hooks/actions.ts';
export type { HookContext } from './hooks/context.ts';
export type { Dispatched } from './hooks/dispatched.ts';
export type { BridleEvent } from './hooks/events.ts';
export {
  type FunctionHookOptions,
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
} from './hooks/function-hooks.ts';
export type { Hook, HookAnswer, HookMethod, HookOptions, ObservingHook, ObservingMethod } from './hooks/hook.ts';
export { createHooks, type Hooks, type ResultOrder } from './hooks/hooks.ts';
export type {
  Interaction,
  ListedTool,
  LlmRequest,
  LlmResponse,
  Media,
  Message,
  MessagePart,
  Origin,
  Outcome,
  Prompt,
  Question,
  QuestionResponse,
  RequestedCall,
  ToolError,
  TurnCall,
  TurnOutput,
  Usage,
} from './hooks/payloads.ts';
export { type ActionAt, type AllPayloads, type PointName, pointNames } from './hooks/points.ts';
export type { CallId, SessionId } from './ids.ts';
export type { Journal, JournalEntry } from './journal/record.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { defaultLimits, type Limits } from './limits.ts';
export { arg } from './policy/arg.ts';
export {
  allow,
  allowAll,
  allowMcp,
  ask,
  askMcp,
  confirmRunCommand,
  deny,
  denyAll,
  denyMcp,
  forbid,
  safeDefaults,
} from './policy/builders.ts';
export { compile } from './policy/compile.ts';
export type { CompileOptions } from './policy/compile-options.ts';
export type { Explanation, GuardPolicy, Policy, ShadowAnswer } from './policy/policy.ts';
export type { About, AskOptions, DenyOptions, Rule, RuleOptions, Rules, ScopeValues, When } from './policy/rule.ts';
export type { Consideration } from './policy/walk.ts';
export { type Key, key } from './scope/key.ts';
export { createScope, type Scope } from './scope/scope.ts';
export type { ServerDeclaration, StandardSchema, ToolDeclaration } from './tool.ts';
