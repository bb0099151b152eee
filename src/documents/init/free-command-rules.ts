/** For trusting: commands that show what they do and stay inside the folder. */

import { callLines, joined } from './condition-text.ts';
import { commands, staysInside, trustText } from './command-rules.ts';
import { networkPrograms } from './network-rules.ts';
import type { Project } from './project.ts';
import { lineCall } from './sample-calls.ts';
import type { StarterRule, StarterSection } from './starter-policy.ts';

/** What touches more than files: other users, processes, services, containers, what git runs. */
const farReaching = [
  'sudo',
  'su',
  'doas',
  'pkexec',
  'gosu',
  'kill',
  'pkill',
  'killall',
  'skill',
  'snice',
  'xkill',
  'renice',
  'fuser',
  'systemctl',
  'service',
  'crontab',
  'date -s',
  'at',
  'mount',
  'umount',
  'chown',
  'chgrp',
  'ssh-agent',
  'docker',
  'podman',
  'nerdctl',
  'finch',
  'docker-compose',
  'podman-compose',
  'kubectl',
  'oc',
  'helm',
  'git config',
  'git init',
  'git worktree',
  'git bisect',
  'git archive',
];
/** What cannot be taken back, or puts files where the line does not say. */
const lasting = [
  'rm -r',
  'shred',
  'srm',
  'wipe',
  'truncate',
  'dd',
  'find -delete',
  'tar',
  'gtar',
  'bsdtar',
  'unzip',
  'cpio',
  '7z',
  'patch',
  'git apply',
  'git am',
  'git clean',
  'git reset',
  'git checkout',
  'git switch',
  'git restore',
  'git rebase',
  'git merge',
  'git cherry-pick',
  'git revert',
  'git stash',
  'git branch -D',
  'git branch -d',
  'git tag -d',
  'git rm',
  'git reflog',
  'git update-ref',
];

export function freeCommandSection(project: Project): StarterSection {
  return {
    title: 'Commands',
    text: [
      'A line is allowed if every command in it is in the list "commands", or if the line shows everything that it',
      'does and all of that stays inside this folder. The first three rules ask about commands that reach further.',
      ...trustText(project),
    ],
    rules: [farReachingCommands(), lastingCommands(), otherRepositories(project), commands(project), shownCommands()],
  };
}

function farReachingCommands(): StarterRule {
  return {
    effect: 'ask',
    targets: ['run_command'],
    name: 'far-reaching',
    reason: 'This reaches beyond files: the network, other processes, what git runs. May it?',
    when: callLines('runs', networkPrograms, farReaching),
    tests: ['curl https://example.com/', 'git push', 'npm view x', 'sudo ls', 'kill 1'].map((line) =>
      lineCall(line, 'ask'),
    ),
  };
}

function lastingCommands(): StarterRule {
  return {
    effect: 'ask',
    targets: ['run_command'],
    name: 'lasting',
    reason: 'This cannot be taken back, or writes files that the line does not name. May it?',
    when: callLines('runs', lasting),
    tests: ['rm -rf build', 'git reset --hard', 'find build -delete', 'tar xf src.tar'].map((line) =>
      lineCall(line, 'ask'),
    ),
  };
}

/** The settings of a repository name programs that even `git status` starts. */
function otherRepositories({ folders }: Project): StarterRule {
  return {
    effect: 'ask',
    targets: ['run_command'],
    name: 'other repositories',
    reason: 'This runs git in another folder. If that is another repository, its settings can run programs. May it?',
    when: joined(
      '&&',
      ['runs("git")'],
      [`!${callLines('worksIn', ['.', ...folders])[0] ?? ''}`, ...callLines('worksIn', ['.', ...folders]).slice(1)],
    ),
    tests: [lineCall('git -C vendor/lib status', 'ask')],
  };
}

function shownCommands(): StarterRule {
  return {
    effect: 'allow',
    targets: ['run_command'],
    name: 'shown commands',
    when: joined('&&', ['!opaque()'], ...staysInside.map((fact) => [fact])),
    tests: ['mkdir -p notes', 'cp README.md notes/copy.md', 'ls > files.txt', 'sed -i s/a/b/ README.md'].map((line) =>
      lineCall(line, 'allow'),
    ),
  };
}
