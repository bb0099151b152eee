/** The project of the tour: a folder for this run only, with a policy file, a hook, a store and an agent without a model. */

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../agent/agent.ts';
import { createAgent } from '../../agent/create-agent.ts';
import type { LanguageModel } from '../../agent/model/model-interface.ts';
import type { AgentLoop } from '../../agent/turn/agent-loop.ts';
import type { JournalRecord } from '../../journal/hash-chain.ts';
import { memoryJournal } from '../../journal/memory-journal.ts';
import type { Approver } from '../../kernel/approval.ts';
import { BridleError, messageOf } from '../../kernel/errors.ts';
import { transform } from '../../kernel/hooks/points/actions.ts';
import { type Hook, preToolCall } from '../../kernel/hooks/registration/hook.ts';
import type { ApprovalId } from '../../kernel/ids.ts';
import { openPolicy } from '../../policy-files/load/open-policy.ts';
import { trustPolicy } from '../../policy-files/load/trust.ts';
import { readPolicyFiles } from '../../policy-files/read/read-policy-files.ts';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { storeApprover } from '../../store/store-approver.ts';

const scripts: Readonly<Record<string, string>> = { test: 'node greet.js', clean: 'rm -rf dist' };

const files = {
  'bridle.yaml': `version: 1
default: ask
rules:
  - allow: [view_file, list_directory]
  - allow: run_command
    when: runsOnly("node greet.js", "npm test", "npm run clean")
  - { ask: edit_file, reason: May the agent change this file? }
  - deny: run_command
    name: no deleting
    when: runs("rm")
    reason: Move it to the trash
`,
  'greet.js': "console.log('Helo, reader');\n",
  'package.json': `${JSON.stringify({ private: true, scripts })}\n`,
  'dist/greet.js': "console.log('built');\n",
} as const;

type FileName = keyof typeof files;

/** The line of a command does not show what npm runs. This hook puts the script from package.json in its place. */
const expandScripts: Hook = preToolCall(function expandScripts({ call }) {
  const { command_line: line } = call.args;
  const [, name = ''] = (typeof line === 'string' && /^npm (?:run )?(\w+)$/.exec(line)) || [];
  const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  return script === undefined ? undefined : transform({ ...call.args, command_line: script });
});

/** The loop of the agent decides what to call, so no model is asked. */
const callModel = (): Promise<never> => Promise.reject(new BridleError('MODEL_UNAVAILABLE', 'the tour has no model'));
const noModel: LanguageModel = { specificationVersion: 'v4', provider: 'bridle', modelId: 'tour', doStream: callModel };

export class TourProject {
  /** The last question, and whether the next call presents its approval again. */
  readonly approval: { last: ApprovalId | undefined; isReplayed: boolean } = { last: undefined, isReplayed: false };
  /** Undefined if it can't be opened, for example without a driver for SQLite; `problem` is the reason. */
  store: Store | undefined;
  problem = '';
  private readonly memory = memoryJournal();
  private readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-')));
  readonly folder = join(this.root, 'tour');

  async open(): Promise<void> {
    this.prepare();
    this.restore('greet.js');
    try {
      this.store = await openStore({ at: join(this.root, 'home/store.db'), keys: join(this.root, 'home/keys') });
    } catch (error) {
      this.problem = messageOf(error);
    }
  }

  /** What each step starts with, so that steps can be played in any order. An edit of greet.js stays. */
  prepare(): void {
    mkdirSync(join(this.folder, 'dist'), { recursive: true });
    for (const name of ['bridle.yaml', 'package.json', 'dist/greet.js'] as const) this.restore(name);
    this.approval.isReplayed = false;
  }

  restore(name: FileName): void {
    writeFileSync(join(this.folder, name), files[name]);
  }

  changePolicy(change: (policy: string) => string): void {
    writeFileSync(join(this.folder, 'bridle.yaml'), change(files['bridle.yaml']));
  }

  read(name: FileName): string {
    return readFileSync(join(this.folder, name), 'utf8').trimEnd();
  }

  /** Its policy is trusted, as after `bridle trust`. */
  agent({ loop, hook, approver }: { loop: AgentLoop; hook: Hook; approver: Approver }): Agent {
    const { folder: cwd, store, approval } = this;
    const home = join(this.root, 'home');
    trustPolicy(home, readPolicyFiles('bridle.yaml', { cwd }), Date.now());
    const asking = store === undefined ? approver : storeApprover(store, { alsoAsk: approver });
    const ask: Approver = (request, options) => {
      approval.last = request.id;
      return asking(request, options);
    };
    const earlier = (): { id: ApprovalId } | undefined =>
      approval.isReplayed && approval.last !== undefined ? { id: approval.last } : undefined;
    return createAgent({
      model: noModel,
      loop,
      cwd,
      // Each call finds a change; a watcher would report it at any time.
      policy: { ...openPolicy('bridle.yaml', { cwd, home }), watch: undefined },
      hooks: [expandScripts, hook],
      approver: Object.assign(ask, { earlier }),
      journal: store?.journal ?? this.memory,
      telemetry: false,
    });
  }

  async records(): Promise<readonly JournalRecord[]> {
    if (this.store === undefined) return this.memory.records;
    const records: JournalRecord[] = [];
    for await (const record of this.store.journal.read()) records.push(record);
    return records;
  }

  async remove(): Promise<void> {
    await this.store?.close();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}
