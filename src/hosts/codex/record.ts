/** What Codex does with hooks and commands, measured by running it. */

import type { HostRecord } from '../host.ts';

export const codexRecords: readonly HostRecord[] = [
  {
    host: 'codex',
    title: 'Codex',
    versions: { from: '0.166.0', to: '0.166.0' },
    // Every release has a new minor version.
    usedBefore: '0.176',
    answers: {
      deny: 'blocks',
      ask: 'runs',
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
        'The shell of the account (SHELL is ignored), or another one that the model names; hooks do not see which. Facts ' +
        'hold for lines that mean the same in bash, zsh and dash.',
      startupFiles:
        'Read once per session (login shell): exported variables apply to every command. Functions apply if the command ' +
        'runs in another folder than the session, and in zsh those of .zshenv always do. Facts do not hold for a command ' +
        'that they redefine.',
      persists: 'Nothing, except inside a session with a terminal.',
    },
    points: {
      onSessionStart: 'SessionStart',
      onSessionEnd: 'SessionEnd',
      preTurn: 'UserPromptSubmit',
      postTurn: 'Stop',
      preToolCall: 'PreToolUse',
      postToolCall: 'PostToolUse',
      preCompaction: 'PreCompact',
      postCompaction: 'PostCompact',
    },
    unhooked: [
      {
        path: 'write_stdin sends text to a running command, for example to an interactive shell.',
        instead: 'The presets refuse to start interactive shells and interpreters.',
      },
      {
        path: 'A command that is still running after yield_time_ms continues in the background.',
        instead: 'It is decided when it starts.',
      },
      {
        path: 'exec, the tool of code mode, runs JavaScript that calls other tools.',
        instead: 'Each call of a tool in it is decided.',
      },
      {
        path: 'web_search is run by the provider of the model.',
        instead: 'Bridle cannot see it. Switch it off in the configuration of Codex.',
      },
      {
        path: 'apply_patch in a command line is executed as a patch, without a shell.',
        instead: 'The files of the patch are decided, in addition to the command.',
      },
      {
        path: 'The snapshot of startup files in ~/.codex/shell_snapshots runs before every command.',
        instead: 'Bridle reads it, and denies calls that write it.',
      },
      {
        path: 'shell_environment_policy in .codex/config.toml of a trusted repository sets variables for commands.',
        instead: 'Facts do not hold for commands if a project has this setting. Bridle protects the file.',
      },
      {
        path: 'A startup file that changes during the session is read again for a command in another folder.',
        instead: 'Bridle denies calls that write these files. After a change, facts do not hold for any command.',
      },
    ],
    switchedOffBy: [
      'User and project level: a hook that is not trusted, or was changed after it was trusted, is skipped without a ' +
        'message.',
      'User and project level: --disable hooks; an unknown key at the top level of hooks.json; JSON with an error.',
      'Every level: code in a startup file of the shell that starts the hook (`.zshenv` for zsh, `$BASH_ENV` for bash) ' +
        'can answer instead of the hook. Bridle denies calls that write these files.',
      'Managed level (/etc/codex/requirements.toml): nothing else that was tried.',
    ],
    gaps: [
      'The limits timeout and output of a grant are not applied: Codex runs the call. bridle doctor names such rules.',
      'If the wrapper itself is missing or killed, or Codex reaches its time limit, the call runs.',
      'An ask is answered through the store, because Codex runs a call that a hook wants to ask about.',
      'The options shell, login, tty and sandbox_permissions of a command are not visible to rules.',
      'Codex replaces characters of the names of MCP servers by "_". If the name of a tool can be read in several ways, ' +
        'and not exactly one server in config.toml fits, rules that allow a server do not apply.',
      'A refused compaction ends the turn. Errors of tools reach postToolCall as results.',
      'No event reports the result of a patch that was executed from a command line.',
    ],
  },
];
