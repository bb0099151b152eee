/** From a policy file to a policy: each of its statements becomes rules of the one engine. */

import { dirname } from 'node:path';
import type { ToolCall } from '../call.ts';
import { systemClock } from '../clock.ts';
import { BridleError } from '../errors.ts';
import { lazy } from '../lazy.ts';
import { workspaceOnly } from '../paths/workspace-only.ts';
import { compileFor } from '../policy/compile.ts';
import type { Policy } from '../policy/policy.ts';
import type { Rule, When } from '../policy/rule.ts';
import { readTarget, targetText } from '../policy/target.ts';
import { conditionFor } from './condition-for.ts';
import type { DocumentRule, Place, PlacedText, PolicyDocument } from './document.ts';
import type { LayerSurroundings } from './layer-surroundings.ts';
import type { PolicyFinding } from './loaded-policy.ts';
import { decideNarrowly, type IsAbout, isTakenBefore } from './narrow-policy.ts';
import { schemaRules } from './schema-rules.ts';
import { serverRules } from './server-rules.ts';

export interface CompiledDocument {
  readonly policy: Policy;
  /** A policy of all rules that are about a call; undefined where it would save nothing. */
  readonly narrow: ((call: ToolCall) => Policy | undefined) | undefined;
  readonly findings: () => readonly PolicyFinding[];
}

/** Taken whole, or refused whole with every problem and its place; later, if it was taken before. */
export function compileDocument(document: PolicyDocument, around: LayerSurroundings): CompiledDocument {
  const whole = lazy(() => compileRules(document, around, () => true));
  const part = (isAbout: IsAbout): Policy => compileRules(document, around, isAbout).policy;
  const narrow = isTakenBefore(document, around) ? decideNarrowly(around.catalog, part) : undefined;
  if (narrow === undefined) whole();
  return {
    get policy() {
      return whole().policy;
    },
    narrow,
    findings: () => whole().findings(),
  };
}

interface CompiledRules {
  readonly policy: Policy;
  readonly findings: () => readonly PolicyFinding[];
}

function compileRules(document: PolicyDocument, around: LayerSurroundings, isAbout: IsAbout): CompiledRules {
  const problems: string[] = [];
  const findings: PolicyFinding[] = [];
  const tell = (severity: 'error' | 'warning', at: Place, message: string): void => {
    if (severity === 'error' || document.strict === true)
      problems.push(`${document.file}:${at.line}:${at.column}: ${message}`);
    else findings.push({ file: document.file, at, message });
  };
  const rules = document.rules.flatMap((rule) =>
    rule.targets
      .filter((target) => isAbout(target) && !isLeftOut(target.text, around))
      .map((target) => ruleFor(document, { rule, target, around, tell })),
  );
  if (problems.length > 0) throw new BridleError('POLICY_FILE', problems.join('\n'), { problems });
  const all = [
    ...schemaRules(document, around),
    ...rules,
    ...serverRules(document),
    ...workspaceRules(document, around),
  ];
  const policy = compileLayer(document, all, around);
  if (document.strict === true) refuseFindings(document, policy);
  return { policy, findings: () => [...findings, ...policy.warnings.map((warning) => placed(document, warning))] };
}

/** Built-in tools that exist only where somebody plugs in what does their work: a rule about one is no slip. */
const pluggedIn = new Set(['search_web', 'generate_image']);

function isLeftOut(target: string, { catalog }: LayerSurroundings): boolean {
  return pluggedIn.has(target) && catalog.canonical(undefined, target) === undefined;
}

function compileLayer(
  document: PolicyDocument,
  rules: readonly Rule[],
  { catalog, options }: LayerSurroundings,
): Policy {
  try {
    // It abstains where no rule matches, which its stack tells by the missing rule.
    return compileFor(catalog, rules, { ...options, default: 'allow', lenient: document.strict !== true });
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    const problems = error.problems.map((problem) => {
      const { file, at, message } = placed(document, problem);
      return `${file}:${at.line}:${at.column}: ${message}`;
    });
    throw new BridleError('POLICY_FILE', problems.join('\n'), { problems, cause: error });
  }
}

/** Names that nothing bears are an error in a strict file, in an allow as well. */
function refuseFindings(document: PolicyDocument, { warnings }: Policy): void {
  const problems = warnings
    .filter((warning) => warning.startsWith(`${document.file}:`))
    .map((warning) => placed(document, warning))
    .map(({ file, at, message }) => `${file}:${at.line}:${at.column}: ${message}`);
  if (problems.length > 0) throw new BridleError('POLICY_FILE', problems.join('\n'), { problems });
}

/** What the engine says of a rule begins with its place; anything else is about the file as a whole. */
function placed({ file, rules, workspaces }: PolicyDocument, said: string): PolicyFinding {
  const [folder] = workspaces ?? [];
  if (folder !== undefined && said.startsWith('workspaceOnly:')) return { file, at: folder.at, message: said };
  const [, line, message] = said.startsWith(`${file}:`)
    ? (/^(\d+): (.*)$/s.exec(said.slice(file.length + 1)) ?? [])
    : [];
  const at = rules.find((rule) => String(rule.at.line) === line)?.at ?? { line: Number(line ?? 1), column: 1 };
  return { file, at, message: message ?? said };
}

type Tell = (severity: 'error' | 'warning', at: Place, message: string) => void;

interface RuleParts {
  readonly rule: DocumentRule;
  readonly target: PlacedText;
  readonly around: LayerSurroundings;
  readonly tell: Tell;
}

function ruleFor({ file }: PolicyDocument, { rule, target, around, tell }: RuleParts): Rule {
  const { effect, name, reason, grant, shadow, unknown, expires } = rule;
  const parsed = readTarget(target.text);
  return {
    type: 'rule',
    effect,
    target: parsed,
    // Messages about one target of several must tell which.
    name: name === undefined || rule.targets.length === 1 ? name : `${name}: ${targetText(parsed)}`,
    reason,
    grant,
    shadow,
    unknown,
    when: limitedTo(expires, rule.when && conditionFor(rule.when, { target: parsed, around, tell }), around),
    at: `${file}:${rule.at.line}`,
    fingerprint: JSON.stringify([rule.when?.text ?? null, expires ?? null]),
  };
}

function limitedTo(
  expires: number | undefined,
  when: When | undefined,
  { options }: LayerSurroundings,
): When | undefined {
  if (expires === undefined) return when;
  const { clock = systemClock } = options;
  return (args, call, about) => clock.wall() < expires && (when === undefined || when(args, call, about));
}

function workspaceRules({ file, workspaces }: PolicyDocument, { path }: LayerSurroundings): readonly Rule[] {
  if (workspaces === undefined) return [];
  const [first] = workspaces;
  const rule = workspaceOnly(
    workspaces.map(({ text }) => text),
    { cwd: dirname(path), name: 'workspaces' },
  );
  return [{ ...rule, at: `${file}:${first?.at.line ?? 1}` }];
}
