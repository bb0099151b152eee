/** Names that nothing bears: of tools, servers and arguments. And whatever else loading has found odd. */

import { argumentNames } from '../../catalog/arguments.ts';
import { meant, pairText, quoteName } from '../../catalog/names.ts';
import type { JsonObject } from '../../json.ts';
import { callOf } from '../call-classes.ts';
import { readPaths } from '../condition-parts.ts';
import type { CheckRequest } from '../loaded-policy.ts';
import { type BookRule, titleOf } from '../rule-book.ts';
import { findingAt, type LintFinding, witnessOf } from './finding.ts';
import type { LintSubject } from './lint-subject.ts';

export async function unknownNames(subject: LintSubject): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const entry of subject.book.entries) {
    const problem = unknownTarget(entry, subject) ?? unknownArgument(entry, subject);
    if (problem !== undefined) findings.push(await finding(entry, problem, subject));
  }
  return [...findings, ...(await foundAtLoad(subject, findings))];
}

async function finding(entry: BookRule, problem: string, subject: LintSubject): Promise<LintFinding> {
  const { target } = entry;
  const [first] = subject.covered(entry);
  const named = target.type === 'tool' ? target : undefined;
  const call =
    first === undefined ? { tool: named?.tool ?? 'another_tool', server: named?.server, args: {} } : callOf(first);
  const { explanation } = await subject.ask(call);
  return findingAt(entry, {
    kind: 'unknown-name',
    severity: entry.rule.effect === 'allow' ? 'warning' : 'error',
    message: `${problem[0]?.toUpperCase()}${problem.slice(1)}`,
    hint: 'Correct the name, or declare it in the file.',
    witness: witnessOf(call, explanation.decision, `${titleOf(entry)} is about calls such as this one only.`),
  });
}

function unknownTarget({ target }: BookRule, { policy, options }: LintSubject): string | undefined {
  if (target.type === 'all') return undefined;
  const tools = [...policy.tools, ...(options.tools ?? [])].filter((tool) => tool.server === target.server);
  const servers = policy.servers.map(({ name }) => name);
  if (target.server !== undefined && !servers.includes(target.server)) {
    return `no server is named ${quoteName(target.server)}${meant(target.server, servers) || '.'}`;
  }
  if (target.type === 'server') return undefined;
  const known = tools.flatMap((tool) => [tool.name, ...(tool.aliases?.names ?? [])]);
  if (known.length === 0 || known.includes(target.tool)) return undefined;
  // Files describe some tools of a server only: any other name may be one of the rest.
  const described = new Set(policy.layers.flatMap(({ document }) => document.tools.map((tool) => tool.target.text)));
  if (target.server !== undefined && tools.every((tool) => described.has(pairText(tool.server, tool.name))))
    return undefined;
  return `no tool is named ${quoteName(target.tool)}${meant(target.tool, known) || '.'}`;
}

/** An argument that a condition reads and none of the tools it is about has. */
function unknownArgument(entry: BookRule, subject: LintSubject): string | undefined {
  const { when } = entry.rule;
  if (when === undefined || entry.target.type !== 'tool') return undefined;
  const declared = subject.covered(entry).flatMap((each) => each.declared ?? []);
  const [tool] = declared;
  const names = tool === undefined ? undefined : argumentNames(tool);
  if (names === undefined) return undefined;
  const unknown = readPaths(when.text).find(
    ([root, name]) => root === 'args' && name !== undefined && !names.has(name),
  );
  const name = unknown?.[1];
  return name === undefined
    ? undefined
    : `no argument of ${entry.written.text} is named ${quoteName(name)}${meant(name, names) || '.'}`;
}

/** The call without what the finding says may be missing. */
function withoutArgument(call: CheckRequest, message: string): CheckRequest {
  const [, missing] = /"([^"]+)" may be missing/.exec(message) ?? [];
  const args = Object.entries(call.args as JsonObject).filter(([name]) => name !== missing);
  return { ...call, args: Object.fromEntries(args) };
}

/** Findings of the load that are not among those above. */
async function foundAtLoad(subject: LintSubject, known: readonly LintFinding[]): Promise<readonly LintFinding[]> {
  const findings: LintFinding[] = [];
  for (const { file, at, message } of subject.policy.findings) {
    const names = [...message.matchAll(/"([^"]+)"/g)].map(([, name]) => `"${name}"`);
    // The place of a warning of the engine is a guess, so names have to do.
    const isKnown = known.some((each) => each.file === file && names.some((name) => each.message.includes(name)));
    if (isKnown) continue;
    const entry = subject.book.entries
      .filter(({ layer, rule }) => layer.document.file === file && rule.at.line <= at.line)
      .at(-1);
    const [each = subject.classes[0]] = entry === undefined ? [] : subject.covered(entry);
    if (each === undefined) continue;
    const shown = await subject.ask(withoutArgument(callOf(each), message));
    const witness = witnessOf(shown.call, shown.explanation.decision, 'It is a call the finding is about.');
    const hint = 'Correct what it says; with "strict: true" it would be an error.';
    findings.push({ kind: 'load', severity: 'warning', file, at, message, hint, witness });
  }
  return findings;
}
