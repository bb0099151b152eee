/** What `--help` says of the commands about policies. */

const codes =
  'Exit codes: 0 everything is allowed · 1 something is denied · 3 something asks · 2 no answer: bad policy or input, or no call';

export const policyHelp = {
  check: {
    does: 'decide calls from a file or stdin: one JSON object per line in, one answer per line out',
    more: `CALLS is a file, or - for stdin, which is read if nothing is named. A line is
  {"tool": "run_command", "args": {"command_line": "ls"}}   also: "server", "cwd", "state"
and its answer
  {"decision": "allow", "rule": "commands", "reason": "", "at": "bridle.yaml:12"}
Blank lines are skipped. A line that is no call is answered with deny, its number and what is wrong.

Examples:
  bridle check calls.jsonl
  bridle check --tool run_command --args '{"command_line": "git push --force"}'
  host-of-an-agent | bridle check --policy team.yaml -

${codes}`,
  },
  explain: {
    does: 'show which rule decides a call, and why the others do not',
    more: `CALL is a tool and its args as JSON, a whole call as JSON, or a command line for run_command.

Examples:
  bridle explain view_file '{"file_path": ".env"}'
  bridle explain -- 'rm -rf /'
  bridle explain '{"tool": "view_file", "args": {"file_path": ".env"}}'
  bridle explain --tool view_file --args '{"file_path": ".env"}' --json

${codes}`,
  },
  lint: {
    does: 'find problems in a policy, each with a call that shows it',
    more: `Examples:
  bridle lint
  bridle lint --policy team.yaml --strict --json

Exit codes: 0 nothing but notes · 1 errors or warnings; with --strict notes, too · 2 the policy is bad`,
  },
  test: {
    does: 'run the tests in a policy file, and list the rules that no test reaches',
    more: `Examples:
  bridle test
  bridle test --policy team.yaml --json

Exit codes: 0 all pass · 1 one fails · 2 the policy is bad, or has no tests`,
  },
  diff: {
    does: 'list calls that two policies decide differently',
    more: `Examples:
  bridle diff old.yaml bridle.yaml
  git show main:bridle.yaml > /tmp/old.yaml && bridle diff /tmp/old.yaml bridle.yaml

Exit codes: 0 nothing changes · 1 something does · 2 a policy is bad, or both are the same file`,
  },
  replay: {
    does: 'decide recorded calls again: what would change, which rules are used',
    more: `JOURNAL is a file of JSON lines, or - for stdin. Without one the journal of a store is read.

Examples:
  bridle replay journal.jsonl
  bridle replay --store .bridle/store.db
  bridle replay journal.jsonl --policy next.yaml --json

Exit codes: 0 nothing changes · 1 a decision changes; with --strict also if a call cannot be compared ·
  2 bad policy or journal, or no call was compared`,
  },
  trust: {
    does: 'trust the content of a policy file: until then one that lies in a folder may only tighten',
    more: `FILE is bridle.yaml, .yml or .json in the folder if it is not named. Trust ends when the content changes.

Examples:
  bridle trust
  bridle trust --yes ci/bridle.yaml
  bridle trust --list
  bridle trust --remove bridle.yaml

Exit codes: 0 trusted, listed, removed · 1 you said no, or there was nothing to remove · 2 the policy is bad`,
  },
  init: {
    does: 'write a starter policy for the folder',
    more: `Examples:
  bridle init
  bridle init --preset strict --stdout

Exit codes: 0 written · 2 there is one already, or it cannot be written`,
  },
} as const;
