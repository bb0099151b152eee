/** `bridle trust`: shows what a policy file opens, and remembers that its content is trusted. */

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
  /** Puts a question to the person at the terminal; undefined where nobody sits there. */
  readonly confirm: ((lines: (paint: Paint) => readonly string[]) => boolean) | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function runTrust(file: string | undefined, options: TrustOptions, around: TrustContext): CommandReport {
  const home = bridleHome(around.env);
  if (options.list === true) return listReport(home);
  if (options.remove === true) return removeReport(home, file, { options, around });
  const named = findPolicy({ ...options, policy: file ?? options.policy }, around);
  // What is shown is what is trusted: the files are read once.
  const files = readPolicyFiles(named.file, { cwd: named.cwd });
  policyFromFiles(files, { cwd: named.cwd, home, tools: declareBuiltins() });
  const known = isTrusted(home, files);
  const shown = (paint: Paint): readonly string[] => summaryLines(files, paint);
  if (!known && options.yes !== true) {
    if (around.confirm === undefined)
      throw usageError('there is no terminal to ask you: read the file, then add --yes');
    if (!around.confirm(shown)) return notTrustedReport(files);
  }
  if (!known) trustPolicy(home, files, around.now());
  const { hash } = identityOfPolicy(files);
  return {
    code: policyExitCodes.ok,
    data: { ...identityOfPolicy(files), trusted: true, changed: !known },
    lines: (paint) => [
      ...(known || options.yes === true ? shown(paint) : []),
      known ? 'this content was trusted already' : `trusted: ${hash}`,
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
        ? ['nothing is trusted']
        : all.map(({ file, hash, at }) => `${safeText(file)}  ${hash.slice(0, 16)}…  ${new Date(at).toISOString()}`),
  };
}

interface RemovalInput {
  readonly options: TrustOptions;
  readonly around: TrustContext;
}

function removeReport(home: string, file: string | undefined, { options, around }: RemovalInput): CommandReport {
  const path = file === undefined ? findPolicy(options, around).file : resolve(file);
  const real = realPath(path);
  const removed = distrustPolicy(home, real);
  return {
    code: removed ? policyExitCodes.ok : policyExitCodes.findings,
    data: { file: real, removed },
    lines: () => [removed ? `no longer trusted: ${safeText(real)}` : `was not trusted: ${safeText(real)}`],
  };
}

/** Trust can be taken back also from a file that is gone. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** What a person should know before trusting: everything the files open, and how far. */
function summaryLines(files: readonly PolicyFileOnDisk[], paint: Paint): readonly string[] {
  const { hash } = identityOfPolicy(files);
  return [
    ...files.toReversed().flatMap(({ policyFile }) => policyFileLines(policyFile, paint)),
    fieldLine('hash', hash),
  ];
}

function policyFileLines(policyFile: PolicyFile, paint: Paint): readonly string[] {
  const { file, rules, workspaces, tools } = policyFile;
  const opened = rules.filter(({ effect, shadow }) => effect === 'allow' && shadow !== true);
  const held = rules.length - opened.length;
  const loose = rules.filter(({ unknown, shadow }) => unknown === 'ask' && shadow !== true).length;
  return [
    paint('strong', safeText(file)),
    fieldLine('default', safeText(policyFile.default ?? 'deny')),
    ...(workspaces === undefined
      ? []
      : [fieldLine('folders', workspaces.map(({ text }) => safeText(text)).join(', '))]),
    ...tools.map(({ target, tier }) =>
      fieldLine('tells of', `${safeText(target.text)}${tier === undefined ? '' : ` (${tier})`}`),
    ),
    ...opened.map(({ targets, when, at }) => {
      const names = targets.map(({ text }) => safeText(text)).join(', ');
      return fieldLine(
        'allows',
        `${names}${when === undefined ? '' : ` when ${safeText(when.text)}`}  ${paint('dim', `line ${at.line}`)}`,
      );
    }),
    fieldLine(
      'and',
      `${countText(held, 'rule')} that ask${held === 1 ? 's' : ''}, ${held === 1 ? 'denies or forbids' : 'deny or forbid'}`,
    ),
    ...(loose === 0
      ? []
      : [fieldLine('of which', `${loose} only ask${loose === 1 ? 's' : ''} if the condition is unknown`)]),
  ];
}

function fieldLine(title: string, text: string): string {
  return `  ${title.padEnd(10)}${text}`;
}
