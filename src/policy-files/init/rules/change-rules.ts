/** The rules for changing files in the workspaces. */

import { globAnywhere, functionCallLines, joinConditions } from './condition-text.ts';
import type { Project } from '../project/project.ts';
import { fileCall, lineCall } from './starter-test.ts';
import type { StarterRule, StarterSection } from './starter-policy.ts';

/**
 * Files that make other programs run something later: continuous integration, hooks, editors, installed packages, and
 * files that control what an install downloads. Configurations of test runners and linters are not included: like
 * tests, they are code of the project.
 */
const filesRunLater = [
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
  [
    '{package-lock,npm-shrinkwrap}.json',
    '{yarn,bun,deno,poetry,uv,pdm,composer,Cargo,Gemfile,Pipfile}.{lock,lockb}',
    'pnpm-{lock,workspace}.yaml',
  ],
  ['go{,.work}.sum', 'requirements*.txt', '{.yarnrc,bunfig.toml,pip.conf,uv.toml}', '{.yarn,.bundle,.mvn}/**'],
];
/** make has built-in rules that create a makefile from these files. */
const makefileSources = [
  '{GNUm,M,m}akefile.*',
  '{GNUm,M,m}akefile,v',
  's.{GNUm,M,m}akefile',
  '{RCS,SCCS}/*{GNUm,M,m}akefile*',
  '*.mk',
];

export function changeRulesSection(project: Project): StarterSection {
  return {
    title: 'Change files',
    text: ['Your tests and builds run what an agent writes. If that is a risk for you, use a sandbox as well.'],
    rules: [runLaterRule(project), writeRule()],
  };
}

function runLaterRule({ manifests }: Project): StarterRule {
  const generatedMakefiles = manifests.includes('Makefile') ? makefileSources : [];
  const parts = [manifests, generatedMakefiles, ...filesRunLater].filter((names) => names.length > 0);
  return {
    effect: 'ask',
    targets: ['create_file', 'edit_file', 'run_command'],
    name: 'files that run things',
    reason: 'This file decides what other programs run. May the agent change it?',
    when: joinConditions('||', ...parts.map((names) => functionCallLines('writes', [globAnywhere(names)]))),
    tests: [
      fileCall('create_file', '.github/workflows/release.yml', 'ask'),
      fileCall('edit_file', 'package-lock.json', 'ask'),
      ...(generatedMakefiles.length > 0 ? [fileCall('create_file', 'Makefile.sh', 'ask')] : []),
      fileCall('edit_file', manifests.find((name) => !name.startsWith('*')) ?? '.gitattributes', 'ask'),
      lineCall('echo x > .husky/pre-commit', 'ask'),
      lineCall('tee .github/workflows/ci.yml', 'ask'),
    ],
  };
}

function writeRule(): StarterRule {
  return {
    effect: 'allow',
    targets: ['create_file', 'edit_file'],
    name: 'write files',
    tests: [fileCall('create_file', 'notes/plan.md', 'allow'), fileCall('edit_file', 'README.md', 'allow')],
  };
}
