/** What Copilot CLI does with answers and commands, measured on the real host. */

import type { HostRecord } from '../host.ts';

export const copilotRecords: readonly HostRecord[] = [
  {
    host: 'copilot',
    title: 'Copilot CLI',
    versions: { from: '1.0.102', to: '1.0.102' },
    usedBefore: '1.1',
    answers: {
      deny: 'blocks',
      ask: 'asks',
      // It also overrides the user's own `--deny-tool`, so Bridle never says it.
      allow: 'runs',
      rewrite: 'rewrites',
      silence: 'runs',
      crash: 'blocks',
      timeout: 'runs',
    },
    ask: 'prompt',
    shell: {
      isKnown: true,
      program: '`/bin/bash --norc --noprofile -c`, independent of `$SHELL`. The text is passed unchanged.',
      startupFiles:
        'Exports of the login profile, read once per session: `PATH`, and `CDPATH` or exported functions if the profile has them. `$BASH_ENV` only with `--bash-env on`.',
      persists: 'Nothing, not even with the same `shellId`. Background commands outlive the call.',
    },
    points: {
      onSessionStart: 'sessionStart',
      onSessionEnd: 'sessionEnd',
      preTurn: 'userPromptSubmitted',
      postTurn: 'agentStop',
      preToolCall: 'preToolUse',
      postToolCall: 'postToolUse',
      onToolError: 'postToolUseFailure',
      preCompaction: 'preCompact',
    },
    unhooked: [
      {
        path: 'A command with `mode: "async"` or `detach` continues after the call.',
        instead: 'The call that starts it has `background: true`, so rules can deny it or ask.',
      },
      {
        path: 'Hook files, `settings.json` and `mcp-config.json` take effect in the next session.',
        instead: 'Bridle denies calls that write them.',
      },
      {
        path: 'MCP servers of the configuration are started without a hook.',
        instead: 'Bridle denies calls that write `mcp-config.json`.',
      },
    ],
    switchedOffBy: [
      'The `.github/copilot/settings.json` or `.claude/settings.json` of a trusted repository, with `"disableAllHooks": true`. Hooks in `/etc/github-copilot/policy.d` survive it.',
      'In the hook file itself: `"disableAllHooks": true`, another `version`, broken JSON, or `"matcher": "*"`, which matches nothing.',
      'For hooks of the project: a folder that is not trusted.',
    ],
    gaps: [
      'The limits `timeout` and `output` of a grant are not applied: Copilot CLI runs the call. `bridle doctor` names such rules.',
      'If the hook is killed or exceeds its time limit, the call runs, even for hooks of `/etc/github-copilot/policy.d`. The wrapper answers before the limit.',
      'A prompt is sent to the model if the hook for prompts fails: only tool calls are blocked by a failure.',
      'The start of a session cannot be refused. A compaction cannot be refused.',
      'The hook gets the names of server and tool joined by `-`, with other characters replaced by `-`. If the name has several `-`, rules that allow a server do not apply; rules that deny or ask do. Allow such a tool by its whole name.',
      'After a rewrite, the person still sees the original command.',
      'Exports of the login profile reach commands, but not the hook.',
      'The session of a nested subagent is the agent that started it, because the payload does not name the root.',
    ],
  },
];
