/** `bridle/policy-files`: load, test, lint, diff and replay policies that are written in files. */

export type { RuleCoverage } from './test/rule-coverage.ts';
export {
  diffPolicies,
  type DiffOptions,
  type DecisionSide,
  type PolicyDiff,
  type DecisionChange,
  type ChangedRule,
} from './diff/diff-policies.ts';
export type {
  PolicyFileCondition,
  PolicyFileRule,
  CheckState,
  PolicyFileTest,
  PolicyFileTool,
  FilePosition,
  LocatedText,
  PolicyFile,
} from './policy-file.ts';
export type { LintFinding, LintKind, ExampleCall } from './lint/linted-policy/finding.ts';
export { lintPolicy } from './lint/lint-policy.ts';
export { loadPolicy, type LoadOptions } from './load/load-policy.ts';
export type {
  CheckRequest,
  LayerExplanation,
  LoadedPolicy,
  PolicyExplanation,
  PolicyFinding,
  PolicyLayer,
} from './loaded-policy.ts';
export { openPolicy, type OpenPolicy, type OpenPolicyOptions } from './load/open-policy.ts';
export { parsePolicyFile } from './read/parse-policy-file.ts';
export { ruleProposals } from '../approvals/proposals/rule-proposals.ts';
export {
  type AnswerMemory,
  type AnswerQuery,
  rememberAnswers,
  type RememberOptions,
  type RuleProposer,
} from '../approvals/remember-answers.ts';
export {
  type ReplayedCall,
  type ReplayedRule,
  type ReplayEvent,
  replayJournal,
  type ReplayReport,
} from './replay/replay-journal.ts';
export { type TestedCase, testPolicy, type TestReport } from './test/test-policy.ts';
