/** Text output of `bridle explain`: for each layer, the forbid tier and nine buckets with the rules that match the call. */

import type { Effect, RuleRef } from '../../../kernel/call.ts';
import type { CheckRequest, LayerExplanation, PolicyExplanation } from '../../../policy-files/loaded-policy.ts';
import type { ConsideredRule } from '../../../kernel/policy/evaluator/call-evaluation.ts';
import { callText, ruleLabel, effectTones } from '../../command/call-text.ts';
import type { CommandFacts } from './command-facts.ts';
import type { Paint, Tone } from '../../../terminal/output/paint.ts';
import { safeText } from '../../../terminal/output/safe-text.ts';

export interface ExplainInput {
  readonly request: CheckRequest;
  readonly explanation: PolicyExplanation;
  readonly commands: readonly CommandFacts[];
  readonly fallback: Effect;
}

export function explainLines(context: ExplainInput, paint: Paint): readonly string[] {
  const { request, explanation, commands, fallback } = context;
  const { decision, layers } = explanation;
  const { effect, rule, reason, uncertainty, problem, additionalQuestions = [] } = decision;
  const answer = paint(effectTones[effect], paint('strong', effect));
  const by = problem === undefined ? byText(rule, fallback) : 'the call is invalid';
  return [
    `${answer}  ${callText(request)}`,
    `  ${by}`,
    ...(reason === '' ? [] : [`  ${effect === 'ask' ? 'question' : 'reason'}: ${safeText(reason)}`]),
    ...additionalQuestions.map((each) => `  also asks: ${ruleLabel(each.rule)}: ${safeText(each.reason)}`),
    ...(uncertainty === undefined ? [] : [`  ${paint('warn', 'unknown')}: ${safeText(uncertainty)}`]),
    ...commands.flatMap((facts) => ['', ...commandFactLines(facts, paint)]),
    ...(problem === undefined ? layers : []).flatMap((layer) => ['', ...layerLines(layer, paint)]),
  ];
}

function byText(rule: RuleRef | undefined, fallback: Effect): string {
  return rule === undefined ? `no rule decides: the default is ${fallback}` : `decided by ${ruleLabel(rule)}`;
}

function commandFactLines({ runs, unknown, opaque }: CommandFacts, paint: Paint): readonly string[] {
  return [
    'commands in the line',
    ...runs.map(({ command, via, uncovered }) => {
      const by = via.length === 0 ? '' : paint('dim', `  by ${via.join(', ')}`);
      return `  ${safeText(command)}${by}${uncovered === true ? paint('warn', "  not covered by any allow rule's runsOnly") : ''}`;
    }),
    ...(runs.length === 0 ? ['  none found'] : []),
    ...(unknown === undefined ? [] : [`  ${paint('warn', 'possibly more')}: ${safeText(unknown)}`]),
    ...(opaque === undefined ? [] : [`  ${paint('warn', 'opaque')}: ${safeText(opaque)}`]),
  ];
}

const buckets = [
  [-1, 'forbid', ''],
  [0, 'tool', 'deny'],
  [1, 'tool', 'ask'],
  [2, 'tool', 'allow'],
  [3, 'server/*', 'deny'],
  [4, 'server/*', 'ask'],
  [5, 'server/*', 'allow'],
  [6, '*', 'deny'],
  [7, '*', 'ask'],
  [8, '*', 'allow'],
] as const;
const levels = [...new Set(buckets.map(([, level]) => level))];

const marks: Readonly<Record<ConsideredRule['outcome'], readonly [mark: string, tone: Tone]>> = {
  decided: ['→', 'strong'],
  'did not apply': ['·', 'plain'],
  'is unknown': ['?', 'warn'],
  'could not be evaluated': ['!', 'bad'],
  'not reached': [' ', 'dim'],
};

function layerLines({ layer, considered, shadows }: LayerExplanation, paint: Paint): readonly string[] {
  const width = Math.max(0, ...considered.map(({ rule }) => ruleLabel(rule).length));
  const empty: string[] = [];
  const rows = levels.flatMap((level) => {
    const found = buckets.filter(
      ([bucket, of]) => of === level && considered.some(({ rule }) => rule.bucket === bucket),
    );
    if (found.length === 0) empty.push(level);
    return found.flatMap(([bucket, , effect], index) => {
      const head = `${(index === 0 ? level : '').padEnd(11)}${effect.padEnd(7)}`;
      const rules = inFileOrder(considered.filter(({ rule }) => rule.bucket === bucket));
      return rules.map((each, at) => `  ${(at === 0 ? head : '').padEnd(18)}${outcomeText(each, width, paint)}`);
    });
  });
  const shadowLines = shadows.map(({ rule, would, problem }) => {
    const answer = would === undefined ? 'would not apply' : `would ${would}`;
    const why = problem === undefined ? '' : `: ${safeText(problem)}`;
    return `  ${'shadow'.padEnd(11)}${rule.effect.padEnd(7)}  ${ruleLabel(rule)}  ${answer}${why}`;
  });
  return [
    paint('strong', safeText(layer.policyFile.file)),
    ...rows,
    ...shadowLines,
    ...(empty.length === 0 ? [] : [`  ${paint('dim', `– ${emptyText(empty)}`)}`]),
  ];
}

const levelNames: Readonly<Record<string, string>> = { tool: 'this tool', 'server/*': 'its server', '*': 'all tools' };

/** `no forbid rules; no rules for this tool or its server` */
function emptyText(empty: readonly string[]): string {
  if (empty.length === levels.length) return 'no rules for this call';
  const names = empty.flatMap((level) => levelNames[level] ?? []).join(' or ');
  const forbid = empty.includes('forbid') ? ['no forbid rules'] : [];
  return [...forbid, ...(names === '' ? [] : [`no rules for ${names}`])].join('; ');
}

/** Sorts rules of one bucket by their line in the file; the engine evaluates some of them out of file order. */
function inFileOrder(rules: readonly ConsideredRule[]): readonly ConsideredRule[] {
  return rules.toSorted((a, b) => lineOf(a) - lineOf(b));
}

function lineOf({ rule }: ConsideredRule): number {
  return Number(/:(\d+)$/.exec(rule.at ?? '')?.[1] ?? 0);
}

function outcomeText({ rule, outcome, detail = '' }: ConsideredRule, width: number, paint: Paint): string {
  const [mark, tone] = marks[outcome];
  const why = detail === '' || outcome === 'decided' ? '' : `: ${safeText(detail)}`;
  return paint(tone, `${mark} ${ruleLabel(rule).padEnd(width)}  ${outcome}${why}`);
}
