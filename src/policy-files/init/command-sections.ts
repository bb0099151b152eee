/** The rules about commands of the presets balanced and trusting. */

import type { Project, ProjectCommand } from './project/project.ts';
import { type ArgumentGroup, celCall, comments, commentText, section, when } from './starter-text.ts';

/** In these lists, `_` represents a space within a command. */
function commands(text: string): readonly string[] {
  return text
    .trim()
    .split(/\s+/)
    .map((command) => command.replaceAll('_', ' '));
}

/** Programs that only read. The program table knows which of their options are harmless. */
const readOnlyCommands = commands(`
  cd pushd popd pwd ls tree find fd cat head tail nl wc stat file du df grep egrep fgrep zgrep rg sort uniq cut tr paste
  comm column rev tac diff cmp sed awk jq yq cksum md5sum sha1sum sha256sum xxd od echo printf true false : test [ break
  continue exit sleep seq date uname whoami id nproc which type command_-v basename dirname realpath readlink xargs
  timeout ps pgrep free uptime`);

const readOnlyTools = commands(`
  node_--version node_-v npm_--version npm_-v npm_ls pip_list pip_show go_version shellcheck hadolint yamllint
  python_--version python3_--version git_--version`);

/** Commands that list packages. Even these can run code of the project. */
const managerCommands: Readonly<Record<string, readonly string[]>> = {
  pnpm: ['pnpm list', 'pnpm why'],
  yarn: ['yarn why'],
};

const readOnlyGit = commands(`
  git_status git_diff git_log git_show git_blame git_grep
  git_--no-pager_status git_--no-pager_diff git_--no-pager_log git_--no-pager_show
  git_ls-files git_ls-tree git_cat-file git_rev-parse git_rev-list git_merge-base git_describe git_name-rev git_shortlog
  git_reflog git_branch git_tag git_cherry git_show-ref git_for-each-ref git_check-ignore git_fsck git_remote_-v
  git_remote_get-url git_stash_list git_stash_show git_worktree_list git_config_--get git_config_get git_config_--list git_config_-l
  git_submodule_status git_--no-pager_branch git_--no-pager_blame git_--no-pager_grep`);

/** Read-only commands for a project. The line alone does not show that they do nothing else. */
function readOnlyCommandsIn({ managers, git }: Project): readonly string[] {
  return [...readOnlyTools, ...managers.flatMap((name) => managerCommands[name] ?? []), ...(git ? readOnlyGit : [])];
}

/** git commands that can be undone or do not change files. git hooks are code of the project. */
const gitWork = commands('git_add git_commit git_commit_--amend git_switch_-c git_checkout_-b');

/** Programs that communicate with other machines. */
export const networkPrograms = commands(`
  curl wget aria2c http https ssh scp sftp nc ncat netcat socat telnet ftp dig host nslookup whois ping ping6 getent
  traceroute tracepath mtr gh glab git_push git_pull git_fetch git_clone git_ls-remote git_remote_show git_remote_update
  git_remote_prune git_submodule_update git_submodule_add npm_view npm_search npm_ping npm_whoami npm_doctor npm_outdated
  pnpm_outdated pip_list_--outdated cargo_search cargo_info cnpm tldr`);

/** Commands that affect more than files: other users, processes, services, containers, git settings. */
const farReaching = commands(`
  sudo su doas pkexec gosu kill pkill killall skill snice xkill renice fuser systemctl service crontab date_-s at mount
  umount rsync chown chgrp hostname chrt ionice taskset ssh-agent docker_inspect docker_container_inspect
  docker_image_inspect docker_network_inspect docker_volume_inspect docker_config_inspect docker_secret_inspect
  docker_context_inspect docker_manifest docker_search podman nerdctl finch docker-compose podman-compose kubectl oc helm
  git_config_edit git_config_set git_config_unset git_config_--unset git_config_--unset-all git_config_--rename-section
  git_config_--remove-section git_init git_worktree_add git_worktree_move git_worktree_remove git_worktree_prune
  git_bisect git_archive`);

/** Commands that cannot be undone, or that write files the line does not name. */
const irreversible = commands(`
  rm_-r shred srm wipe truncate dd find_-delete tar_-x gtar_-x bsdtar_-x cpio 7z patch git_apply git_am git_clean
  git_restore git_reset_--hard git_reset_--merge git_reset_--keep git_stash_drop git_stash_clear git_branch_-D
  git_branch_-d_-f git_branch_-f git_tag_-d git_tag_-f git_rm_-r git_reflog_expire git_reflog_delete git_update-ref`);

/** Programs that run what is typed into their terminal: pagers, and git commands that can start an editor. */
const interactive = commands(`
  less more most pg zless zmore bzless xzless top sdiff_-o dmesg_-H git_add_-i git_add_-p git_add_-e git_commit_-e
  git_commit_-p git_reset_-p git_tag_-e`);

/** They start an editor unless they have a message. */
const withMessage = commands('git_commit git_tag_-a git_tag_-s');
const message = commands(`
  git_commit_-m git_commit_-F git_commit_--no-edit git_commit_-C git_commit_--fixup git_tag_-m git_tag_-F`);

/** Anyone may have written the scripts of a manifest, so the policy shows what it trusts. */
function trustedCode({ commands, folders }: Project): readonly string[] {
  if (commands.length === 0) return [];
  const shown = shownScripts(commands);
  return [
    "The project's own commands run the project's code: tests, configuration, scripts. This policy trusts that code.",
    ...(folders.length === 0 ? [] : ['They are allowed only in the folders listed in worksIn.']),
    ...(shown.length === 0 ? [] : ['When this file was written, the scripts ran:']),
    ...shown,
  ];
}

const maxShown = 40;

function shownScripts(commands: readonly ProjectCommand[]): readonly string[] {
  const shown = new Map<string, string>();
  for (const { line, runs, folder = '.' } of commands) {
    const key = JSON.stringify([folder, runs]);
    const place = folder === '.' ? '' : `${folder}: `;
    if (runs !== undefined && !shown.has(key))
      shown.set(key, commentText(`  ${place}${line}: ${JSON.stringify(runs)}`));
  }
  const lines = [...shown.values()];
  const left = lines.length - maxShown;
  return left > 0 ? [...lines.slice(0, maxShown), `  and ${left} more`] : lines;
}

/** What scripts and git run depends on the folder: a Makefile or repository in another folder is not the project's. */
function worksIn({ folders }: Project): string {
  return celCall('worksIn', ['.', ...folders]);
}

function ownCommands({ commands, recorded }: Project): readonly ArgumentGroup[] {
  const fromJournal = recorded?.commands ?? [];
  return [
    ...(commands.length === 0 ? [] : [{ comment: "this project's own commands" }, commands.map(({ line }) => line)]),
    ...(fromJournal.length === 0
      ? []
      : [{ comment: 'recorded often, and read-only or approved by a person' }, fromJournal]),
  ];
}

export function commandSection(project: Project): string {
  const own = ownCommands(project);
  const condition = celCall(
    'runsListed',
    ...(own.length === 0 ? [{ comment: 'add your own commands here: "make test", ...' }] : own),
    { comment: 'read-only commands' },
    [...readOnlyCommands, ...readOnlyCommandsIn(project)],
  );
  return section(
    'Commands',
    comments(
      'A line is allowed if every command in it is in this list, and everything it reads or writes is inside this',
      'folder. Bridle knows which options, paths and variables (CI=1) are harmless. Everything else is asked about.',
      ...trustedCode(project),
    ),
    `  - allow: run_command
    name: commands
${when(`${condition}
&& (!opaque() && !runs("git")
|| ${worksIn(project)})
&& readsInside(".")
&& writesInside(".")`)}
`,
  );
}

export function trustingCommandSection(project: Project): string {
  const named = celCall(
    '!opaque',
    ...ownCommands(project),
    { comment: 'read-only commands' },
    readOnlyCommandsIn(project),
    ...(project.git ? [{ comment: "git commands; their hooks are the project's own code" }, gitWork] : []),
  );
  return section(
    'Commands',
    comments(
      'A line is allowed if Bridle can see everything it does, except for the commands listed in opaque(), and if all',
      'of it stays inside this folder. The rules before it ask about commands that reach outside or cannot be undone.',
      ...trustedCode(project),
    ),
    `  - ask: run_command
    name: beyond this folder
    reason: 'This affects more than the files in this folder: the network, processes or settings. May it run?'
${when(celCall('runs', networkPrograms, farReaching))}

  - ask: run_command
    name: cannot be undone
    reason: 'This cannot be undone, or it writes files that the line does not name. May it run?'
${when(celCall('runs', irreversible))}

  - ask: run_command
    name: interactive programs
    reason: 'This program takes commands from its terminal, where Bridle does not see them. May it run?'
${when(`${celCall('runs', interactive)}
|| (${celCall('runs', withMessage)} && !${celCall('runs', message)})`)}

  - ask: run_command
    name: other repositories
    reason: 'This runs git in another folder. If that is another repository, its settings can start programs. May it run?'
${when(`runs("git")\n&& !${worksIn(project)}`)}

  - allow: run_command
    name: commands
${when(`(!opaque()
|| (${named}
&& ${worksIn(project)}))
&& readsInside(".")
&& writesInside(".")`)}
`,
  );
}
