/** Reading files and talking to the user, which every preset allows. */

import type { Effect } from '../../../kernel/call.ts';
import type { Project } from '../project/project.ts';
import { fileCall, folderCall } from './starter-test.ts';
import type { StarterRule, StarterSection, StarterTest } from './starter-policy.ts';

/** A pattern with a folder also finds files that .gitignore hides; a pattern for a file extension does not. */
const onlyByExtension = String.raw`!has(args.include) || args.include.matches("^[*][.][A-Za-z0-9]+$")`;

export function readRulesSection(project: Project): StarterSection {
  const unignored = project.bareSecrets;
  return {
    title: 'Read files and talk to the user',
    text: [
      'The workspaces and the rule "secrets" limit what these tools read.',
      'A search reads every file that .gitignore does not list, so list your files with secrets there.',
      ...(unignored.length === 0
        ? []
        : [`It does not list ${unignored.join(', ')}, so this policy asks about searches.`]),
    ],
    rules: [lookRule(), ...(unignored.length === 0 ? [searchRule()] : []), talkRule()],
  };
}

function lookRule(): StarterRule {
  return {
    effect: 'allow',
    targets: ['view_file', 'list_directory', 'find_file'],
    name: 'read files',
    tests: [
      fileCall('view_file', 'README.md', 'allow'),
      fileCall('view_file', '.env.example', 'allow'),
      folderCall('list_directory', '.', 'allow'),
      folderCall('find_file', '.', 'allow'),
    ],
  };
}

function searchRule(): StarterRule {
  return {
    effect: 'allow',
    targets: ['search_directory'],
    name: 'search files',
    when: [onlyByExtension],
    tests: [folderCall('search_directory', '.', 'allow'), searchIn('*.ts', 'allow')],
  };
}

function talkRule(): StarterRule {
  return {
    effect: 'allow',
    targets: ['ask_question', 'finish'],
    name: 'talk to the user',
    tests: [
      { call: 'ask_question', args: { questions: [{ question: 'Which one?' }] }, expect: 'allow' },
      { call: 'finish', args: {}, expect: 'allow' },
    ],
  };
}

/** Searches that no rule allows. */
export function unallowedSearchTests(project: Project): readonly StarterTest[] {
  return project.bareSecrets.length === 0
    ? [searchIn('secret/*', 'ask')]
    : [folderCall('search_directory', '.', 'ask')];
}

function searchIn(include: string, expect: Effect): StarterTest {
  const test = folderCall('search_directory', '.', expect);
  return { ...test, args: { ...test.args, include } };
}
