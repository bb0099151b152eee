/** What Gemini CLI does with answers and commands, measured on the real host. */

import type { HostRecord } from '../host.ts';

export const geminiRecords: readonly HostRecord[] = [
  {
    host: 'gemini',
    title: 'Gemini CLI',
    versions: { from: '0.61.0', to: '0.61.0' },
    // Every release has a new minor version.
    usedBefore: '0.71',
    answers: {
      deny: 'blocks',
      // In a terminal it asks without the reason; without one, the run ends in the middle of the turn.
      ask: 'asks',
      allow: 'runs',
      rewrite: 'rewrites',
      silence: 'runs',
      crash: 'runs',
      timeout: 'runs',
    },
    ask: 'store',
    shell: {
      isKnown: true,
      program:
        'bash, independent of `$SHELL`. Gemini trims the text, removes a `bash -c` around it, and runs the rest between parentheses.',
      startupFiles:
        'None, except `$BASH_ENV`. The files `.env` and `.gemini/.env` of a trusted folder can set `BASH_ENV` and `LD_PRELOAD`.',
      persists: 'Nothing. Background commands outlive the call and Gemini CLI.',
    },
    points: {
      onSessionStart: 'SessionStart',
      onSessionEnd: 'SessionEnd',
      preTurn: 'BeforeAgent',
      postTurn: 'AfterAgent',
      preToolCall: 'BeforeTool',
      postToolCall: 'AfterTool',
      onToolError: 'AfterTool',
      preCompaction: 'PreCompress',
    },
    unhooked: [
      {
        path: 'The settings files `.gemini/settings.json`, `.env` and `.gemini/.env` take effect in the next session.',
        instead: 'Bridle denies calls that write them.',
      },
      {
        path: 'A background command continues after the call, even after Gemini CLI has ended.',
        instead: 'The call that starts it has `background: true`, so rules can deny it or ask.',
      },
      {
        path: 'MCP servers, extensions and hooks of the settings files are started without a hook.',
        instead: 'Bridle denies calls that write the settings files.',
      },
    ],
    switchedOffBy: [
      'The `.gemini/settings.json` of a trusted repository, with `hooksConfig.enabled: false` or the name of the hook in `hooksConfig.disabled`. It also switches off hooks of the user and of `/etc/gemini-cli/settings.json`.',
      '`BASH_ENV` or `LD_PRELOAD` in the `.env` or `.gemini/.env` of a trusted folder or of a folder above it: its code runs before the hook, and can answer instead of it. `bridle doctor` finds it.',
      '`--skip-trust`, for hooks of the project.',
    ],
    gaps: [
      'The limits `timeout` and `output` of a grant are not applied: Gemini CLI runs the call. `bridle doctor` names such rules.',
      'No level survives a trusted repository that switches hooks off.',
      'If Gemini CLI or the system kills the wrapper with SIGKILL, the call runs.',
      'The calls of subagents carry no mark: they count as calls of the main agent.',
      '`web_fetch` gives the whole prompt to the model provider, which fetches the URLs in it. Bridle checks the URLs; it does not see redirects.',
      'In plan mode, `write_file` and `replace` write to the folder for plans, not to the folder of the path.',
      '`PreCompress` is sent before every request to the model, not only before a compaction. A compaction cannot be refused.',
    ],
  },
];
