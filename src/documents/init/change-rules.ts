/** Changing files in the workspaces. */

import { anywhere, callLines, joined } from './condition-text.ts';
import type { Project } from './project.ts';
import { fileCall, lineCall } from './sample-calls.ts';
import type { StarterRule, StarterSection } from './starter-policy.ts';

/** Files that tell other programs what to run later: continuous integration, hooks, editors, installed packages. */
const laterFiles = [
  [
    '.github/**',
    '.gitlab-ci.yml',
    '.circleci/**',
    '.husky/**',
    '.pre-commit-config.yaml',
    '.gitattributes',
    '.gitmodules',
  ],
  ['{.vscode,.idea,.devcontainer}/**', '{node_modules,.venv,venv}/**', '.cargo/**', '.yarnrc.yml', '.pnpmfile.cjs'],
];

/** `lines`: command lines may write, too. */
export function changeSection(project: Project, { lines }: { readonly lines: boolean }): StarterSection {
  return {
    title: 'Change files',
    text: ['Your tests and builds run what an agent writes. If that is a risk for you, use a sandbox as well.'],
    rules: [later(project, lines), write()],
  };
}

function later({ manifests }: Project, lines: boolean): StarterRule {
  const parts = [manifests, ...laterFiles].filter((names) => names.length > 0);
  return {
    effect: 'ask',
    targets: ['create_file', 'edit_file', ...(lines ? ['run_command'] : [])],
    name: 'files that run things',
    reason: 'This file decides what other programs run. May the agent change it?',
    when: joined('||', ...parts.map((names) => callLines('writes', [anywhere(names)]))),
    tests: [
      fileCall('create_file', '.github/workflows/release.yml', 'ask'),
      fileCall('edit_file', manifests.find((name) => !name.startsWith('*')) ?? '.gitattributes', 'ask'),
      ...(lines
        ? [lineCall('echo x > .husky/pre-commit', 'ask'), lineCall('tee .github/workflows/ci.yml', 'ask')]
        : []),
    ],
  };
}

function write(): StarterRule {
  return {
    effect: 'allow',
    targets: ['create_file', 'edit_file'],
    name: 'write',
    tests: [fileCall('create_file', 'notes/plan.md', 'allow'), fileCall('edit_file', 'README.md', 'allow')],
  };
}
