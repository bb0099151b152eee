/** The command rules of the preset trusting: commands that show what they do and stay inside the folder are allowed. */

import { functionCallLines, joinConditions, type ArgumentGroup } from './condition-text.ts';
import { staysInside, trustedCodeText } from './command-rules.ts';
import { readOnlyCommandsIn } from './read-only-commands.ts';
import { networkPrograms } from './network-rules.ts';
import type { Project } from '../project/project.ts';
import { lineCall } from './starter-test.ts';
import type { StarterRule, StarterSection } from './starter-policy.ts';

/** Commands that affect more than files: other users, processes, services, containers, git settings. */
const farReaching =
  words(`sudo su doas pkexec gosu kill pkill killall skill snice xkill renice fuser systemctl service crontab
  date_-s at mount umount rsync chown chgrp hostname chrt ionice taskset ssh-agent docker_inspect docker_container_inspect docker_image_inspect docker_network_inspect docker_volume_inspect
  docker_config_inspect docker_secret_inspect docker_context_inspect docker_manifest docker_search podman nerdctl finch docker-compose podman-compose kubectl oc helm
  git_config_edit git_config_set git_config_unset git_config_--unset git_config_--unset-all git_config_--rename-section git_config_--remove-section git_init
  git_worktree_add git_worktree_move git_worktree_remove git_worktree_prune git_bisect git_archive`);
/** Commands that cannot be undone, or that write files the line does not name. */
const irreversible =
  words(`rm_-r shred srm wipe truncate dd find_-delete tar_-x gtar_-x bsdtar_-x cpio 7z patch git_apply git_am
  git_clean git_restore git_reset_--hard git_reset_--merge git_reset_--keep git_stash_drop git_stash_clear
  git_branch_-D git_branch_-d_-f git_branch_-f git_tag_-d git_tag_-f git_rm_-r git_reflog_expire git_reflog_delete git_update-ref`);
/** git commands that can be undone or do not change files. git hooks are code of the project. */
const gitWork = words('git_add git_commit git_commit_--amend git_switch_-c git_checkout_-b');

function words(text: string): readonly string[] {
  return text.split(/\s+/).map((command) => command.replaceAll('_', ' '));
}

export function trustingCommandRulesSection(found: Project): StarterSection {
  const project = { ...found, commands: [...found.commands, ...found.starts] };
  return {
    title: 'Commands',
    text: [
      'A line is allowed if Bridle can see everything it does, except for the commands listed in opaque(), and if all',
      'of it stays inside this folder. The first three rules ask about commands that reach outside or cannot be undone.',
      ...trustedCodeText(project),
    ],
    rules: [farReachingCommands(), irreversibleCommands(), otherRepositories(project), visibleCommands(project)],
  };
}

function farReachingCommands(): StarterRule {
  return {
    effect: 'ask',
    targets: ['run_command'],
    name: 'beyond this folder',
    reason: 'This affects more than the files in this folder: the network, processes or settings. May it run?',
    when: functionCallLines('runs', networkPrograms, farReaching),
    tests: ['curl https://example.com/', 'git push', 'npm view x', 'sudo ls', 'kill 1'].map((line) =>
      lineCall(line, 'ask'),
    ),
  };
}

function irreversibleCommands(): StarterRule {
  return {
    effect: 'ask',
    targets: ['run_command'],
    name: 'cannot be undone',
    reason: 'This cannot be undone, or it writes files that the line does not name. May it run?',
    when: functionCallLines('runs', irreversible),
    tests: ['rm -rf build', 'git reset --hard', 'find build -delete', 'tar xf src.tar'].map((line) =>
      lineCall(line, 'ask'),
    ),
  };
}

/** Even `git status` starts programs that the settings of a repository name. */
function otherRepositories({ folders }: Project): StarterRule {
  return {
    effect: 'ask',
    targets: ['run_command'],
    name: 'other repositories',
    reason:
      'This runs git in another folder. If that is another repository, its settings can start programs. May it run?',
    when: joinConditions(
      '&&',
      ['runs("git")'],
      [
        `!${functionCallLines('worksIn', ['.', ...folders])[0] ?? ''}`,
        ...functionCallLines('worksIn', ['.', ...folders]).slice(1),
      ],
    ),
    tests: [lineCall('git -C vendor/lib status', 'ask')],
  };
}

function visibleCommands(project: Project): StarterRule {
  const [first] = project.commands;
  const [part] = project.folders;
  const own =
    first === undefined ? [] : [first.line, `${first.line} > run.log 2>&1; tail run.log`, `CI=1 ${first.line}`];
  return {
    effect: 'allow',
    targets: ['run_command'],
    name: 'commands',
    when: joinConditions('&&', visibleOrOwn(project), ...staysInside.map((fact) => [fact])),
    tests: [
      ...(first?.folder === undefined ? own : []),
      ...(part === undefined ? [] : [`cd ${part} && ls`]),
      ...(project.git ? ['git status --short'] : []),
      'mkdir -p notes',
      'cp README.md notes/copy.md',
      'ls > files.txt',
      'sed -i s/a/b/ README.md',
    ].map((line) => lineCall(line, 'allow')),
  };
}

/**
 * What scripts and git run depends on the folder: a Makefile or repository in another folder does not belong to the
 * project.
 */
function visibleOrOwn(project: Project): readonly string[] {
  const { commands, folders, git } = project;
  const named: ArgumentGroup[] = [
    ...(commands.length === 0 ? [] : [{ comment: "this project's own commands" }, commands.map(({ line }) => line)]),
    { comment: 'read-only commands' },
    readOnlyCommandsIn(project),
    ...(git ? [{ comment: "git commands; their hooks are the project's own code" }, gitWork] : []),
  ];
  const places = functionCallLines('worksIn', ['.', ...folders]);
  const lines = joinConditions('&&', functionCallLines('!opaque', ...named), places);
  return joinConditions('||', ['(!opaque()'], [`(${lines[0] ?? ''}`, ...lines.slice(1, -1), `${lines.at(-1) ?? ''}))`]);
}
