/** Runs one policy command and prints its result. */

import { resolve } from 'node:path';
import { BridleError } from '../../kernel/errors.ts';
import { runCheck, type CheckOptions } from './check/check-command.ts';
import { writeReport, type CommandReport, shouldUseColours } from '../output/command-report.ts';
import { runDiff } from './diff-command.ts';
import { runExplain } from './explain/explain-command.ts';
import { readExplainedCall, missingCallError } from './explain/call-to-explain.ts';
import { type InitOptions, runInit } from './init-command.ts';
import { lint } from './lint-command.ts';
import type { policyHelp } from './policy-help.ts';
import { policyExitCodes } from '../exit/policy-exit-codes.ts';
import { findPolicy, loadEffectivePolicy, loadPolicyAlone } from '../options/policy-options.ts';
import { usageError } from '../options/usage-error.ts';
import { problemJson, problemText } from '../output/problem-text.ts';
import { replayFile, replayStore } from './replay-command.ts';
import { type StoreFlags, withStore } from '../options/store-options.ts';
import type { Streams } from '../../terminal/output/streams.ts';
import { writeTo } from '../../files/blocking-io.ts';
import { trustConfirmer } from '../../terminal/dialogs/confirm.ts';
import { runTest } from './test-command.ts';
import { runTrust, type TrustOptions } from './trust-command.ts';

export type PolicyCommandName = keyof typeof policyHelp;

export interface PolicyCommandContext {
  readonly streams: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if the command line has a `--`. */
  readonly hasDoubleDash?: boolean | undefined;
}

export interface PolicyInvocation {
  /** The arguments that are not options. */
  readonly positionals: readonly string[];
  readonly options: CheckOptions & InitOptions & TrustOptions & StoreFlags & { readonly strict?: boolean | undefined };
  readonly context: PolicyCommandContext;
}

const [stdout, stderr] = [1, 2];

/** Returns the exit code. Policy and usage errors are printed, not thrown. */
export async function runPolicyCommand(name: PolicyCommandName, invocation: PolicyInvocation): Promise<number> {
  try {
    return await commands[name](invocation);
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    const { json, cwd } = invocation.options;
    writeTo(stderr, problemText(error, cwd));
    if (json === true) writeTo(stdout, problemJson(error));
    return policyExitCodes.invalid;
  }
}

const commands: Readonly<Record<PolicyCommandName, (invocation: PolicyInvocation) => Promise<number> | number>> = {
  check: (invocation) => runCheck(invocation.positionals[0], invocation.options, policyContextOf(invocation)),
  async explain(invocation) {
    const { positionals, options } = invocation;
    if (positionals.length === 0 && options.tool === undefined) throw missingCallError();
    const policy = loadEffectivePolicy(findPolicy(options, policyContextOf(invocation)), policyContextOf(invocation));
    const request = readExplainedCall(positionals, {
      options,
      policy,
      isCommandLine: invocation.context.hasDoubleDash === true,
    });
    return writePolicyReport(await runExplain(request, policy), invocation);
  },
  async lint(invocation) {
    const policy = loadPolicyAlone(
      findPolicy(invocation.options, policyContextOf(invocation)),
      policyContextOf(invocation),
    );
    return writePolicyReport(await lint(policy, { strict: invocation.options.strict === true }), invocation);
  },
  async test(invocation) {
    const policy = loadPolicyAlone(
      findPolicy(invocation.options, policyContextOf(invocation)),
      policyContextOf(invocation),
    );
    return writePolicyReport(await runTest(policy), invocation);
  },
  async diff(invocation) {
    refuseSameFile(invocation.positionals);
    const read = (policy: string | undefined): ReturnType<typeof loadPolicyAlone> =>
      loadPolicyAlone(
        findPolicy({ ...invocation.options, policy: policy ?? '' }, policyContextOf(invocation)),
        policyContextOf(invocation),
      );
    return writePolicyReport(
      await runDiff(read(invocation.positionals[0]), read(invocation.positionals[1])),
      invocation,
    );
  },
  replay(invocation) {
    const { positionals, options, context } = invocation;
    const [file] = positionals;
    if (file !== undefined && options.store !== undefined) throw usageError('give a journal or --store, not both');
    const policy = loadPolicyAlone(findPolicy(options, policyContextOf(invocation)), policyContextOf(invocation));
    const style = { ...styleOf(invocation), ...policyContextOf(invocation), strict: options.strict === true };
    if (file !== undefined) return replayFile(file, policy, style);
    return withStore(options, context.env, ({ journal }) => replayStore(journal, policy, style));
  },
  trust(invocation) {
    const { positionals, options, context } = invocation;
    if (options.list === true && options.remove === true) throw usageError('use --list or --remove, not both');
    const confirm = options.json === true ? undefined : trustConfirmer(context.streams, styleOf(invocation).colours);
    return writePolicyReport(
      runTrust(positionals[0], options, { ...policyContextOf(invocation), confirm, now: Date.now }),
      invocation,
    );
  },
  init: ({ options, context }) => runInit(options, context.streams),
};

/** Comparing a file with itself would always report no differences. */
function refuseSameFile([before = '', after = '']: readonly string[]): void {
  if (resolve(before) === resolve(after))
    throw usageError(`both policies are ${JSON.stringify(after)}: name an older and a newer version`);
}

function policyContextOf({ context }: PolicyInvocation): {
  env: PolicyCommandContext['env'];
  note: (text: string) => void;
} {
  return { env: context.env, note: (text) => void writeTo(stderr, `bridle: ${text}\n`) };
}

function writePolicyReport(report: CommandReport, invocation: PolicyInvocation): number {
  return writeReport(report, styleOf(invocation));
}

function styleOf({ options, context }: PolicyInvocation): { readonly json: boolean; readonly colours: boolean } {
  return { json: options.json === true, colours: shouldUseColours(context.env, context.streams.stdout.isTTY) };
}
