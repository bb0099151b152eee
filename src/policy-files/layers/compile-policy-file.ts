/** Compiles a policy file to rules of the policy engine. */

import { dirname } from 'node:path';
import type { ToolCall } from '../../kernel/call.ts';
import { systemClock } from '../../kernel/clock.ts';
import { BridleError } from '../../kernel/errors.ts';
import { lazy } from '../../kernel/lazy.ts';
import { workspaceOnly } from '../../facts/paths/workspace/workspace-only.ts';
import { compilePolicyFor } from '../../kernel/policy/compiler/compile-policy.ts';
import type { Policy } from '../../kernel/policy/evaluator/policy.ts';
import type { Rule, RuleCondition } from '../../kernel/policy/rules/rule.ts';
import { parseTarget, targetText } from '../../kernel/policy/rules/target.ts';
import { conditionPredicate } from './condition-predicate.ts';
import type { PolicyFileRule, FilePosition, LocatedText, PolicyFile } from '../policy-file.ts';
import type { CompileContext } from './compile-context.ts';
import type { PolicyFinding } from '../loaded-policy.ts';
import { singleToolPolicy, type TargetFilter, wasCheckedBefore } from './single-tool-policy.ts';
import { schemaRules } from './schema-rules.ts';
import { serverRules } from './server-rules.ts';

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
    ...schemaRules(policyFile, context),
    ...rules,
    ...serverRules(policyFile),
    ...workspaceRules(policyFile, context),
  ];
  const policy = compileLayer(policyFile, all, context);
  if (policyFile.strict === true) refuseFindings(policyFile, policy);
  return {
    policy,
    findings: () => [...findings, ...policy.warnings.map((warning) => locateFinding(policyFile, warning))],
  };
}

/**
 * Built-in tools that exist only if the application provides a backend. A rule about a missing one is not a mistake.
 */
const optionalTools = new Set(['search_web', 'generate_image']);

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
  const { effect, name, reason, grant, shadow, unknown, expires } = rule;
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

function workspaceRules({ file, workspaces }: PolicyFile, { path }: CompileContext): readonly Rule[] {
  if (workspaces === undefined) return [];
  const [first] = workspaces;
  const rule = workspaceOnly(
    workspaces.map(({ text }) => text),
    { cwd: dirname(path), name: 'workspaces' },
  );
  return [{ ...rule, at: `${file}:${first?.at.line ?? 1}` }];
}
