/** Chooses the policy of `bridle chat`: the file given with `--policy`, the one in the folder, or the safe defaults. */

import { basename, extname, join } from 'node:path';
import type { PolicyInput } from '../../agent/options/policy-input.ts';
import { openPolicy } from '../../policy-files/load/open-policy.ts';
import { wasTrusted } from '../../policy-files/load/trust.ts';
import { safeDefaults } from '../../kernel/policy/rules/builders.ts';
import type { ChatSettings } from './chat-settings.ts';
import { higherLayers } from '../command/bridle-home.ts';
import { policyFilesIn, untrustedEffect } from '../command/policy-options.ts';
import { loadRules } from './rules-module.ts';

export interface ChatPolicy {
  readonly policy: PolicyInput;
  /** Shown before the first turn. */
  readonly notice: string | undefined;
  /** The policy's file. */
  readonly file: string | undefined;
}

/** Opens the policy; if it is invalid, throws an error with every problem and its location. */
export async function chatPolicy(settings: ChatSettings): Promise<ChatPolicy> {
  const { policyFile: named, cwd, home } = settings;
  const higher = higherLayers(home);
  if (named !== undefined && ['.mjs', '.js'].includes(extname(named).toLowerCase()))
    return { policy: await loadRules(named), notice: undefined, file: named };
  const [found] = policyFilesIn(cwd).map((name) => join(cwd, name));
  const file = named ?? found ?? higher.at(-1);
  if (file === undefined) return { policy: safeDefaults(), notice: undefined, file };
  const untrusted = file === found && named === undefined ? safeDefaults() : undefined;
  const policy = openPolicy(file, { cwd, home, higher, untrusted });
  const changed = !policy.trusted && wasTrusted(home, file);
  return { policy, notice: noticeText(file, { higher, trusted: policy.trusted, changed }), file };
}

interface PolicyStatus {
  readonly higher: readonly string[];
  readonly trusted: boolean;
  /** True if earlier content of the file was trusted. */
  readonly changed: boolean;
}

function noticeText(file: string, status: PolicyStatus): string {
  const name = basename(file);
  const above = status.higher.filter((each) => each !== file);
  const layers = above.length === 0 ? '' : `, under ${above.join(' and ')}`;
  if (status.trusted) return `policy: ${name}${layers}`;
  const why = status.changed ? 'it has changed since you trusted it' : 'it is not trusted';
  return `policy: ${name}${layers}; ${why}, so ${untrustedEffect(above)} (to trust it: bridle trust ${name})`;
}
