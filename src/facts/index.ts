/** `bridle/facts`: what a call really runs, reads, writes and reaches, and confinement to workspaces. Needs Node. */

export type { FactPredicate } from './fact-predicate.ts';
export { isPublicAddress } from './net/public-address.ts';
export { checkUrl, type HostRules, type UrlCheck } from './net/check-url.ts';
export { fetchCheckedUrl, type FetchResult, type FetchOptions, type FetchRules } from './net/fetch-checked-url.ts';
export {
  host,
  hostFact,
  type HostFact,
  isPublicHost,
  isPublicHostFact,
  underDomain,
  underDomainFact,
} from './net/host-facts.ts';
export { hostOfUrl, isPublicUrl, isUrlUnderDomain } from './net/host-of-url.ts';
export type { HostResolver } from './net/resolve-host.ts';
export { confineTo } from './paths/workspace/confine-to.ts';
export type { Confinement, ConfinementOptions, PathCheck, PathCheckOptions } from './paths/workspace/confine-to.ts';
export { reads, readsFact, writes, writesFact } from './paths/file-facts.ts';
export { readsInside, readsInsideFact, writesInside, writesInsideFact } from './paths/inside-facts.ts';
export { openCheckedPath } from './paths/workspace/open-checked-path.ts';
export type { PathOpenMode } from './paths/workspace/open-checked-path.ts';
export { patternStaysInside } from './paths/workspace/pattern-stays-inside.ts';
export type { PatternCheck } from './paths/workspace/pattern-stays-inside.ts';
export { protectFiles } from './paths/protection/protect-files.ts';
export type { ProtectedFile, ProtectionRule } from './paths/protection/protect-files.ts';
export type { PathRefusal } from './paths/resolve/path-refusal.ts';
export { resolvePath } from './paths/resolve/resolve-path.ts';
export type { PathResolution, ResolvePathOptions } from './paths/resolve/resolve-path.ts';
export { walkWorkspace } from './paths/workspace/walk-workspace.ts';
export type { WalkEntry, WalkOptions } from './paths/workspace/walk-workspace.ts';
export { checkWindowsPath, parseWindowsPath } from './paths/resolve/windows-path.ts';
export type { WindowsPathCheck, WindowsPath } from './paths/resolve/windows-path.ts';
export { worksIn, worksInFact } from './paths/works-in.ts';
export { workspaceOnly } from './paths/workspace/workspace-only.ts';
export type { WorkspaceRule, WorkspaceOptions } from './paths/workspace/workspace-only.ts';
export { analyseCommand } from './shell/analysis/analyse-command.ts';
export {
  opaqueFact,
  isLineOpaque,
  runsFact,
  runsListedFact,
  runsOnlyFact,
  lineRunsOnly,
  lineRuns,
} from './shell/conditions/call-facts.ts';
export { allOf, anyOf, not } from './shell/conditions/combine-conditions.ts';
export type { Condition } from './shell/conditions/combine-conditions.ts';
export type { CommandAnalysis, FileAccess, ShellCommand, ShellWord } from './shell/commands/command-analysis.ts';
export { opaque, runs, runsListed, runsOnly } from './shell/conditions/predicates.ts';
