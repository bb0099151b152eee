/** Finds unknown tools, servers and arguments, and reports all other warnings from loading. */

import { argumentNames } from '../../../kernel/catalog/argument-names.ts';
import { didYouMean, pairText, quoteName } from '../../../kernel/names.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { sampleCallOf } from '../../sample-calls/call-classes.ts';
import { pathsReadBy } from '../../cel/syntax/condition-parts.ts';
import type { CheckRequest } from '../../loaded-policy.ts';
import { type RuleEntry, ruleTitle } from '../../policy-rules.ts';
import { findingAt, findingIn, type LintFinding } from '../linted-policy/finding.ts';
import type { LintedPolicy } from '../linted-policy/linted-policy.ts';

export async function unknownNames(linted: LintedPolicy): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of linted.policyRules.entries) {
    const problem = unknownTarget(entry, linted) ?? unknownArgument(entry, linted);
    if (problem !== undefined) findings.push(await unknownNameFinding(entry, problem, linted));
  }
  return [...findings, ...(await loadFindings(linted, findings))];
}

async function unknownNameFinding(entry: RuleEntry, problem: string, linted: LintedPolicy): Promise<LintFinding> {
  const { target } = entry;
  const [first] = linted.classesCoveredBy(entry);
  const named = target.type === 'tool' ? target : undefined;
  const example =
    named === undefined || named.server !== undefined ? '' : `: tools: { ${named.tool}: { tier: confirm } }`;
  const call =
    first === undefined
      ? { tool: named?.tool ?? 'another_tool', server: named?.server, args: {} }
      : sampleCallOf(first);
  return findingAt(entry, await linted.tryCall(call), {
    kind: 'unknown-name',
    severity: entry.rule.effect === 'allow' ? 'warning' : 'error',
    message: `${problem[0]?.toUpperCase()}${problem.slice(1)}`,
    hint: `Correct the name, or declare it in the file${example}.`,
    shows: `${ruleTitle(entry)} applies only to calls such as this one.`,
  });
}

function unknownTarget({ target }: RuleEntry, { policy, options }: LintedPolicy): string | undefined {
  if (target.type === 'all') return undefined;
  const tools = [...policy.tools, ...(options.tools ?? [])].filter((tool) => tool.server === target.server);
  const servers = policy.servers.map(({ name }) => name);
  if (target.server !== undefined && !servers.includes(target.server)) {
    return `no server is named ${quoteName(target.server)}${didYouMean(target.server, servers) || '.'}`;
  }
  if (target.type === 'server') return undefined;
  const known = tools.flatMap((tool) => [tool.name, ...(tool.aliases?.names ?? [])]);
  if (known.length === 0 || known.includes(target.tool)) return undefined;
  // If the files declare only some tools of a server, any other name may be a real tool.
  const described = new Set(
    policy.layers.flatMap(({ policyFile }) => policyFile.tools.map((tool) => tool.target.text)),
  );
  if (target.server !== undefined && tools.every((tool) => described.has(pairText(tool.server, tool.name))))
    return undefined;
  return `no tool is named ${quoteName(target.tool)}${didYouMean(target.tool, known) || '.'}`;
}

/** An argument that a condition reads and that the tool does not have. */
function unknownArgument(entry: RuleEntry, linted: LintedPolicy): string | undefined {
  const { when } = entry.rule;
  if (when === undefined || entry.target.type !== 'tool') return undefined;
  const declared = linted.classesCoveredBy(entry).flatMap((each) => each.declared ?? []);
  const [tool] = declared;
  const names = tool === undefined ? undefined : argumentNames(tool);
  if (names === undefined) return undefined;
  const unknown = pathsReadBy(when.text).find(
    ([root, name]) => root === 'args' && name !== undefined && !names.has(name),
  );
  const name = unknown?.[1];
  return name === undefined
    ? undefined
    : `no argument of ${entry.writtenTarget.text} is named ${quoteName(name)}${didYouMean(name, names) || '.'}`;
}

/** The call without the argument that the finding says may be missing. */
function withoutArgument(call: CheckRequest, message: string): CheckRequest {
  const [, missing] = /"([^"]+)" may be missing/.exec(message) ?? [];
  const args = Object.entries(call.args as JsonObject).filter(([name]) => name !== missing);
  return { ...call, args: Object.fromEntries(args) };
}

/** Warnings from loading that were not reported yet. */
async function loadFindings(linted: LintedPolicy, known: readonly LintFinding[]): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const { file, at, message } of linted.policy.findings) {
    const names = [...message.matchAll(/"([^"]+)"/g)].map(([, name]) => `"${name}"`);
    // The position of an engine warning is approximate, so names are compared.
    const isKnown = known.some((each) => each.file === file && names.some((name) => each.message.includes(name)));
    if (isKnown) continue;
    const entry = linted.policyRules.entries
      .filter(({ layer, rule }) => layer.policyFile.file === file && rule.at.line <= at.line)
      .at(-1);
    const [each = linted.classes[0]] = entry === undefined ? [] : linted.classesCoveredBy(entry);
    if (each === undefined) continue;
    const tried = await linted.tryCall(withoutArgument(sampleCallOf(each), message));
    const finding = findingIn({ file, at }, tried, {
      kind: 'load',
      severity: 'warning',
      message,
      hint: 'Fix it; with "strict: true" this would be an error.',
      shows: 'The finding applies to this call.',
    });
    findings.push(finding);
  }
  return findings;
}
