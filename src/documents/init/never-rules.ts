/** What every preset forbids: no other rule opens it. */

import { anywhere, callLines, joined } from './condition-text.ts';
import { fileCall, lineCall } from './sample-calls.ts';
import { celText } from './starter-text.ts';
import type { StarterRule, StarterSection } from './starter-policy.ts';

/** By what files of secrets are called everywhere. Examples of them are none: `.env.example` stays readable. */
const secretFiles = [
  ['.env', '.envrc', '.env.local', '.env.*.local', '.env.{dev,prod,stag,test,live,ci,secret,backup,bak,old}*'],
  ['*.{pem,key,p12,pfx,jks,keystore,kdbx}', 'id_{rsa,dsa,ecdsa,ed25519}'],
  ['.netrc', '.npmrc', '.pypirc', '.pgpass', '.git-credentials', '.vault-token', '.docker/config.json', '.kube/config'],
  ['{.ssh,.gnupg,.aws,.azure}/**', '.config/{gh,gcloud}/**'],
];

/** What holds an agent back, or makes git and agent hosts run something. */
const guardFiles = [
  ['bridle.{yaml,yml,json}', '.bridle/**', '.git', '.git/**'],
  ['.claude/settings{,.local}.json', '.{cursor,windsurf}/{hooks,mcp,cli}.json', '.gemini/settings.json', '.codex/**'],
  ['.mcp.json', '.vscode/mcp.json'],
];

/** Tools that tell names only, or whose reading another rule bounds: a folder with a secret in it is no secret. */
const namesOnly = ['list_directory', 'find_file', 'search_directory'];

export function neverSection(): StarterSection {
  return {
    title: 'Never',
    text: ['Nothing below opens what stands here. Where it cannot be told what a call touches, it is denied, too.'],
    rules: [secrets(), guards(), deleteOutside(), forcePush()],
  };
}

function secrets(): StarterRule {
  return {
    effect: 'forbid',
    targets: ['*'],
    name: 'secrets',
    reason: 'Files with secrets are out of reach; ask the person for what is needed',
    when: [
      `!(call.server == "" && call.tool in [${namesOnly.map(celText).join(', ')}]) && (`,
      ...joined(
        '||',
        ...secretFiles.flatMap((group) => [fileCondition('reads', group), fileCondition('writes', group)]),
      ).map(indented),
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

function guards(): StarterRule {
  return {
    effect: 'forbid',
    targets: ['*'],
    name: 'own guard',
    reason: 'Policies, git itself and the settings of agent hosts are changed by people only',
    when: joined('||', ...guardFiles.map((group) => fileCondition('writes', group))),
    tests: [
      fileCall('create_file', '.git/hooks/pre-commit', 'deny'),
      lineCall('tee .git/config', 'deny'),
      fileCall('edit_file', 'packages/a/bridle.yaml', 'deny'),
      fileCall('create_file', 'packages/a/.claude/settings.json', 'deny'),
    ],
  };
}

function fileCondition(fact: 'reads' | 'writes', names: readonly string[]): readonly string[] {
  return callLines(fact, [anywhere(names)]);
}

function indented(line: string): string {
  return `  ${line}`;
}

function deleteOutside(): StarterRule {
  const programs = ['rm', 'rmdir', 'unlink', 'shred', 'truncate', 'find -delete', 'git clean'];
  return {
    effect: 'forbid',
    targets: ['run_command'],
    name: 'delete outside',
    reason: 'Nothing outside this folder is deleted, nor the folder itself',
    when: joined('&&', callLines('runs', programs), ['!writesInside(".")']),
    tests: [
      { ...lineCall('rm -rf /', 'deny'), anyRule: true },
      lineCall('rm -rf build ../other', 'deny'),
      { ...lineCall('find /var -delete', 'deny'), anyRule: true },
      lineCall('sudo sh -c "rm -r ~/x"', 'deny'),
    ],
  };
}

function forcePush(): StarterRule {
  const pushes = ['git push --force', 'git push --force-with-lease', 'git push --mirror', 'git push --delete'];
  return {
    effect: 'forbid',
    targets: ['run_command'],
    name: 'force push',
    reason: 'What others may have built on is not rewritten',
    when: callLines('runs', pushes),
    tests: ['git push --force', 'git push origin main -f', 'git -C sub push --force-with-lease'].map((line) =>
      lineCall(line, 'deny'),
    ),
  };
}
