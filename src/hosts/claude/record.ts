/** What Claude Code does with hooks and commands, measured by running it. */

import type { HostRecord } from '../host.ts';

export const claudeRecords: readonly HostRecord[] = [
  {
    host: 'claude',
    title: 'Claude Code',
    versions: { from: '2.1.325', to: '2.1.325' },
    usedBefore: '2.2',
    answers: {
      deny: 'blocks',
      ask: 'asks',
      allow: 'runs',
      rewrite: 'rewrites',
      silence: 'runs',
      crash: 'runs',
      timeout: 'runs',
    },
    ask: 'prompt',
    shell: {
      isKnown: true,
      program:
        'CLAUDE_CODE_SHELL, else SHELL if it is bash or zsh, else zsh or bash. The text is the argument of eval. In zsh, ' +
        'facts hold for lines that mean the same in bash; with CLAUDE_CODE_SHELL_PREFIX, for none.',
      startupFiles:
        'Read once per session: the aliases, functions and options of .bash_profile and .bashrc, or of the files of zsh, ' +
        'apply to every command. Facts do not hold for a command that they redefine.',
      persists: 'The current folder, if the command succeeds and the folder is in the project or an added folder.',
    },
    points: {
      onSessionStart: 'SessionStart',
      onSessionEnd: 'SessionEnd',
      preTurn: 'UserPromptSubmit',
      postTurn: 'Stop',
      preToolCall: 'PreToolUse',
      postToolCall: 'PostToolUse',
      onToolError: 'PostToolUseFailure',
      preCompaction: 'PreCompact',
      postCompaction: 'PostCompact',
    },
    unhooked: [
      {
        path: 'Commands that a skill or a slash command embeds as !`…` run when it is loaded.',
        instead: 'The tool Skill is decided. A slash command that a person types is reported only as a prompt.',
      },
      {
        path: 'CronCreate and ScheduleWakeup start later turns; Workflow, SendMessage and EnterWorktree start other work.',
        instead:
          'These tools are unknown to the map, so the default of the policy applies. The calls that follow are hooked.',
      },
      {
        path: 'A background command (run_in_background, Monitor) keeps running after the call.',
        instead: 'It is decided when it starts, with background: true.',
      },
      {
        path: 'Startup files, and the snapshots of them in ~/.claude/shell-snapshots, change every command.',
        instead: 'Bridle reads the snapshots, and denies calls that write these files.',
      },
      {
        path: 'Hooks can write a file that Claude Code runs before every command of the session (CLAUDE_ENV_FILE).',
        instead: 'Facts do not hold if it does more than to export harmless variables.',
      },
      {
        path: 'The variables in "env" of .claude/settings.json of a repository apply to every command.',
        instead:
          'Facts do not hold with variables that change bash, or if PATH finds the command in the project. Bridle ' +
          'protects the file.',
      },
    ],
    switchedOffBy: [
      'User and project level: "disableAllHooks": true in .claude/settings.json or settings.local.json of the repository, ' +
        'without a question in print mode.',
      'User and project level: the options --bare, --safe-mode, --restricted, --setting-sources, and --settings with ' +
        'disableAllHooks.',
      'User and project level: a settings file with an error; Claude Code ignores the whole file.',
      'User and project level: a change of a settings file, within seconds, unless the ConfigChange hook refuses it. It ' +
        'refuses every change of the file with the hook that is not known to be valid.',
      'User and project level: LD_PRELOAD and similar variables in "env" of .claude/settings.json of the repository: the ' +
        'library can answer instead of the hook.',
      'Managed level (/etc/claude-code/managed-settings.json): nothing that was tried.',
    ],
    gaps: [
      'The limits timeout and output of a grant are not applied: Claude Code runs the call. bridle doctor names such rules.',
      'Results of commands, of Read and of MCP servers can be replaced. For other tools, and for errors, the model may see ' +
        'the text of a postToolCall hook in addition to the result.',
      'A session cannot be refused when it starts; its prompts and calls can.',
      'Only a person can answer a question: in print mode, a call that needs approval is refused.',
      'If the wrapper itself is missing or killed, the call runs, unless the entry has "onFailure": "block", which the ' +
        'installer sets.',
      'The sandbox option dangerouslyDisableSandbox of a command is not visible to rules.',
    ],
  },
];
