import { readableCall } from '../../catalog/arguments.ts';
import { readCall } from '../../catalog/read-call.ts';
import { BridleError } from '../../errors.ts';
import type { SessionId } from '../../ids.ts';
import { defaultLimits } from '../../limits.ts';
import { celFacts } from '../cel-facts.ts';
import { compileCondition, type CompiledCondition } from '../cel/compile-condition.ts';
import type { DocumentCondition } from '../document.ts';
import type { CheckRequest, LoadedPolicy } from '../loaded-policy.ts';
import type { BookRule } from '../rule-book.ts';
import { viewBy } from '../told-tools.ts';

const conditions = new WeakMap<DocumentCondition, CompiledCondition>();

function compiled(condition: DocumentCondition): CompiledCondition {
  const known = conditions.get(condition);
  const made = known ?? compileCondition(condition.text, { tools: [], complete: false, facts: celFacts });
  conditions.set(condition, made);
  return made;
}

/** True if a deny would deny a call, were it asked: it matches, or it denies what is unknown. */
export async function wouldDeny(
  { layer, rule }: BookRule,
  request: CheckRequest,
  policy: LoadedPolicy,
): Promise<boolean> {
  if (rule.when === undefined) return true;
  const { cwd = policy.cwd, state } = request;
  const place = { session: 'lint' as SessionId, turn: 0, step: 0, agent: ['main'], cwd };
  const read = await readCall(request, place, { catalog: policy.catalog, limits: defaultLimits });
  if (read.problem !== undefined) return false;
  const { call, tool } = viewBy(layer.document)(read.call, read.tool);
  const { evaluate } = compiled(rule.when);
  const about = { tool, state: { session: state?.session ?? {}, turn: state?.turn ?? {} } };
  try {
    const readable = readableCall(tool, call);
    return evaluate(readable.args, readable, about);
  } catch (error) {
    // Whatever fails is denied, and so is what is unknown, unless the rule asks then.
    const isUnknown = error instanceof BridleError && error.code === 'FACT_UNKNOWN';
    return !(isUnknown && rule.unknown === 'ask');
  }
}
