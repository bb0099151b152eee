/** Help texts of the policy commands: the summary in `bridle --help` and the details after the options. */

export const policyHelp = {
  check: {
    summary: 'decide calls from a file or stdin: one JSON object per line in, one decision per line out',
    details: `CALLS is a file, or - for stdin (the default). Each line is a call:
  {"tool": "run_command", "args": {"command_line": "ls"}}   optional: "server", "cwd", "state"
Each answer is a decision:
  {"decision": "allow", "rule": "commands", "reason": "", "at": "bridle.yaml:12"}
Blank lines are skipped. An invalid line is denied; its answer has the line number and the error.

Examples:
  bridle check calls.jsonl
  bridle check --tool run_command --args '{"command_line": "git push --force"}'
  agent-host | bridle check --policy team.yaml -

Exit codes: 0 all calls allowed · 1 a call denied · 3 a call needs approval, none denied ·
  2 no decision: invalid policy or input, or no calls`,
  },
  explain: {
    summary: 'show which rule decides a call, and the outcome of every other rule',
    details: `CALL is a tool and its args as JSON, a whole call as JSON, or a command line for run_command.

Examples:
  bridle explain view_file '{"file_path": ".env"}'
  bridle explain -- 'rm -rf /'
  bridle explain '{"tool": "view_file", "args": {"file_path": ".env"}}'
  bridle explain --tool view_file --args '{"file_path": ".env"}' --json

Exit codes: 0 allowed · 1 denied · 3 needs approval · 2 no decision: invalid policy or input, or no call`,
  },
  lint: {
    summary: 'find problems in a policy, each with an example call',
    details: `Examples:
  bridle lint
  bridle lint --policy team.yaml --strict --json

Exit codes: 0 no findings (notes don't count) · 1 errors or warnings; with --strict also notes · 2 invalid policy`,
  },
  test: {
    summary: 'run the tests in a policy file, and list the rules that no test reaches',
    details: `Examples:
  bridle test
  bridle test --policy team.yaml --json

Exit codes: 0 all tests pass · 1 a test fails · 2 invalid policy, or no tests in it`,
  },
  diff: {
    summary: 'list calls that two policies decide differently',
    details: `Examples:
  bridle diff old.yaml bridle.yaml
  git show main:bridle.yaml > /tmp/old.yaml && bridle diff /tmp/old.yaml bridle.yaml

Exit codes: 0 no differences · 1 differences · 2 an invalid policy, or the same file twice`,
  },
  replay: {
    summary: 'decide recorded calls again: what would change, and which rules are used',
    details: `JOURNAL is an exported journal (JSON lines), or - for stdin. Default: the journal of the store.

Examples:
  bridle replay journal.jsonl
  bridle replay --store .bridle/store.db
  bridle replay journal.jsonl --policy next.yaml --json

Exit codes: 0 no decision changes · 1 a decision changes; with --strict also if a call can't be compared ·
  2 invalid policy or journal, or no calls to compare`,
  },
  trust: {
    summary: 'trust a policy file; until then, a policy found in a folder cannot allow calls with side effects',
    details: `FILE defaults to bridle.yaml, .yml or .json in the folder. Trust ends when the content changes.

Examples:
  bridle trust
  bridle trust --yes ci/bridle.yaml
  bridle trust --list
  bridle trust --remove bridle.yaml

Exit codes: 0 trusted, listed or removed · 1 you answered no, or there was no trust to remove · 2 invalid policy`,
  },
  init: {
    summary: 'write a starter policy for the folder',
    details: `Examples:
  bridle init
  bridle init --preset strict --stdout

Exit codes: 0 written · 2 a policy already exists, or the file can't be written`,
  },
} as const;
