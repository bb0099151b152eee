/** `bridle/ready-made`: functions that create ready-made hooks. Their state is in scopes, never in the hook. */

export { audit, type AuditOptions, type AuditRecord } from './reporting/audit.ts';
export type { CallTarget } from './options/call-filter.ts';
export {
  costTracker,
  type CostTrackerOptions,
  sessionCost,
  type TokenPrice,
  turnCost,
} from './reporting/cost-tracker.ts';
export { errorRecovery, type Recovery } from './calls/error-recovery.ts';
export {
  humanApproval,
  type HumanApprovalAnswer,
  type HumanApprovalOptions,
  type HumanApprovalRequest,
} from './calls/human-approval.ts';
export { inputGuardrail, type InputGuardrailOptions } from './guardrails/input-guardrail.ts';
export { logging, type LoggingOptions } from './reporting/logging.ts';
export { type Migration, migrationQuestion, type MigrationQuestionOptions } from './calls/api-migration-question.ts';
export { outputGuardrail, type OutputGuardrailOptions } from './guardrails/output-guardrail.ts';
export type { PersonalDataKind } from './personal-data/personal-data-finders.ts';
export { providerFallback, type ProviderFallbackOptions } from './calls/provider-fallback.ts';
export { type MaskPattern, requestGuardrail, type RequestGuardrailOptions } from './guardrails/request-guardrail.ts';
export { retryLoopDetector, type RetryLoopDetectorOptions } from './limits/retry-loop-detector.ts';
export { rewriteArguments, type RewriteArgumentsOptions } from './calls/rewrite-arguments.ts';
export { type SlowCall, slowToolTimer, type SlowToolTimerOptions } from './reporting/slow-tool-timer.ts';
export type { ReadyMadeOptions } from './options/ready-made-options.ts';
export { tokenBudget, type TokenBudgetOptions, tokensUsed } from './limits/token-budget.ts';
export { turnLimit, type TurnLimitOptions } from './limits/turn-limit.ts';
