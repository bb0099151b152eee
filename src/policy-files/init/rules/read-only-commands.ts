/** Programs that only read. The program table knows which of their options are harmless. */

import type { Project } from '../project/project.ts';

/** `_` represents a space within a command. */
export const readOnlyCommands =
  splitCommands(`cd pushd popd pwd ls tree find fd cat head tail nl wc stat file du df grep egrep fgrep zgrep rg sort
  uniq cut tr paste comm column rev tac diff cmp sed awk jq yq cksum md5sum sha1sum sha256sum xxd od echo printf true
  false : test [ break continue exit sleep seq date uname whoami id nproc which type command_-v basename dirname realpath readlink xargs
  timeout`);

/** Commands that list packages. Even these can run code of the project. */
const managerCommands: Readonly<Record<string, readonly string[]>> = {
  pnpm: ['pnpm list', 'pnpm why'],
  yarn: ['yarn why'],
};

/** Read-only commands for a project. The line alone does not show that they do nothing else. */
export function readOnlyCommandsIn({ managers: found, git }: Pick<Project, 'managers' | 'git'>): readonly string[] {
  return [...readOnlyTools, ...found.flatMap((name) => managerCommands[name] ?? []), ...(git ? readOnlyGit : [])];
}

const readOnlyTools =
  splitCommands(`node_--version node_-v npm_--version npm_-v npm_ls pip_list pip_show go_version shellcheck hadolint yamllint
  python_--version python3_--version git_--version`);

const readOnlyGit = [
  ...splitCommands('status diff log show blame grep').map((name) => `git ${name}`),
  ...splitCommands('status diff log show').map((name) => `git --no-pager ${name}`),
  ...splitCommands(`ls-files ls-tree cat-file rev-parse rev-list merge-base describe name-rev shortlog reflog branch tag cherry
    show-ref for-each-ref check-ignore fsck remote_-v remote_get-url stash_list stash_show worktree_list config_--get
    submodule_status`).map((name) => `git ${name}`),
];

function splitCommands(text: string): readonly string[] {
  return text.split(/\s+/).map((words) => words.replaceAll('_', ' '));
}
