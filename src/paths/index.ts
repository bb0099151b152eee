/** What a call really reads and writes, and confinement to workspaces. Needs Node. */

export type { FactPredicate } from '../fact-predicate.ts';
export { confineTo } from './confine-to.ts';
export type { Confinement, ConfinementOptions, PathCheck, PathOptions } from './confine-to.ts';
export { reads, readsFact, writes, writesFact } from './file-facts.ts';
export { readsInside, readsInsideFact, writesInside, writesInsideFact } from './inside-facts.ts';
export { openChecked } from './open-checked.ts';
export type { OpenMode } from './open-checked.ts';
export { patternStaysInside } from './pattern-stays-inside.ts';
export type { PatternCheck } from './pattern-stays-inside.ts';
export { protectFiles } from './protected-files.ts';
export type { ProtectedFile, ProtectionRule } from './protected-files.ts';
export type { PathRefusal } from './refusal.ts';
export { resolvePath } from './resolve-path.ts';
export type { PathResolution, ResolveOptions } from './resolve-path.ts';
export { walkInside } from './walk-inside.ts';
export type { WalkEntry, WalkOptions } from './walk-inside.ts';
export { insideWindows, parseWindowsPath } from './windows-path.ts';
export type { WindowsCheck, WindowsPath } from './windows-path.ts';
export { worksIn, worksInFact } from './works-in.ts';
export { workspaceOnly } from './workspace-only.ts';
export type { CheckRule, WorkspaceOptions } from './workspace-only.ts';
