/** `bridle trust`: shows what a policy file opens, and remembers that its content is trusted. */

import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PolicyDocument } from '../documents/document.ts';
import { policyOf } from '../documents/load-policy.ts';
import { type PolicyFileRead, readPolicyFiles } from '../documents/policy-files.ts';
import { distrustPolicy, identityOfPolicy, isTrusted, listTrusted, trustPolicy } from '../documents/trust.ts';
import { declareBuiltins } from '../tools/declare-builtins.ts';
import type { CommandReport } from './command-report.ts';
import { counted } from './counted.ts';
import type { Paint } from './paint.ts';
import { policyExitCodes } from './policy-exit-codes.ts';
import { findPolicy, type PolicyOptions, type PolicySurroundings } from './policy-options.ts';
import { wrong } from './wrong-use.ts';
import { stateHome } from './state-home.ts';
import { inset } from './visible-text.ts';

export interface TrustOptions extends PolicyOptions {
  readonly yes?: boolean | undefined;
  readonly list?: boolean | undefined;
  readonly remove?: boolean | undefined;
}

export interface TrustSurroundings extends PolicySurroundings {
  /** Puts a question to the person at the terminal; undefined where nobody sits there. */
  readonly confirm: ((lines: (paint: Paint) => readonly string[]) => boolean) | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function trust(file: string | undefined, options: TrustOptions, around: TrustSurroundings): CommandReport {
  const home = stateHome(around.env);
  if (options.list === true) return listing(home);
  if (options.remove === true) return removal(home, file, { options, around });
  const named = findPolicy({ ...options, policy: file ?? options.policy }, around);
  // What is shown is what is trusted: the files are read once.
  const files = readPolicyFiles(named.file, { cwd: named.cwd });
  policyOf(files, { cwd: named.cwd, home, tools: declareBuiltins() });
  const known = isTrusted(home, files);
  const shown = (paint: Paint): readonly string[] => summaryLines(files, paint);
  if (!known && options.yes !== true) {
    if (around.confirm === undefined) throw wrong('there is no terminal to ask you: read the file, then add --yes');
    if (!around.confirm(shown)) return refusal(files);
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

function refusal(files: readonly PolicyFileRead[]): CommandReport {
  return {
    code: policyExitCodes.found,
    data: { ...identityOfPolicy(files), trusted: false, changed: false },
    lines: () => ['not trusted'],
  };
}

function listing(home: string): CommandReport {
  const all = listTrusted(home);
  return {
    code: policyExitCodes.ok,
    data: { policies: all },
    lines: () =>
      all.length === 0
        ? ['nothing is trusted']
        : all.map(({ file, hash, at }) => `${inset(file)}  ${hash.slice(0, 16)}…  ${new Date(at).toISOString()}`),
  };
}

interface Removal {
  readonly options: TrustOptions;
  readonly around: TrustSurroundings;
}

function removal(home: string, file: string | undefined, { options, around }: Removal): CommandReport {
  const path = file === undefined ? findPolicy(options, around).file : resolve(file);
  const real = realPath(path);
  const removed = distrustPolicy(home, real);
  return {
    code: removed ? policyExitCodes.ok : policyExitCodes.found,
    data: { file: real, removed },
    lines: () => [removed ? `no longer trusted: ${inset(real)}` : `was not trusted: ${inset(real)}`],
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
function summaryLines(files: readonly PolicyFileRead[], paint: Paint): readonly string[] {
  const { hash } = identityOfPolicy(files);
  return [...files.toReversed().flatMap(({ document }) => documentLines(document, paint)), row('hash', hash)];
}

function documentLines(document: PolicyDocument, paint: Paint): readonly string[] {
  const { file, rules, workspaces, tools } = document;
  const opened = rules.filter(({ effect, shadow }) => effect === 'allow' && shadow !== true);
  const held = rules.length - opened.length;
  const loose = rules.filter(({ unknown, shadow }) => unknown === 'ask' && shadow !== true).length;
  return [
    paint('strong', inset(file)),
    row('default', inset(document.default ?? 'deny')),
    ...(workspaces === undefined ? [] : [row('folders', workspaces.map(({ text }) => inset(text)).join(', '))]),
    ...tools.map(({ target, tier }) =>
      row('tells of', `${inset(target.text)}${tier === undefined ? '' : ` (${tier})`}`),
    ),
    ...opened.map(({ targets, when, at }) => {
      const names = targets.map(({ text }) => inset(text)).join(', ');
      return row(
        'allows',
        `${names}${when === undefined ? '' : ` when ${inset(when.text)}`}  ${paint('dim', `line ${at.line}`)}`,
      );
    }),
    row(
      'and',
      `${counted(held, 'rule')} that ask${held === 1 ? 's' : ''}, ${held === 1 ? 'denies or forbids' : 'deny or forbid'}`,
    ),
    ...(loose === 0 ? [] : [row('of which', `${loose} only ask${loose === 1 ? 's' : ''} if the condition is unknown`)]),
  ];
}

function row(title: string, text: string): string {
  return `  ${title.padEnd(10)}${text}`;
}
