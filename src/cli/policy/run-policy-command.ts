/** Runs a command about policies, whatever way it was asked for. */

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
  /** What was said beside the options. */
  readonly words: readonly string[];
  readonly options: CheckOptions & InitOptions & TrustOptions & StoreFlags & { readonly strict?: boolean | undefined };
  readonly scene: PolicyCommandContext;
}

const [stdout, stderr] = [1, 2];

/** The exit code. What is wrong with a policy or an option is told, not thrown. */
export async function runPolicyCommand(name: PolicyCommandName, run: PolicyInvocation): Promise<number> {
  try {
    return await commands[name](run);
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    const { json, cwd } = run.options;
    writeTo(stderr, problemText(error, cwd));
    if (json === true) writeTo(stdout, problemJson(error));
    return policyExitCodes.invalid;
  }
}

const commands: Readonly<Record<PolicyCommandName, (run: PolicyInvocation) => Promise<number> | number>> = {
  check: (run) => runCheck(run.words[0], run.options, policyContextOf(run)),
  async explain(run) {
    const { words, options } = run;
    if (words.length === 0 && options.tool === undefined) throw missingCallError();
    const policy = loadEffectivePolicy(findPolicy(options, policyContextOf(run)), policyContextOf(run));
    const request = readExplainedCall(words, { options, policy, isCommandLine: run.scene.hasDoubleDash === true });
    return writePolicyReport(await runExplain(request, policy), run);
  },
  async lint(run) {
    const policy = loadPolicyAlone(findPolicy(run.options, policyContextOf(run)), policyContextOf(run));
    return writePolicyReport(await lint(policy, { strict: run.options.strict === true }), run);
  },
  async test(run) {
    const policy = loadPolicyAlone(findPolicy(run.options, policyContextOf(run)), policyContextOf(run));
    return writePolicyReport(await runTest(policy), run);
  },
  async diff(run) {
    refuseSameFile(run.words);
    const read = (policy: string | undefined): ReturnType<typeof loadPolicyAlone> =>
      loadPolicyAlone(findPolicy({ ...run.options, policy: policy ?? '' }, policyContextOf(run)), policyContextOf(run));
    return writePolicyReport(await runDiff(read(run.words[0]), read(run.words[1])), run);
  },
  replay(run) {
    const { words, options, scene } = run;
    const [file] = words;
    if (file !== undefined && options.store !== undefined) throw usageError('name a journal or --store, not both');
    const policy = loadPolicyAlone(findPolicy(options, policyContextOf(run)), policyContextOf(run));
    const style = { ...styleOf(run), ...policyContextOf(run), strict: options.strict === true };
    if (file !== undefined) return replayFile(file, policy, style);
    return withStore(options, scene.env, ({ journal }) => replayStore(journal, policy, style));
  },
  trust(run) {
    const { words, options, scene } = run;
    if (options.list === true && options.remove === true) throw usageError('use --list or --remove, not both');
    const confirm = options.json === true ? undefined : trustConfirmer(scene.streams, styleOf(run).colours);
    return writePolicyReport(runTrust(words[0], options, { ...policyContextOf(run), confirm, now: Date.now }), run);
  },
  init: ({ options, scene }) => runInit(options, scene.streams),
};

/** Comparing a file with itself finds nothing, whatever it says. */
function refuseSameFile([before = '', after = '']: readonly string[]): void {
  if (resolve(before) === resolve(after))
    throw usageError(`both policies are ${JSON.stringify(after)}: name an older and a newer version`);
}

function policyContextOf({ scene }: PolicyInvocation): {
  env: PolicyCommandContext['env'];
  note: (text: string) => void;
} {
  return { env: scene.env, note: (text) => void writeTo(stderr, `bridle: ${text}\n`) };
}

function writePolicyReport(report: CommandReport, run: PolicyInvocation): number {
  return writeReport(report, styleOf(run));
}

function styleOf({ options, scene }: PolicyInvocation): { readonly json: boolean; readonly colours: boolean } {
  return { json: options.json === true, colours: shouldUseColours(scene.env, scene.streams.stdout.isTTY) };
}
