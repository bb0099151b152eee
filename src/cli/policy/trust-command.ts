/** `bridle trust`: shows what a policy file allows and records that its content is trusted. */

import { refuseAgents } from '../approvals/refuse-agents.ts';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PolicyFile } from '../../policy-files/policy-file.ts';
import { policyFromFiles } from '../../policy-files/load/load-policy.ts';
import { type PolicyFileOnDisk, readPolicyFiles } from '../../policy-files/read/read-policy-files.ts';
import {
  distrustPolicy,
  identityOfPolicy,
  isTrusted,
  listTrusted,
  trustPolicy,
} from '../../policy-files/load/trust.ts';
import { declareBuiltins } from '../../tools/declare-builtins.ts';
import type { CommandReport } from '../output/command-report.ts';
import { countText } from '../output/count-text.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { policyExitCodes } from '../exit/policy-exit-codes.ts';
import { findPolicy, type PolicyOptions, type PolicyContext } from '../options/policy-options.ts';
import { usageError } from '../options/usage-error.ts';
import { bridleHome } from '../options/bridle-home.ts';
import { safeText } from '../../terminal/output/safe-text.ts';

export interface TrustOptions extends PolicyOptions {
  readonly yes?: boolean | undefined;
  readonly list?: boolean | undefined;
  readonly remove?: boolean | undefined;
}

export interface TrustContext extends PolicyContext {
  /** Shows lines and asks at the terminal; undefined without a terminal. */
  readonly confirm: ((lines: (paint: Paint) => readonly string[]) => boolean) | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export function runTrust(file: string | undefined, options: TrustOptions, context: TrustContext): CommandReport {
  const home = bridleHome(context.env);
  if (options.list === true) return listReport(home);
  refuseAgents(context.env);
  if (options.remove === true) return removeReport(home, file, { options, context });
  const location = findPolicy({ ...options, policy: file ?? options.policy }, context);
  // Read once, so that the content shown is the content trusted.
  const files = readPolicyFiles(location.file, { cwd: location.cwd });
  policyFromFiles(files, { cwd: location.cwd, home, tools: declareBuiltins() });
  const known = isTrusted(home, files);
  const shown = (paint: Paint): readonly string[] => summaryLines(files, paint);
  if (!known && options.yes !== true) {
    if (context.confirm === undefined)
      throw usageError('there is no terminal to ask for confirmation: read the file, then add --yes');
    if (!context.confirm(shown)) return notTrustedReport(files);
  }
  if (!known) trustPolicy(home, files, context.now());
  const { hash } = identityOfPolicy(files);
  return {
    code: policyExitCodes.ok,
    data: { ...identityOfPolicy(files), trusted: true, changed: !known },
    lines: (paint) => [
      ...(known || options.yes === true ? shown(paint) : []),
      known ? 'already trusted' : `trusted: ${hash}`,
    ],
  };
}

function notTrustedReport(files: readonly PolicyFileOnDisk[]): CommandReport {
  return {
    code: policyExitCodes.findings,
    data: { ...identityOfPolicy(files), trusted: false, changed: false },
    lines: () => ['not trusted'],
  };
}

function listReport(home: string): CommandReport {
  const all = listTrusted(home);
  return {
    code: policyExitCodes.ok,
    data: { policies: all },
    lines: () =>
      all.length === 0
        ? ['no policy files are trusted']
        : all.map(({ file, hash, at }) => `${safeText(file)}  ${hash.slice(0, 16)}…  ${new Date(at).toISOString()}`),
  };
}

interface RemovalInput {
  readonly options: TrustOptions;
  readonly context: TrustContext;
}

function removeReport(home: string, file: string | undefined, { options, context }: RemovalInput): CommandReport {
  const path = file === undefined ? findPolicy(options, context).file : resolve(file);
  const real = realPath(path);
  const removed = distrustPolicy(home, real);
  return {
    code: removed ? policyExitCodes.ok : policyExitCodes.findings,
    data: { file: real, removed },
    lines: () => [removed ? `no longer trusted: ${safeText(real)}` : `was not trusted: ${safeText(real)}`],
  };
}

/** Resolves links; a deleted file can still be untrusted. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Everything the files allow, for a person to read before trusting them. */
function summaryLines(files: readonly PolicyFileOnDisk[], paint: Paint): readonly string[] {
  const { hash } = identityOfPolicy(files);
  return [
    ...files.toReversed().flatMap(({ policyFile }) => policyFileLines(policyFile, paint)),
    fieldLine('hash', hash),
  ];
}

function policyFileLines(policyFile: PolicyFile, paint: Paint): readonly string[] {
  const { file, rules, workspaces, tools } = policyFile;
  const allowRules = rules.filter(({ effect, shadow }) => effect === 'allow' && shadow !== true);
  const otherRules = rules.length - allowRules.length;
  const askIfUnknown = rules.filter(({ unknown, shadow }) => unknown === 'ask' && shadow !== true).length;
  return [
    paint('strong', safeText(file)),
    fieldLine('default', safeText(policyFile.default ?? 'deny')),
    ...(workspaces === undefined
      ? []
      : [fieldLine('folders', workspaces.map(({ text }) => safeText(text)).join(', '))]),
    ...tools.map(({ target, tier }) =>
      fieldLine('declares', `${safeText(target.text)}${tier === undefined ? '' : ` (${tier})`}`),
    ),
    ...allowRules.map(({ targets, when, at }) => {
      const names = targets.map(({ text }) => safeText(text)).join(', ');
      return fieldLine(
        'allows',
        `${names}${when === undefined ? '' : ` when ${safeText(when.text)}`}  ${paint('dim', `line ${at.line}`)}`,
      );
    }),
    fieldLine(
      'and',
      `${countText(otherRules, 'rule')} that ask${otherRules === 1 ? 's' : ''}, ${otherRules === 1 ? 'denies or forbids' : 'deny or forbid'}`,
    ),
    ...(askIfUnknown === 0
      ? []
      : [
          fieldLine('of which', `${askIfUnknown} only ask${askIfUnknown === 1 ? 's' : ''} if the condition is unknown`),
        ]),
  ];
}

function fieldLine(title: string, text: string): string {
  return `  ${title.padEnd(10)}${text}`;
}
