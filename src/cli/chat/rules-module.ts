/** Loads a policy from the user's JavaScript module. */

import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { BridleError, type ErrorCode, messageOf } from '../../kernel/errors.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import { arg } from '../../kernel/policy/conditions/argument-predicate.ts';
import * as policyBuilders from '../../kernel/policy/rules/builders.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';

const builders = { ...policyBuilders, arg } as const;

/** Returns the rules that `file` exports as its default, or that its default function returns when given the builders. */
export async function loadRules(file: string): Promise<Rules> {
  const problem = fileProblem(file);
  if (problem !== undefined) throw rulesModuleError(file, problem);
  const rules = await rulesOf(file);
  if (typeof rules === 'object' && rules !== null) return rules as Rules;
  throw rulesModuleError(file, `exports ${kindOf(rules)} as its default; export a rule or a list of rules`);
}

function fileProblem(file: string): string | undefined {
  return existsSync(file) ? undefined : 'does not exist';
}

async function rulesOf(file: string): Promise<unknown> {
  try {
    const { default: exported } = (await import(pathToFileURL(file).href)) as { readonly default?: unknown };
    return typeof exported === 'function'
      ? await (exported as (given: typeof builders) => unknown)(builders)
      : exported;
  } catch (error) {
    const hint = isBridleMissing(error)
      ? '; install bridle in that folder, or export a function: export default ({ allow, ask }) => [ … ]'
      : '';
    throw rulesModuleError(file, `cannot be loaded: ${messageOf(error)}${hint}`, error);
  }
}

function isBridleMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes("'bridle'");
}

/** Adds the file name to an error about the policy. */
export function nameRulesModule(file: string | undefined, error: unknown): unknown {
  const isPolicyError = error instanceof BridleError && policyCodes.has(error.code);
  return isPolicyError && file !== undefined
    ? rulesModuleError(file, `cannot be used: ${error.message}`, error)
    : error;
}

const policyCodes: ReadonlySet<ErrorCode> = new Set(['POLICY_INVALID', 'RULE_INVALID', 'AGENT_UNSAFE']);

function rulesModuleError(file: string, problem: string, cause?: unknown): BridleError {
  return new BridleError('POLICY_INVALID', `the policy file ${file} ${problem}`, cause === undefined ? {} : { cause });
}
