/** What opencode does with answers and commands, measured on the real host. */

import type { HostRecord } from '../host.ts';

export const opencodeRecords: readonly HostRecord[] = [
  {
    host: 'opencode',
    title: 'opencode',
    versions: { from: '1.18.33', to: '1.18.33' },
    usedBefore: '1.19',
    // opencode has no command hooks: the answers are those of the plugin that Bridle installs.
    answers: {
      deny: 'blocks',
      ask: 'blocks',
      allow: 'runs',
      rewrite: 'rewrites',
      silence: 'blocks',
      crash: 'blocks',
      timeout: 'blocks',
    },
    ask: 'store',
    shell: {
      isKnown: true,
      program:
        'The `shell` of the configuration, which can be any program, also from the `opencode.json` of a repository; otherwise `$SHELL`, otherwise bash. The text is passed unchanged.',
      startupFiles: 'bash and sh: none, except `$BASH_ENV`. zsh: `.zshenv`.',
      persists: 'Nothing. Processes that the command starts with `&` outlive the call.',
    },
    points: {
      onSessionStart: 'session.created',
      onSessionEnd: 'session.deleted',
      preTurn: 'chat.message',
      postTurn: 'session.idle',
      preToolCall: 'tool.execute.before',
      postToolCall: 'tool.execute.after',
      postCompaction: 'session.compacted',
    },
    unhooked: [
      {
        path: 'The `opencode.json` of a repository chooses the shell and starts MCP servers, without a question.',
        instead: 'Bridle denies calls that write it, and knows nothing about commands of an unusual shell.',
      },
      {
        path: 'Plugins and tools in `.opencode` of a repository or of the home folder run in the process of opencode, without a question.',
        instead: 'Bridle denies calls that write them.',
      },
      {
        path: 'A plugin that comes after Bridle can change the arguments of a call.',
        instead: 'Bridle cannot prevent it: a plugin can do everything that opencode can do.',
      },
    ],
    switchedOffBy: [
      '`--pure` and `OPENCODE_PURE=1`.',
      'An error in the plugin file: opencode does not load it, and does not say so.',
    ],
    gaps: [
      'The limits `timeout` and `output` of a grant are not applied: opencode runs the call. `bridle doctor` names such rules.',
      'There is no managed level. opencode has plugins of the user and of the project only.',
      'If opencode does not load the plugin, calls run without Bridle.',
      'A call that fails causes no event, so it is not settled.',
      'If Bridle refuses a prompt, opencode shows an unexpected error instead of the reason.',
      'Tools of MCP servers arrive with server and tool joined by `_`, and other characters replaced by `_`. The plugin sends the names of the configured servers. If a name fits several of them or none, rules that allow a server do not apply; rules that deny or ask do.',
    ],
  },
];
