/** `bridle/documents`: policies in files, for agents and for whoever writes, tests and reviews them. */

export type { RuleCoverage } from './coverage.ts';
export {
  diffPolicies,
  type DiffOptions,
  type FlipSide,
  type PolicyDiff,
  type PolicyFlip,
  type UnshownRule,
} from './diff-policies.ts';
export type {
  DocumentCondition,
  DocumentRule,
  DocumentState,
  DocumentTest,
  DocumentTool,
  Place,
  PlacedText,
  PolicyDocument,
} from './document.ts';
export type { LintFinding, LintKind, Witness } from './lint/finding.ts';
export { lintPolicy } from './lint/lint-policy.ts';
export { loadPolicy, type LoadOptions } from './load-policy.ts';
export type {
  CheckRequest,
  LayerExplanation,
  LoadedPolicy,
  PolicyExplanation,
  PolicyFinding,
  PolicyLayer,
} from './loaded-policy.ts';
export { openPolicy, type PolicyFile, type PolicyFileOptions } from './policy-file.ts';
export { readDocument } from './read-document.ts';
export { rememberProposals } from './remember/remember-proposals.ts';
export {
  type ReplayedCall,
  type ReplayedRule,
  type ReplayEvent,
  replayJournal,
  type ReplayReport,
} from './replay/replay-journal.ts';
export { type TestedCase, testPolicy, type TestReport } from './test-policy.ts';
