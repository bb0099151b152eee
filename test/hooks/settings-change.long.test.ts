/** A settings file of Claude Code that changes during a session cannot switch the hook off. */

import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { proves } from '../contract/cite.ts';
import { type HookResult, HookRig, plainPolicy } from '../rigs/hook-rig.ts';

const rigs: HookRig[] = [];
function rig(): HookRig {
  const made = new HookRig().policy(plainPolicy);
  rigs.push(made);
  return made;
}
afterEach(() => rigs.splice(0).forEach((each) => each.remove()));

const event = { session_id: 's', transcript_path: '/x' };

function changeOf(at: HookRig, file: string): Promise<HookResult> {
  const change = { hook_event_name: 'ConfigChange', source: 'user_settings', cwd: at.project, file_path: file };
  return at.hook('claude', { ...event, ...change });
}

async function start(at: HookRig): Promise<void> {
  await at.hook('claude', { ...event, hook_event_name: 'SessionStart', source: 'startup', cwd: at.project });
}

describe('a settings file of the repository', () => {
  it.each([
    ['{"disableAllHooks": true}', 'disableAllHooks'],
    ['{"env": {"BASH_ENV": "./evil.sh"}}', 'BASH_ENV'],
    ['{"env": {"GIT_EXTERNAL_DIFF": "./evil.sh"}}', 'GIT_EXTERNAL_DIFF'],
    ['{"hooks": ', 'not JSON'],
  ])(proves('C02', 'C11')('is refused if it is dangerous: %s'), async (content, problem) => {
    const at = rig();
    const file = join(at.project, '.claude', 'settings.local.json');
    mkdirSync(dirname(file));
    writeFileSync(file, content);
    const refused = await changeOf(at, file);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(problem);
    writeFileSync(file, '{"permissions": {"allow": ["Read"]}}');
    expect(await changeOf(at, file)).toMatchObject({ code: 0, stdout: '{}\n' });
  });
});

const other = { type: 'command', command: 'say done' };
const own = JSON.stringify({ hooks: { Stop: [{ hooks: [other] }] }, theme: 'dark' }, undefined, 2);

async function install(content: string | undefined, isLink = false) {
  const at = rig();
  const file = join(at.folder, 'home/.claude/settings.json');
  const real = isLink ? join(at.folder, 'home/dotfiles/claude.json') : file;
  for (const path of [file, real]) mkdirSync(dirname(path), { recursive: true });
  if (content !== undefined) writeFileSync(real, content);
  if (isLink) symlinkSync(real, file);
  const { code, stderr } = await at.bridle('install', 'claude', '--yes');
  expect(code, stderr).toBe(0);
  return { at, file, real, text: readFileSync(file, 'utf8') };
}

describe('the settings file with the hook', () => {
  it.each<readonly [string, (text: string) => string]>([
    ['is emptied', () => '{}'],
    ['only mentions the hook', (text) => JSON.stringify({ note: /[^"]*hosts.claude[^"]*/.exec(text)?.[0] })],
    ['has a wrong type, so that the host ignores it', (text) => text.replace('"timeout": 60', '"timeout": "ten"')],
    ['has another matcher', (text) => text.replaceAll('"matcher": "*"', '"matcher": "Nothing"')],
    ['has a short time limit', (text) => text.replaceAll('"timeout": 60', '"timeout": 1')],
    ['lets a failing hook pass', (text) => text.replace('"onFailure": "block"', '"onFailure": "allow"')],
    ['has a wrong type elsewhere', (text) => text.replace(/\{/, '{ "permissions": { "allow": "Bash" },')],
    ['has an unknown setting', (text) => text.replace(/\{/, '{ "sandbox": true,')],
    ['has the hooks twice', (text) => text.replace(/\}\s*$/, ', "hooks": {} }')],
    ['has another hook with a mistake', (text) => text.replace('"say done"', '7')],
  ])(proves('C02', 'C11')('is refused if it %s'), async (_title, change) => {
    const { at, file, text } = await install(own);
    await start(at);
    const next = change(text);
    expect(next).not.toBe(text);
    writeFileSync(file, next);
    const refused = await changeOf(at, file);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('Bridle refuses the change');
  });

  it.each<readonly [string, (text: string) => string]>([
    ['an allowed tool', (text) => text.replace(/\{/, '{ "permissions": { "allow": ["Bash(npm test:*)", "Read"] },')],
    ['a variable', (text) => text.replace(/\{/, '{ "env": { "NODE_ENV": "test" },')],
    ['the model', (text) => text.replace(/\{/, '{ "model": "opus",')],
    ['nothing', (text) => text.replaceAll('\n', '\n ')],
  ])(proves('C02', 'C11')('may change %s'), async (_title, change) => {
    const { at, file, text } = await install(own);
    await start(at);
    writeFileSync(file, change(text));
    expect(await changeOf(at, file)).toMatchObject({ code: 0, stdout: '{}\n' });
  });

  it(proves('C02', 'C11')('is recognised behind a link, and if the link is replaced or leads nowhere'), async () => {
    const { at, file, real } = await install('{}\n', true);
    await start(at);
    writeFileSync(real, '{}');
    expect(await changeOf(at, file)).toMatchObject({ code: 2 });
    rmSync(real);
    expect(await changeOf(at, file)).toMatchObject({ code: 2 });
    rmSync(file);
    writeFileSync(file, '{}');
    expect(await changeOf(at, file)).toMatchObject({ code: 2 });
  });
});
