/**
 * Chooses the policy of `bridle chat`: the file given with `--policy`, the one in the folder, or the safe defaults. A file
 * given with `--policy` may be a JavaScript module.
 */

import { existsSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PolicyInput } from '../../agent/options/policy-input.ts';
import { openPolicy } from '../../policy-files/load/open-policy.ts';
import { loadPolicy } from '../../policy-files/load/load-policy.ts';
import { wasTrusted } from '../../policy-files/load/trust.ts';
import type { ApprovalRequest, Approver } from '../../kernel/approval.ts';
import { BridleError, type ErrorCode, messageOf } from '../../kernel/errors.ts';
import { kindOf } from '../../kernel/kind-of.ts';
import * as builders from '../../kernel/policy/rules/builders.ts';
import type { Rules } from '../../kernel/policy/rules/rule.ts';
import type { ToolDeclaration } from '../../kernel/tool.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { moduleErrorText } from '../command/module-error.ts';
import type { ChatSettings } from './chat-settings.ts';
import { higherLayers } from '../../files/bridle-home.ts';
import { policyFilesIn, untrustedEffect } from '../command/policy-options.ts';

export interface ChatPolicy {
  readonly policy: PolicyInput;
  /** Shown before the first turn. */
  readonly notice: string | undefined;
  /** The policy's file. */
  readonly file: string | undefined;
  /** True if the file was found in the folder and is not trusted. */
  readonly isUntrusted?: boolean | undefined;
}

/** Opens the policy; if it is invalid, throws an error with every problem and its location. */
export async function chatPolicy(settings: ChatSettings): Promise<ChatPolicy> {
  const { policyFile: named, cwd, home } = settings;
  const higher = higherLayers(home);
  if (named !== undefined && ['.mjs', '.js'].includes(extname(named).toLowerCase()))
    return { policy: await loadRules(named), notice: undefined, file: named };
  const [found] = policyFilesIn(cwd).map((name) => join(cwd, name));
  const file = named ?? found ?? higher.at(-1);
  if (file === undefined) return { policy: builders.safeDefaults(), notice: undefined, file };
  const untrusted = file === found && named === undefined ? builders.safeDefaults() : undefined;
  const policy = openPolicy(file, { cwd, home, higher, untrusted });
  const changed = !policy.trusted && wasTrusted(home, file);
  const hasHooks = policy.hookModules.length > 0;
  const notice = noticeText(file, { higher, trusted: policy.trusted, changed, hasHooks });
  return { policy, notice, file, isUntrusted: !policy.trusted };
}

/** Says once in a chat that a question would not be asked if the policy file of the folder were trusted. */
export class TrustHint {
  /** The policy file that is not trusted. Without one, nothing is said. */
  file: string | undefined;
  tools: () => readonly ToolDeclaration[] = () => [];

  constructor(
    private readonly settings: Pick<ChatSettings, 'cwd' | 'home'>,
    private readonly note: (text: string) => void,
  ) {}

  approver(ask: Approver): Approver {
    return async (request, options) => {
      if (this.file !== undefined && (await this.allows(this.file, request))) {
        const name = basename(this.file);
        this.note(safeText(`${name} allows this, but it is not trusted: npx bridle trust ${name}`));
        this.file = undefined;
      }
      return ask(request, options);
    };
  }

  /** Whether the file would allow the call. A question of a hook would be asked anyway. */
  private async allows(file: string, { call, questions }: ApprovalRequest): Promise<boolean> {
    if (questions.some(({ hook }) => hook !== undefined)) return false;
    const { cwd, home } = this.settings;
    try {
      const policy = loadPolicy(file, { cwd, home, higher: higherLayers(home), tools: this.tools() });
      const { effect } = await policy.decide({ tool: call.tool, server: call.server, args: call.args });
      return effect === 'allow';
    } catch {
      // The file has changed and is invalid now. The question does not depend on it.
      return false;
    }
  }
}

interface PolicyStatus {
  readonly higher: readonly string[];
  readonly trusted: boolean;
  /** True if earlier content of the file was trusted. */
  readonly changed: boolean;
  readonly hasHooks: boolean;
}

function noticeText(file: string, status: PolicyStatus): string {
  const name = basename(file);
  const above = status.higher.filter((each) => each !== file);
  const layers = above.length === 0 ? '' : `, under ${above.join(' and ')}`;
  if (status.trusted) return `policy: ${name}${layers}`;
  const hooks = status.hasHooks ? ', and its hooks are not loaded' : '';
  const why = status.changed ? 'it has changed since you trusted it' : 'it is not trusted';
  return `policy: ${name}${layers}; ${why}, so ${untrustedEffect(above)}${hooks} (to trust it: npx bridle trust ${name})`;
}

/** Returns the rules that `file` exports as its default, or that its default function returns when given the builders. */
async function loadRules(file: string): Promise<Rules> {
  if (!existsSync(file)) throw rulesModuleError(file, 'does not exist');
  const rules = await rulesOf(file);
  if (typeof rules === 'object' && rules !== null) return rules as Rules;
  throw rulesModuleError(file, `exports ${kindOf(rules)} as its default; export a rule or a list of rules`);
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
    throw rulesModuleError(file, `cannot be loaded: ${moduleErrorText(error, file)}${hint}`, error);
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
