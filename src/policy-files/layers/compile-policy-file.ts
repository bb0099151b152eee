/** Compiles a policy file to rules of the policy engine. */

import type { ToolCall } from '../../kernel/call.ts';
import { systemClock } from '../../kernel/clock.ts';
import { BridleError } from '../../kernel/errors.ts';
import { lazy } from '../../kernel/lazy.ts';
import { compilePolicyFor } from '../../kernel/policy/compiler/compile-policy.ts';
import type { Policy } from '../../kernel/policy/evaluator/policy.ts';
import type { Rule, RuleCondition, Target } from '../../kernel/policy/rules/rule.ts';
import { parseTarget, targetText } from '../../kernel/policy/rules/target.ts';
import type { PolicyFileRule, FilePosition, LocatedText, PolicyFile, PolicyFileCondition } from '../policy-file.ts';
import type { PolicyFinding } from '../loaded-policy.ts';
import { schemaRules, serverRules, workspaceRules } from './implied-rules.ts';
import type { Catalog } from '../../kernel/catalog/catalog.ts';
import type { CompileOptions } from '../../kernel/policy/compiler/compile-options.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { builtinToolTable, startSubagentTool } from '../../tools/builtin-tools.ts';
import { updatePlanTool } from '../../tools/declare-builtins.ts';
import { compileCondition, type CompiledCondition } from '../cel/compile-condition.ts';
import { builtInFacts } from '../cel/built-in-facts.ts';
import { positionInCondition } from '../read/shapes/rule.ts';

/** The context a policy file is compiled in. */
export interface CompileContext {
  readonly catalog: Catalog;
  /** Approver, clock and limits, as the guard has them. */
  readonly options: CompileOptions;
  /** Absolute path of the file. Relative paths in the file start in its folder. */
  readonly path: string;
  /** True if its conditions were checked against these tools before. */
  readonly alreadyChecked: boolean;
}

export interface CompiledPolicyFile {
  readonly policy: Policy;
  /** A policy with only the rules for the tool of a call; undefined if it would save no work. */
  readonly policyFor: ((call: ToolCall) => Policy | undefined) | undefined;
  readonly findings: () => readonly PolicyFinding[];
}

/**
 * Throws `POLICY_FILE` with every problem and its position. A file that was checked before is compiled on first use.
 */
export function compilePolicyFile(policyFile: PolicyFile, context: CompileContext): CompiledPolicyFile {
  const compileAll = lazy(() => compileRules(policyFile, context, () => true));
  const compilePart = (isAbout: TargetFilter): Policy => compileRules(policyFile, context, isAbout).policy;
  const policyFor = wasCheckedBefore(policyFile, context) ? singleToolPolicy(context.catalog, compilePart) : undefined;
  if (policyFor === undefined) compileAll();
  return {
    get policy() {
      return compileAll().policy;
    },
    policyFor,
    findings: () => compileAll().findings(),
  };
}

interface CompiledRules {
  readonly policy: Policy;
  readonly findings: () => readonly PolicyFinding[];
}

function compileRules(policyFile: PolicyFile, context: CompileContext, isAbout: TargetFilter): CompiledRules {
  const problems: string[] = [];
  const findings: PolicyFinding[] = [];
  const report = (severity: 'error' | 'warning', at: FilePosition, message: string): void => {
    if (severity === 'error' || policyFile.strict === true)
      problems.push(`${policyFile.file}:${at.line}:${at.column}: ${message}`);
    else findings.push({ file: policyFile.file, at, message });
  };
  const rules = policyFile.rules.flatMap((rule) =>
    rule.targets
      .filter((target) => isAbout(target) && !isMissingOptionalTool(target.text, context))
      .map((target) => ruleFor(policyFile, { rule, target, context, report })),
  );
  if (problems.length > 0) throw new BridleError('POLICY_FILE', problems.join('\n'), { problems });
  const all = [
    ...schemaRules(policyFile, context.options),
    ...rules,
    ...serverRules(policyFile),
    ...workspaceRules(policyFile, context.path),
  ];
  const policy = compileLayer(policyFile, all, context);
  if (policyFile.strict === true) refuseFindings(policyFile, policy);
  return {
    policy,
    findings: () => [...findings, ...policy.warnings.map((warning) => locateFinding(policyFile, warning))],
  };
}

/**
 * Tools that only some agents have: with a backend of the application, with subagents, or in a coding agent. A rule
 * about a missing one is not a mistake.
 */
const optionalTools = new Set<string>([
  ...builtinToolTable.flatMap(({ name, provider }) => (provider === undefined ? [] : [name])),
  startSubagentTool.name,
  updatePlanTool.name,
]);

function isMissingOptionalTool(target: string, { catalog }: CompileContext): boolean {
  return optionalTools.has(target) && catalog.resolveTool(undefined, target) === undefined;
}

function compileLayer(policyFile: PolicyFile, rules: readonly Rule[], { catalog, options }: CompileContext): Policy {
  try {
    // The layer abstains if no rule matches; the stack recognises that by the missing rule.
    return compilePolicyFor(catalog, rules, { ...options, default: 'allow', lenient: policyFile.strict !== true });
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    const problems = error.problems.map((problem) => {
      const { file, at, message } = locateFinding(policyFile, problem);
      return `${file}:${at.line}:${at.column}: ${message}`;
    });
    throw new BridleError('POLICY_FILE', problems.join('\n'), { problems, cause: error });
  }
}

/** In a strict file, unknown names are errors, in allow rules too. */
function refuseFindings(policyFile: PolicyFile, { warnings }: Policy): void {
  const problems = warnings
    .filter((warning) => warning.startsWith(`${policyFile.file}:`))
    .map((warning) => locateFinding(policyFile, warning))
    .map(({ file, at, message }) => `${file}:${at.line}:${at.column}: ${message}`);
  if (problems.length > 0) throw new BridleError('POLICY_FILE', problems.join('\n'), { problems });
}

/** Messages of the engine about a rule start with its position. Any other message is about the whole file. */
function locateFinding({ file, rules, workspaces }: PolicyFile, text: string): PolicyFinding {
  const [folder] = workspaces ?? [];
  if (folder !== undefined && text.startsWith('workspaceOnly:')) return { file, at: folder.at, message: text };
  const [, line, message] = text.startsWith(`${file}:`)
    ? (/^(\d+): (.*)$/s.exec(text.slice(file.length + 1)) ?? [])
    : [];
  const at = rules.find((rule) => String(rule.at.line) === line)?.at ?? { line: Number(line ?? 1), column: 1 };
  return { file, at, message: message ?? text };
}

type ReportProblem = (severity: 'error' | 'warning', at: FilePosition, message: string) => void;

interface RuleParts {
  readonly rule: PolicyFileRule;
  readonly target: LocatedText;
  readonly context: CompileContext;
  readonly report: ReportProblem;
}

function ruleFor({ file }: PolicyFile, { rule, target, context, report }: RuleParts): Rule {
  const { effect, name, reason, grant, shadow, unknown, approval, expires } = rule;
  const parsed = parseTarget(target.text);
  return {
    type: 'rule',
    effect,
    target: parsed,
    // If a rule has several targets, messages must say which one.
    name: name === undefined || rule.targets.length === 1 ? name : `${name}: ${targetText(parsed)}`,
    reason,
    grant,
    shadow,
    unknown,
    approval,
    when: withExpiry(expires, rule.when && conditionPredicate(rule.when, { target: parsed, context, report }), context),
    at: `${file}:${rule.at.line}`,
    fingerprint: JSON.stringify([rule.when?.text ?? null, expires ?? null]),
  };
}

function withExpiry(
  expires: number | undefined,
  when: RuleCondition | undefined,
  { options }: CompileContext,
): RuleCondition | undefined {
  if (expires === undefined) return when;
  const { clock = systemClock } = options;
  return (args, call, about) => clock.wall() < expires && (when === undefined || when(args, call, about));
}

interface PredicateContext {
  readonly target: Target;
  readonly context: CompileContext;
  readonly report: (severity: 'error' | 'warning', at: FilePosition, message: string) => void;
}

/** Reports problems immediately. A condition that was checked before is compiled on first use. */
function conditionPredicate(
  condition: PolicyFileCondition,
  { target, context, report }: PredicateContext,
): RuleCondition {
  const compile = (): CompiledCondition => {
    const { tools, complete } = toolsForTarget(target, context.catalog);
    return compileCondition(condition.text, { tools, complete, facts: builtInFacts, tree: condition.tree });
  };
  let compiled: CompiledCondition | undefined;
  if (!context.alreadyChecked) {
    compiled = compile();
    for (const { severity, offset, message } of compiled.problems)
      report(severity, positionInCondition(condition, offset), message);
  }
  return (args, call, about) => {
    compiled ??= compile();
    return compiled.evaluate(args, call, about);
  };
}

/** The known tools a rule can apply to, and whether the list is complete. */
function toolsForTarget(
  target: Target,
  catalog: Catalog,
): { readonly tools: readonly ToolDeclaration[]; readonly complete: boolean } {
  if (target.type === 'tool') {
    const tool = catalog.resolveTool(target.server, target.tool);
    return { tools: tool === undefined ? [] : [tool], complete: tool !== undefined };
  }
  // A server may add tools later, and the list of all tools is never complete.
  const tools = catalog.list().filter((tool) => target.type === 'all' || tool.server === target.server);
  return { tools, complete: false };
}

/** Selects the targets to compile. */
type TargetFilter = (target: LocatedText) => boolean;

/**
 * True if the file was checked before and compiling it cannot find new problems. Files with servers or `strict` need a
 * full check.
 */
function wasCheckedBefore(policyFile: PolicyFile, { alreadyChecked, options }: CompileContext): boolean {
  const { strict, servers, rules } = policyFile;
  if (!alreadyChecked || strict === true || servers !== undefined) return false;
  if (options.tools === undefined || options.approver === undefined) return false;
  return rules.every(({ targets }) => targets.every(({ text }) => !text.includes('/')));
}

/** Returns a policy while all calls are for the same tool, and undefined after the first call for another tool. */
function singleToolPolicy(
  catalog: Catalog,
  compile: (isAbout: TargetFilter) => Policy,
): (call: ToolCall) => Policy | undefined {
  let compiled: { readonly server: string | undefined; readonly tool: string; readonly policy: Policy } | undefined;
  let hasOtherTool = false;
  return ({ server, tool }) => {
    if (hasOtherTool) return undefined;
    compiled ??= { server, tool, policy: compile(targetsOfTool(server, tool, catalog)) };
    hasOtherTool = compiled.server !== server || compiled.tool !== tool;
    return hasOtherTool ? undefined : compiled.policy;
  };
}

/** `wasCheckedBefore` rules out targets with a server. A target may name a local tool by an alias. */
function targetsOfTool(server: string | undefined, tool: string, catalog: Catalog): TargetFilter {
  const isNamed = (text: string): boolean => (catalog.resolveTool(undefined, text)?.name ?? text) === tool;
  return ({ text }) => text === '*' || (server === undefined && isNamed(text));
}
