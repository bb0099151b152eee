/** `bridle/stock`: ready-made hooks, each a function that gives a plain hook. State lives in scopes, never in the hook. */

export { audit, type AuditOptions, type AuditRecord } from './audit.ts';
export type { CallTarget } from './call-filter.ts';
export { costTracker, type CostTrackerOptions, sessionCost, type TokenPrice, turnCost } from './cost-tracker.ts';
export { errorRecovery, type Recovery } from './error-recovery.ts';
export {
  humanApproval,
  type HumanApprovalAnswer,
  type HumanApprovalOptions,
  type HumanApprovalRequest,
} from './human-approval.ts';
export { inputGuardrail, type InputGuardrailOptions } from './input-guardrail.ts';
export { logging, type LoggingOptions } from './logging.ts';
export { type Migration, migrationQuestion, type MigrationQuestionOptions } from './migration-question.ts';
export { outputGuardrail, type OutputGuardrailOptions } from './output-guardrail.ts';
export type { PersonalDataKind } from './personal-data.ts';
export { providerFallback, type ProviderFallbackOptions } from './provider-fallback.ts';
export { type MaskPattern, requestGuardrail, type RequestGuardrailOptions } from './request-guardrail.ts';
export { retryLoopDetector, type RetryLoopDetectorOptions } from './retry-loop-detector.ts';
export { rewriteArguments, type RewriteArgumentsOptions } from './rewrite-arguments.ts';
export { type SlowCall, slowToolTimer, type SlowToolTimerOptions } from './slow-tool-timer.ts';
export type { StockOptions } from './stock-options.ts';
export { tokenBudget, type TokenBudgetOptions, tokensUsed } from './token-budget.ts';
export { turnLimit, type TurnLimitOptions } from './turn-limit.ts';
