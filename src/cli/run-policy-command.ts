/** Runs a command about policies, whatever way it was asked for. */

import { resolve } from 'node:path';
import { BridleError } from '../errors.ts';
import { check, type CheckOptions } from './check-command.ts';
import { deliver, type CommandReport, wantsColours } from './command-report.ts';
import { diff } from './diff-command.ts';
import { explain } from './explain-command.ts';
import { explainedCall, noCall } from './explained-call.ts';
import { type InitOptions, runInit } from './init-command.ts';
import { lint } from './lint-command.ts';
import type { policyHelp } from './policy-help.ts';
import { policyExitCodes } from './policy-exit-codes.ts';
import { findPolicy, openPolicy, readPolicy } from './policy-options.ts';
import { wrong } from './wrong-use.ts';
import { problemJson, problemText } from './problem-text.ts';
import { replayFile, replayStored } from './replay-command.ts';
import { type StoreFlags, withStore } from './store-options.ts';
import type { Streams } from './streams.ts';
import { writeTo } from './sync-io.ts';
import { confirmAt } from './terminal-confirm.ts';
import { test } from './test-command.ts';
import { trust, type TrustOptions } from './trust-command.ts';

export type PolicyCommandName = keyof typeof policyHelp;

export interface PolicyScene {
  readonly streams: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True if the command line has a `--`. */
  readonly hasDashes?: boolean | undefined;
}

export interface PolicyRun {
  /** What was said beside the options. */
  readonly words: readonly string[];
  readonly options: CheckOptions & InitOptions & TrustOptions & StoreFlags & { readonly strict?: boolean | undefined };
  readonly scene: PolicyScene;
}

const [stdout, stderr] = [1, 2];

/** The exit code. What is wrong with a policy or an option is told, not thrown. */
export async function runPolicyCommand(name: PolicyCommandName, run: PolicyRun): Promise<number> {
  try {
    return await commands[name](run);
  } catch (error) {
    if (!(error instanceof BridleError)) throw error;
    const { json, cwd } = run.options;
    writeTo(stderr, problemText(error, cwd));
    if (json === true) writeTo(stdout, problemJson(error));
    return policyExitCodes.bad;
  }
}

const commands: Readonly<Record<PolicyCommandName, (run: PolicyRun) => Promise<number> | number>> = {
  check: (run) => check(run.words[0], run.options, around(run)),
  async explain(run) {
    const { words, options } = run;
    if (words.length === 0 && options.tool === undefined) throw noCall();
    const policy = openPolicy(findPolicy(options, around(run)), around(run));
    const request = explainedCall(words, { options, policy, isCommandLine: run.scene.hasDashes === true });
    return tell(await explain(request, policy), run);
  },
  async lint(run) {
    const policy = readPolicy(findPolicy(run.options, around(run)), around(run));
    return tell(await lint(policy, { strict: run.options.strict === true }), run);
  },
  async test(run) {
    const policy = readPolicy(findPolicy(run.options, around(run)), around(run));
    return tell(await test(policy), run);
  },
  async diff(run) {
    refuseSameFile(run.words);
    const read = (policy: string | undefined): ReturnType<typeof readPolicy> =>
      readPolicy(findPolicy({ ...run.options, policy: policy ?? '' }, around(run)), around(run));
    return tell(await diff(read(run.words[0]), read(run.words[1])), run);
  },
  replay(run) {
    const { words, options, scene } = run;
    const [file] = words;
    if (file !== undefined && options.store !== undefined) throw wrong('name a journal or --store, not both');
    const policy = readPolicy(findPolicy(options, around(run)), around(run));
    const style = { ...styleOf(run), ...around(run), strict: options.strict === true };
    if (file !== undefined) return replayFile(file, policy, style);
    return withStore(options, scene.env, ({ journal }) => replayStored(journal, policy, style));
  },
  trust(run) {
    const { words, options, scene } = run;
    if (options.list === true && options.remove === true) throw wrong('use --list or --remove, not both');
    const confirm = options.json === true ? undefined : confirmAt(scene.streams, styleOf(run).colours);
    return tell(trust(words[0], options, { ...around(run), confirm, now: Date.now }), run);
  },
  init: ({ options, scene }) => runInit(options, scene.streams),
};

/** Comparing a file with itself finds nothing, whatever it says. */
function refuseSameFile([before = '', after = '']: readonly string[]): void {
  if (resolve(before) === resolve(after))
    throw wrong(`both policies are ${JSON.stringify(after)}: name an older and a newer version`);
}

function around({ scene }: PolicyRun): { env: PolicyScene['env']; note: (text: string) => void } {
  return { env: scene.env, note: (text) => void writeTo(stderr, `bridle: ${text}\n`) };
}

function tell(report: CommandReport, run: PolicyRun): number {
  return deliver(report, styleOf(run));
}

function styleOf({ options, scene }: PolicyRun): { readonly json: boolean; readonly colours: boolean } {
  return { json: options.json === true, colours: wantsColours(scene.env, scene.streams.stdout.isTTY) };
}
