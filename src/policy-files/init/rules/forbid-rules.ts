/**
 * What every preset forbids. No other rule overrides this. If it is unknown whether a call does this, the rule asks.
 */

import { globAnywhere, functionCallLines, joinConditions } from './condition-text.ts';
import { fileCall, lineCall } from './starter-test.ts';
import { celText } from './quote-text.ts';
import type { StarterRule, StarterSection } from './starter-policy.ts';

/** Common names of files with secrets. `.env.example` is not one of them and stays readable. */
const secretFiles = [
  ['.env', '.envrc', '.env.local', '.env.*.local', '.env.{dev,prod,stag,test,live,ci,secret,backup,bak,old}*'],
  ['*.{pem,key,p12,pfx,jks,keystore,kdbx}', 'id_{rsa,dsa,ecdsa,ed25519}'],
  ['.netrc', '.npmrc', '.pypirc', '.pgpass', '.git-credentials', '.vault-token', '.docker/config.json', '.kube/config'],
  ['{.ssh,.gnupg,.aws,.azure}/**', '.config/{gh,gcloud}/**'],
];

/** Files that limit an agent, or that control what git and agent hosts run. */
const guardFiles = [
  ['bridle.{yaml,yml,json}', '.bridle/**', '.git', '.git/**'],
  ['.claude/settings{,.local}.json', '.{cursor,windsurf}/{hooks,mcp,cli}.json', '.gemini/settings.json', '.codex/**'],
  ['.mcp.json', '.vscode/mcp.json'],
];

/**
 * Tools that show only names, or whose reading another rule limits: an agent may list a folder that contains a secret.
 */
const nameListingTools = ['list_directory', 'find_file', 'search_directory'];

export function forbidRulesSection(): StarterSection {
  return {
    title: 'Never',
    text: ['No other rule overrides these. If Bridle cannot tell whether a call does this, it asks.'],
    rules: [secretsRule(), ownGuardRule(), deleteOutsideRule(), forcePushRule()],
  };
}

function secretsRule(): StarterRule {
  return {
    effect: 'forbid',
    targets: ['*'],
    name: 'secrets',
    reason: 'This file may contain secrets. Ask the user for the value you need, or use an example file.',
    unknown: 'ask',
    when: [
      `!(call.server == "" && call.tool in [${nameListingTools.map(celText).join(', ')}]) && (`,
      ...joinConditions(
        '||',
        ...secretFiles.flatMap((group) => [fileCondition('reads', group), fileCondition('writes', group)]),
      ).map(indent),
      ')',
    ],
    tests: [
      fileCall('view_file', '.env', 'deny'),
      fileCall('view_file', 'config/.env.production', 'deny'),
      fileCall('create_file', '.env.local', 'deny'),
      lineCall('cat .env', 'deny'),
      lineCall('cp certs/server.pem notes.txt', 'deny'),
      lineCall('cat ~/.ssh/id_ed25519', 'deny'),
      lineCall('grep KEY < .env', 'deny'),
    ],
  };
}

function ownGuardRule(): StarterRule {
  return {
    effect: 'forbid',
    targets: ['*'],
    name: 'protected files',
    reason: 'Only people may change policies, files inside .git and agent settings. Ask the user to do it.',
    unknown: 'ask',
    when: joinConditions('||', ...guardFiles.map((group) => fileCondition('writes', group))),
    tests: [
      fileCall('create_file', '.git/hooks/pre-commit', 'deny'),
      lineCall('tee .git/config', 'deny'),
      fileCall('edit_file', 'packages/a/bridle.yaml', 'deny'),
      fileCall('create_file', 'packages/a/.claude/settings.json', 'deny'),
    ],
  };
}

function fileCondition(fact: 'reads' | 'writes', names: readonly string[]): readonly string[] {
  return functionCallLines(fact, [globAnywhere(names)]);
}

function indent(line: string): string {
  return `  ${line}`;
}

function deleteOutsideRule(): StarterRule {
  const programs = ['rm', 'rmdir', 'unlink', 'shred', 'truncate', 'find -delete', 'git clean'];
  return {
    effect: 'forbid',
    targets: ['run_command'],
    name: 'delete outside this folder',
    reason: 'Delete only what is inside this folder, and not the folder itself. Ask the user to delete anything else.',
    // Agents keep their own files in the temporary folders, so deleting there asks instead.
    when: joinConditions('&&', functionCallLines('runs', programs), ['!writesInside(".", "/tmp", "/var/tmp")']),
    unknown: 'ask',
    tests: [
      { ...lineCall('rm -rf /', 'deny'), anyRule: true },
      lineCall('rm -rf build /opt/other', 'deny'),
      { ...lineCall('find /var -delete', 'deny'), anyRule: true },
      lineCall('sudo sh -c "rm -r /opt/x"', 'deny'),
    ],
  };
}

function forcePushRule(): StarterRule {
  const pushes = ['git push --force', 'git push --force-with-lease', 'git push --mirror', 'git push --delete'];
  return {
    effect: 'forbid',
    targets: ['run_command'],
    name: 'force push',
    reason: 'This rewrites or deletes commits that others may use. Push new commits instead.',
    when: functionCallLines('runs', pushes),
    unknown: 'ask',
    tests: ['git push --force', 'git push origin main -f', 'git -C sub push --force-with-lease'].map((line) =>
      lineCall(line, 'deny'),
    ),
  };
}
