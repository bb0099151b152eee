/** The ready-made hooks for hook modules of policy files, which can import only Node's own modules. */

import { migrationQuestion } from './calls/api-migration-question.ts';
import { errorRecovery } from './calls/error-recovery.ts';
import { humanApproval } from './calls/human-approval.ts';
import { providerFallback } from './calls/provider-fallback.ts';
import { rewriteArguments } from './calls/rewrite-arguments.ts';
import { inputGuardrail } from './guardrails/input-guardrail.ts';
import { outputGuardrail } from './guardrails/output-guardrail.ts';
import { requestGuardrail } from './guardrails/request-guardrail.ts';
import { retryLoopDetector } from './limits/retry-loop-detector.ts';
import { tokenBudget } from './limits/token-budget.ts';
import { turnLimit } from './limits/turn-limit.ts';
import { audit } from './reporting/audit.ts';
import { costTracker } from './reporting/cost-tracker.ts';
import { logging } from './reporting/logging.ts';
import { slowToolTimer } from './reporting/slow-tool-timer.ts';

export const readyMadeHooks = Object.freeze({
  audit,
  costTracker,
  errorRecovery,
  humanApproval,
  inputGuardrail,
  logging,
  migrationQuestion,
  outputGuardrail,
  providerFallback,
  requestGuardrail,
  retryLoopDetector,
  rewriteArguments,
  slowToolTimer,
  tokenBudget,
  turnLimit,
});
