/**
 * Clients of code hosts such as GitHub and GitLab. A line does not fully show what they change there, so everything
 * except viewing is opaque.
 */

import type { ProgramRow, ProgramRows } from '../../usage/program-row.ts';

/** `--web` starts a browser. */
const look = `-w,--web!:opaque -R,--repo=text --json=text -q,--jq=text -t,--template=text -L,--limit=text -s,--state=text
  -l,--label=text -a,--assignee=text -A,--author=text -B,--base=text -H,--head=text -S,--search=text -c,--comments
  --patch --name-only --color=text --log --log-failed -j,--job=text --attempt=text -v,--verbose --exit-status
  -b,--branch=text -u,--user=text -e,--event=text -m,--milestone=text -d,--draft --app=text --mention=text --watch
  -i,--interval=text --required --fail-fast --order=text --sort=text --exclude-drafts --exclude-pre-releases --created=text
  --commit=text -o,--org=text --workflow=text --archived --visibility=text --language=text --topic=text --fork --source
  <text>...`;
const send = `-R,--repo=text -t,--title=text -b,--body=text -F,--body-file=in -d,--draft -f,--fill --fill-first --fill-verbose -B,--base=text
  -H,--head=text -r,--reviewer=text -a,--assignee=text -l,--label=text -m,--milestone=text -p,--project=text --dry-run
  --no-maintainer-edit -e,--editor! -w,--web! --add-label=text --remove-label=text --add-assignee=text
  --remove-assignee=text --add-reviewer=text --remove-reviewer=text --add-project=text --remove-project=text
  --remove-milestone --approve --comment --request-changes --squash --merge --rebase --auto --delete-branch! --admin!
  --subject=text --match-head-commit=text --edit-last --create-if-none --delete-last! -c,--reason=text -y,--yes!
  --undo --branch=text --detach --force! --recurse-submodules --generate-notes --notes=text -n --notes-file=in
  --prerelease --latest[=text] --target=text --verify-tag --notes-start-tag=text --failed -j,--job=text --log --debug
  --ref=text --raw-field=text --field=data --json -D,--dir=filled --pattern=text --clobber! -A,--archive=text -O,--output=out
  --skip-existing --public! --filename=text --desc=text --color=text --description=text <sources!>... opaque .=history`;
const rest: ProgramRow = 'opaque <harmful>... elsewhere';

function section(looks: string): ProgramRow {
  return { commands: { [looks]: look, '*': send } };
}

export const forgePrograms: ProgramRows = {
  gh: {
    commands: {
      pr: section('view, list, ls=list, status, diff, checks'),
      issue: section('view, list, ls=list, status'),
      run: section('view, list, ls=list, watch'),
      'release, workflow, label, gist, cache, ruleset, project': section('view, list, ls=list'),
      repo: {
        commands: {
          'view, list, ls=list': look,
          clone: 'opaque -u,--upstream-remote-name=text! -- <text!> <filled=.> <harmful>... elsewhere',
          '*': send,
        },
      },
      'search, org': { commands: { '*': look } },
      status: `-e,--exclude=text -o,--org=text <text>...`,
      // Showing the token touches no files.
      auth: { commands: { status: '-a,--active -h,--hostname=text -t,--show-token! --json=text', '*': rest } },
      api: `-X,--method=text! -f,--raw-field=text! -F,--field=data --input=in! -H,--header=text! --paginate --slurp -q,--jq=text
        -t,--template=text --cache=text -i,--include --hostname=text! -p,--preview=text --silent --verbose <text>... opaque`,
      version: '',
      '*': rest,
    },
  },
  glab: {
    commands: {
      mr: section('view, show, list, ls=list, diff, approvers, issues'),
      issue: section('view, show, list, ls=list'),
      'ci, pipeline=ci, pipe=ci': section('status, list, ls=list, get, view, trace'),
      'release, label, repo, snippet, variable, milestone': section('view, show, list, ls=list'),
      '*': rest,
    },
  },
};
