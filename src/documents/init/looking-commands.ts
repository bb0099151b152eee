/** Programs that only look, used in ways that do nothing else: the program table knows which ways those are. */

export const looking = [
  ...words(`cd pushd popd pwd ls tree find fd cat head tail nl wc stat file du df grep egrep fgrep rg sort
  uniq cut tr paste comm column rev tac diff cmp sed awk jq yq cksum md5sum sha1sum sha256sum xxd od echo printf true
  false : test [ sleep seq date uname whoami id nproc which type basename dirname realpath readlink xargs timeout`),
  'command -v',
];

export const lookingGit = [
  'git status',
  'git diff',
  'git log',
  'git show',
  'git blame',
  'git grep',
  'git ls-files',
  'git ls-tree',
  'git cat-file',
  'git rev-parse',
  'git rev-list',
  'git merge-base',
  'git describe',
  'git shortlog',
  'git reflog',
  'git branch',
  'git tag',
  'git remote -v',
  'git stash list',
  'git stash show',
  'git worktree list',
  'git check-ignore',
];

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}
