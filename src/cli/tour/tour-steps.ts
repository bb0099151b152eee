/** The steps of the tour: what is called, what is said about it, and what is done in between. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { verifyRecords } from '../../journal/hash-chain.ts';
import type { CallResult } from '../../kernel/guard/calls/call-result.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { recordSummary } from '../journal/record-text.ts';
import type { TourProject } from './tour-project.ts';

/** Something to do that may return lines to show. `last` is the result of the last call. */
type Act = (project: TourProject, last: CallResult | undefined) => string | void | Promise<string>;

interface TourStep {
  readonly title: string;
  readonly moves: readonly (string | { readonly tool: string; readonly args: JsonObject } | Act)[];
}

const run = (line: string): TourStep['moves'][number] => ({ tool: 'run_command', args: { command_line: line } });
const release = run('cp greet.js release.js');
const noNode = '- { deny: run_command, name: no node, when: runs("node") }';

export const tourSteps: readonly TourStep[] = [
  {
    title: 'A call that a rule allows',
    moves: [
      'The first rule of bridle.yaml allows it, so it runs and nobody is asked.',
      { tool: 'view_file', args: { file_path: 'greet.js' } },
    ],
  },
  {
    title: 'One rule, six spellings of rm',
    moves: [
      'The rule says runs("rm"). It is about what a line runs, not about its text.',
      run('rm -rf dist'),
      run('"r"m -rf dist'),
      run("sh -c 'exec /bin/rm -rf dist'"),
      run('echo dist | xargs rm -rf'),
      run('find . -name dist -exec rm -rf {} +'),
      run('$(echo rm) -rf dist'),
      ({ folder }) => `The folder dist is ${existsSync(join(folder, 'dist')) ? 'still there' : 'gone'}.`,
    ],
  },
  {
    title: 'A call that asks, with a diff',
    moves: [
      'A rule asks about edits. You see the final call, and only a yes lets it run.',
      (project) => project.restore('greet.js'),
      { tool: 'edit_file', args: { file_path: 'greet.js', old_text: 'Helo', new_text: 'Hello' } },
      (project) => `greet.js is now: ${project.read('greet.js')}`,
    ],
  },
  {
    title: 'A hook rewrites a call',
    moves: [
      'npm hides what it runs. A hook names the script, and the policy decides again.',
      'The script calls "npm test", then "npm run clean".',
      run('npm test'),
      run('npm run clean'),
      (_, last) => `The rule allows "npm run clean", but not ${JSON.stringify(last?.call.args['command_line'])}.`,
    ],
  },
  {
    title: 'An approval that is used twice',
    moves: [
      'No rule matches this call, so it asks. A yes is for one execution of one call.',
      release,
      ({ approval, store }, last) => {
        if (store === undefined) return 'Without a store, no approval is kept: the same call asks again.';
        approval.isReplayed = last?.type === 'ok';
        if (approval.isReplayed) return 'The script calls it again, and presents the same approval.';
        return 'It did not run, so there is no approval to use twice: the same call asks again.';
      },
      release,
    ],
  },
  {
    title: 'The policy changes while it runs',
    moves: [
      `This command is allowed. Then the script adds: ${noNode}`,
      run('node greet.js'),
      (project) => project.changePolicy((policy) => `${policy}  ${noNode}\n`),
      run('node greet.js'),
      (project) => {
        project.changePolicy(() => "version: 1\nrules: [{ allow: '*' }]\n");
        return "Now the only rule is allow: '*'. It would need npx bridle trust to count.";
      },
      run('rm -rf dist'),
    ],
  },
  {
    title: 'What the journal proves',
    moves: [
      'Each record has the hash of the one before it, so a change breaks the chain.',
      run('rm -rf dist'),
      async (project) => {
        const records = await project.records();
        const forged = records.map((each) => ({ ...each, text: each.text.replace('"denied"', '"allowed"') }));
        const [chain, broken] = [verifyRecords(records), verifyRecords(forged)];
        return [
          ...records.slice(-2).map((record) => recordSummary(record, (_, text) => text)),
          `${records.length} records: the chain is ${chain.ok ? 'intact' : chain.problem}.`,
          `A copy in which "denied" became "allowed": ${broken.ok ? 'intact' : broken.problem}.`,
        ].join('\n');
      },
    ],
  },
  {
    title: 'A real model, or your own agent',
    moves: [
      'The same guard decides the calls of agents that have a model:',
      `In your folder, with a model of Anthropic, OpenAI, Google and others:
  npx bridle chat --model anthropic/claude-opus-5
In Claude Code, Codex, Gemini CLI, Copilot CLI and opencode:
  npx bridle init, trust, and install claude
Around the tools of your own loop or framework:
  import { createGuard } from 'bridle'`,
    ],
  },
];
