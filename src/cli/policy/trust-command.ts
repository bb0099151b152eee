/** `bridle trust`: shows what a policy file allows and records that its content is trusted. */

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PolicyFile } from '../../policy-files/policy-file.ts';
import { policyFromFiles } from '../../policy-files/load/load-policy.ts';
import {
  type HookModuleOnDisk,
  type PolicyFileOnDisk,
  readPolicyFiles,
} from '../../policy-files/read/read-policy-files.ts';
import {
  distrustPolicy,
  identityOfPolicy,
  isTrusted,
  listTrusted,
  trustPolicy,
} from '../../policy-files/load/trust.ts';
import { declareBuiltins } from '../../tools/declare-builtins.ts';
import { bridleHome } from '../../files/bridle-home.ts';
import { countText } from '../command/call-text.ts';
import { paintFor } from '../command/command-report.ts';
import { type CommandReport, type Invocation, usageError } from '../command/command-row.ts';
import { exitCodes } from '../command/exit-codes.ts';
import { findPolicy, type PolicyOptions } from '../command/policy-options.ts';
import { refuseAgents } from '../command/refuse-agents.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { askYesNo } from '../../terminal/dialogs/blocking-prompts.ts';
import type { Paint } from '../../terminal/output/paint.ts';
import { safeText } from '../../terminal/output/safe-text.ts';
import { terminalOf } from '../../terminal/output/streams.ts';

interface TrustOptions extends PolicyOptions {
  readonly yes?: boolean | undefined;
  readonly list?: boolean | undefined;
  readonly remove?: boolean | undefined;
}

const stdout = 1;
const nameIt = 'name one: npx bridle trust <file>';

export function trustCommand(invocation: Invocation<TrustOptions>): CommandReport {
  const { positionals, options, env } = invocation;
  const [file] = positionals;
  if (options.list === true && options.remove === true) throw usageError('use --list or --remove, not both');
  const home = bridleHome(env);
  if (options.list === true) return listReport(home);
  refuseAgents(env);
  if (options.remove === true) return removeReport(home, file, options);
  const location = findPolicy({ ...options, policy: file ?? options.policy }, nameIt);
  // Read once, so that the content shown is the content trusted.
  const files = readPolicyFiles(location.file, { cwd: location.cwd });
  policyFromFiles(files, { cwd: location.cwd, home, tools: declareBuiltins() });
  const known = isTrusted(home, files);
  const isAsked = !known && options.yes !== true;
  if (isAsked && !isConfirmed(files, invocation)) return notTrustedReport(files);
  if (!known) trustPolicy(home, files, Date.now());
  const identity = identityOfPolicy(files);
  return {
    code: exitCodes.ok,
    data: {
      ...identity,
      hooks: files.flatMap(({ hooks }) => hooks.map(({ path }) => path)),
      trusted: true,
      changed: !known,
    },
    lines: (paint) => [
      ...(isAsked ? [] : summaryLines(files, paint)),
      known ? 'already trusted' : `trusted: ${identity.hash}`,
    ],
  };
}

/** Shows what the files allow and asks at the terminal. */
function isConfirmed(files: readonly PolicyFileOnDisk[], invocation: Invocation<TrustOptions>): boolean {
  if (invocation.options.json === true || terminalOf(invocation.streams) === undefined)
    throw usageError('there is no terminal to ask for confirmation: read the file, then add --yes');
  writeTo(stdout, `${summaryLines(files, paintFor(invocation)).join('\n')}\n`);
  return askYesNo('Trust this content?');
}

function notTrustedReport(files: readonly PolicyFileOnDisk[]): CommandReport {
  return {
    code: exitCodes.negative,
    data: { ...identityOfPolicy(files), trusted: false, changed: false },
    lines: () => ['not trusted'],
  };
}

function listReport(home: string): CommandReport {
  const all = listTrusted(home);
  return {
    code: exitCodes.ok,
    data: { policies: all },
    lines: () =>
      all.length === 0
        ? ['no policy files are trusted']
        : all.map(({ file, hash, at }) => `${safeText(file)}  ${hash.slice(0, 16)}…  ${new Date(at).toISOString()}`),
  };
}

function removeReport(home: string, file: string | undefined, options: TrustOptions): CommandReport {
  const path = file === undefined ? findPolicy(options, nameIt).file : resolve(file);
  const real = realPath(path);
  const removed = distrustPolicy(home, real);
  return {
    code: removed ? exitCodes.ok : exitCodes.negative,
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
    ...files
      .toReversed()
      .flatMap(({ policyFile, hooks }) => [
        ...policyFileLines(policyFile, paint),
        ...hooks.map((module) => hookLine(module, paint)),
      ]),
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

/** Hooks are code that runs with the user's rights on every call. */
function hookLine({ file, text }: HookModuleOnDisk, paint: Paint): string {
  const size = countText(text.split('\n').length - 1, 'line');
  return fieldLine('runs', `${safeText(file)}  ${paint('dim', size)}; read this code before you trust it`);
}

function fieldLine(title: string, text: string): string {
  return `  ${title.padEnd(10)}${text}`;
}
