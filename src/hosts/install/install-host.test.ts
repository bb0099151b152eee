/** Installing and uninstalling hooks in settings files as people have them. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { root } from '../../../test/source.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { allHostSettings } from './all-settings.ts';
import { jsonOf, parseJsonc } from '../settings/jsonc.ts';
import { type HostSettings, type Level, levels, type Places } from '../settings/host-settings.ts';
import { handlerFiles } from './handler-files.ts';
import { applyInstall, type InstallOptions, type InstallPlan, planInstall } from './install-host.ts';
import { applyUninstall, planUninstall } from './uninstall-host.ts';

const top = mkdtempSync(join(tmpdir(), 'bridle-install-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** A small handler: these tests are about files. */
const bundles = join(top, 'bundles');
mkdirSync(bundles);
writeFileSync(join(bundles, 'hook.cjs'), `process.stdout.write('{"ok":true}\\n')`);
for (const name of handlerFiles.slice(1)) writeFileSync(join(bundles, name), '');

let count = 0;

class Machine {
  readonly folder = join(top, `machine-${(count += 1)}`);
  readonly places: Places = {
    home: join(this.folder, 'home'),
    project: join(this.folder, 'project'),
    env: { PATH: '/usr/bin:/bin' },
    root: join(this.folder, 'root'),
  };

  constructor() {
    for (const folder of [this.places.home, this.places.project, this.places.root])
      mkdirSync(folder, { recursive: true });
  }

  dataOf(level: Level): string {
    return level === 'managed' ? join(this.places.root, 'opt/bridle') : join(this.places.home, '.bridle');
  }

  options(settings: HostSettings, level: Level, more: Partial<InstallOptions> = {}): InstallOptions {
    const program = { path: '/usr/bin/true', version: '1.2.3' };
    const fixed = { limitSeconds: 60, observe: false, program, bundles };
    return { settings, level, places: this.places, data: this.dataOf(level), ...fixed, ...more };
  }

  install(settings: HostSettings, level: Level, more: Partial<InstallOptions> = {}): InstallPlan {
    const plan = planInstall(this.options(settings, level, more));
    applyInstall(plan);
    return plan;
  }

  uninstall(settings: HostSettings, level?: Level): number {
    const options = { settings, places: this.places, dataOf: (each: Level) => this.dataOf(each), level };
    const removals = planUninstall(options);
    applyUninstall(removals, options);
    return removals.length;
  }

  /** All files except for those of Bridle. */
  get files(): Readonly<Record<string, string>> {
    const paths = readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.startsWith(this.dataOf('user')) && !path.startsWith(this.dataOf('managed')));
    return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(path, 'latin1')]));
  }
}

const settingsOf = (name: string): HostSettings => allHostSettings.find(({ host }) => host === name) as HostSettings;
const claude = settingsOf('claude');

/** Settings of hosts with lists of hooks, with everything that people write into JSON. */
const otherHook = { type: 'command', command: '/usr/local/bin/notify "done"' };
const realistic: Readonly<Record<string, string>> = {
  'an empty object': '{}',
  'an empty object with a line break': '{}\n',
  'an empty object over lines': '{\n}\n',
  'an empty file': '',
  'only white space': '\n\n',
  'only a comment': '// settings\n',
  'one line': '{"model":"opus","theme":"dark"}',
  'two spaces': '{\n  "model": "opus"\n}\n',
  'four spaces': '{\n    "model": "opus",\n    "env": {\n        "A": "1"\n    }\n}\n',
  tabs: '{\n\t"model": "opus",\n\t"permissions": {\n\t\t"allow": ["Bash(ls)"]\n\t}\n}\n',
  CRLF: '{\r\n  "model": "opus",\r\n  "hooks": {}\r\n}\r\n',
  'no line break at the end': '{\n  "model": "opus"\n}',
  'a BOM': '\uFEFF{\n  "model": "opus"\n}\n',
  comments: '// top\n{\n  /* the model */\n  "model": "opus", // best\n  // "theme": "dark"\n}\n// end\n',
  'a comment after the last value': '{\n  "model": "opus" // no comma, "hooks": {}\n}\n',
  'trailing commas': '{\n  "model": "opus",\n  "list": [1, 2,],\n}\n',
  'empty hooks': '{\n  "hooks": {},\n  "model": "opus"\n}\n',
  'an empty list of hooks': '{\n  "hooks": {\n    "PreToolUse": [],\n    "BeforeTool": []\n  }\n}\n',
  'other hooks': `${JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [otherHook] }], BeforeTool: [{ hooks: [otherHook] }], Stop: [{ hooks: [otherHook] }] }, model: 'x' }, undefined, 2)}\n`,
  'other hooks on one line': JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [otherHook] }] } }),
  'hooks before comments': `{\n  "hooks": {\n    // my hooks\n    "PreToolUse": [\n      { "hooks": [${JSON.stringify(otherHook)}] } // first\n      // last\n    ]\n  } // end of hooks\n}\n`,
  'the same key twice': '{\n  "hooks": {},\n  "model": "a",\n  "hooks": { "Stop": [] }\n}\n',
  'texts with brackets and slashes': '{\n  "a": "}{][ // no comment /* none */ \\" \\\\",\n  "ü": "\u2028 日本"\n}\n',
  'a strange indentation': '   {"a": 1,\n "b":\n[1,\n2]\n   }\n',
};
const listHosts = ['claude', 'codex', 'gemini'].map(settingsOf);

describe.each(listHosts)('the settings file of $host', (settings) => {
  it.each(Object.entries(realistic))(proves('C07')('is restored byte by byte: %s'), (_, text) => {
    const machine = new Machine();
    const path = settings.file('user', machine.places)?.path ?? '';
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    const before = machine.files;
    const { after } = machine.install(settings, 'user');
    expect(readFileSync(path, 'utf8')).toBe(after);
    // Everything of the old file is still there, in order, apart from commas and brackets around the new entries.
    expect(isSubsequence(text, after)).toBe(true);
    const value = jsonOf(parseJsonc(after, path) ?? expect.fail('nothing was written')) as JsonObject;
    const old = parseJsonc(text, path);
    for (const [key, each] of Object.entries(old === undefined ? {} : (jsonOf(old) as JsonObject)))
      if (key !== 'hooks') expect(value[key]).toEqual(each);
    expect(
      settings.file('user', machine.places)?.inspect(after, machine.dataOf('user') + `/hosts/${settings.host}/hook`),
    ).toBeDefined();
    expect(planInstall(machine.options(settings, 'user')).hasChanges).toBe(false);
    expect(machine.uninstall(settings)).toBe(1);
    expect(machine.files).toEqual(before);
    expect(existsSync(join(machine.dataOf('user'), 'hosts', settings.host))).toBe(false);
  });

  it.each(Object.entries(realistic))(
    proves('C07')('loses only the hook if it was changed meanwhile: %s'),
    (_, text) => {
      const machine = new Machine();
      const file = settings.file('user', machine.places) ?? expect.fail('no file');
      mkdirSync(dirname(file.path), { recursive: true });
      writeFileSync(file.path, text);
      const { after } = machine.install(settings, 'user');
      writeFileSync(file.path, `${after}\n`);
      machine.uninstall(settings);
      const rest = readFileSync(file.path, 'utf8');
      expect(rest).not.toContain('.bridle');
      const [was, is] = [parseJsonc(text, 'a'), parseJsonc(rest, 'b')];
      expect(is === undefined ? {} : jsonOf(is)).toEqual(was === undefined ? {} : jsonOf(was));
      for (const comment of text.match(/\/\/ \w+|\/\* \w+/g) ?? []) expect(rest).toContain(comment);
    },
  );

  it(proves('C07')('is refused with the position of a mistake, and left alone'), () => {
    const machine = new Machine();
    const path = settings.file('user', machine.places)?.path ?? '';
    mkdirSync(dirname(path), { recursive: true });
    for (const [text, place] of [
      ['{\n  "model": opus\n}\n', ':2:12: '],
      ['{"a": 1', ':1:8: '],
      ['[]', ':1:1: '],
      ['{"hooks": []}', '"hooks" is not an object'],
      ['{"a": "x\n"}', ':1:7: '],
      ['{} {}', ':1:4: '],
    ] as const) {
      writeFileSync(path, text);
      expect(() => machine.install(settings, 'user'), text).toThrow(place);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
    expect(existsSync(machine.dataOf('user'))).toBe(false);
  });
});

describe('any JSON object', () => {
  it(proves('C07')('keeps its value, and gets its bytes back'), () => {
    const unit = fc.constantFrom(undefined, 1, 2, 4, '\t');
    const object = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(object, unit, fc.boolean(), (value, indent, isCrlf) => {
        const { hooks: _, ...plain } = value;
        const text = JSON.stringify(plain, undefined, indent).replaceAll('\n', isCrlf ? '\r\n' : '\n');
        const file = claude.file('user', { home: '/h', project: '/p', env: {}, root: '/' }) ?? expect.fail('no file');
        const after = file.add(text, { wrapper: '/d/hosts/claude/hook', limitSeconds: 60, observe: false });
        const { hooks, ...rest } = JSON.parse(after) as JsonObject;
        expect(hooks).toBeDefined();
        expect(rest).toEqual(JSON.parse(text));
        expect(file.add(after, { wrapper: '/d/hosts/claude/hook', limitSeconds: 60, observe: false })).toBe(after);
        expect(JSON.parse(file.remove(after, '/d/hosts/claude/hook') ?? '{}')).toEqual(JSON.parse(text));
      }),
    );
  });
});

describe.each(allHostSettings)('$host', (settings) => {
  const places = levels.filter((level) => settings.file(level, new Machine().places) !== undefined);

  it.each(places)(proves('C07')('is installed and uninstalled at the level %s, and leaves nothing behind'), (level) => {
    const machine = new Machine();
    expect(machine.uninstall(settings)).toBe(0);
    const { wrapper, named, handler } = machine.install(settings, level);
    expect(readFileSync(named, 'utf8')).toContain(wrapper.path);
    // Not directly: other threads of this process start children, which briefly keep the new file open for writing.
    expect(execFileSync('/bin/sh', [wrapper.path], { input: '{}', encoding: 'utf8' })).toBe('{"ok":true}\n');
    const shared = level === 'managed';
    expect(statSync(wrapper.path).mode & 0o777).toBe(shared ? 0o755 : 0o700);
    expect(statSync(dirname(wrapper.path)).mode & 0o005).toBe(shared ? 0o005 : 0);
    expect(statSync(handler.file).mode & 0o777).toBe(shared ? 0o644 : 0o600);
    expect(planInstall(machine.options(settings, level)).hasChanges).toBe(false);
    expect(machine.uninstall(settings)).toBe(1);
    expect(machine.files).toEqual({});
    expect(existsSync(wrapper.path) || existsSync(handler.folder)).toBe(false);
  });

  it('is replaced, not added, when it is installed with other options', () => {
    const machine = new Machine();
    const { named } = machine.install(settings, 'user');
    const enforcing = readFileSync(named, 'utf8');
    machine.install(settings, 'user', { observe: true, limitSeconds: 30 });
    const observing = readFileSync(named, 'utf8');
    expect(observing).not.toContain('/hook"');
    expect(observing).toContain('hook-observe-30');
    machine.install(settings, 'user');
    expect(readFileSync(named, 'utf8')).toBe(enforcing);
    expect(machine.uninstall(settings)).toBe(1);
    expect(machine.files).toEqual({});
  });
});

describe('a settings file', () => {
  it(proves('C07')('that is read-only is refused, and nothing is written'), () => {
    const machine = new Machine();
    const path = join(machine.places.home, '.claude/settings.json');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '{}');
    chmodSync(path, 0o444);
    expect(() => machine.install(claude, 'user')).toThrow(/cannot be written, so nothing was changed/);
    expect(existsSync(machine.dataOf('user'))).toBe(false);
  });

  it(proves('C07')('behind a link is changed where the link leads, with its permissions'), () => {
    const machine = new Machine();
    const target = join(machine.folder, 'dotfiles.json');
    writeFileSync(target, '{ "model": "opus" }\n', { mode: 0o640 });
    const path = join(machine.places.home, '.claude/settings.json');
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
    const plan = machine.install(claude, 'user');
    expect(plan.before.path).toBe(target);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain('PreToolUse');
    expect(statSync(target).mode & 0o777).toBe(0o640);
    machine.uninstall(claude);
    expect(readFileSync(target, 'utf8')).toBe('{ "model": "opus" }\n');
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  it('that is not UTF-8 is refused', () => {
    const machine = new Machine();
    const path = join(machine.places.home, '.claude/settings.json');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.from('{"a":"\xe9"}', 'latin1'));
    expect(() => machine.install(claude, 'user')).toThrow('not UTF-8');
  });
});

describe('the managed level', () => {
  it.skipIf(!existsSync('/proc'))(proves('C07')('can be read and run by everybody, for any umask'), () => {
    const { places, folder } = new Machine();
    const script = `
      process.umask(0o077);
      const { planInstall, applyInstall } = await import(${module('install/install-host.js')});
      const { allHostSettings } = await import(${module('install/all-settings.js')});
      for (const settings of allHostSettings.filter(({ host }) => host !== 'opencode')) applyInstall(planInstall({
        settings, level: 'managed', places: ${JSON.stringify(places)}, data: ${JSON.stringify(join(places.root, 'opt/bridle'))},
        limitSeconds: 60, observe: false, program: undefined,
      }));`;
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
    const entries = readdirSync(places.root, { recursive: true, withFileTypes: true });
    expect(entries.length).toBeGreaterThan(15);
    const closed = entries
      .filter((entry) => !entry.name.startsWith('installed.json'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => (statSync(path).mode & 0o005) === 0);
    expect(closed).toEqual([]);
  });

  it.each(['[features]\nx = true\n', 'a = 1\n[hooks]\nmanaged_dir = "/x"\n'])(
    'is refused for Codex if the file would have a table twice: %j',
    (text) => {
      const machine = new Machine();
      const path = join(machine.places.root, 'etc/codex/requirements.toml');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      expect(() => machine.install(settingsOf('codex'), 'managed')).toThrow('TOML allows it only once');
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it.each(['# rules\nallow = true\n', 'a = 1\r\nb = 2\r\n', 'a = 1', ''])(
    proves('C07')('gets its bytes back for Codex: %j'),
    (text) => {
      const machine = new Machine();
      const path = join(machine.places.root, 'etc/codex/requirements.toml');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      machine.install(settingsOf('codex'), 'managed');
      expect(planInstall(machine.options(settingsOf('codex'), 'managed')).hasChanges).toBe(false);
      const after = readFileSync(path, 'utf8');
      expect(after.startsWith(text)).toBe(true);
      writeFileSync(path, `${after}\n[mine]\n`);
      machine.uninstall(settingsOf('codex'));
      expect(readFileSync(path, 'utf8').replaceAll('\r\n', '\n')).toMatch(/^(?:[^[]*)\n*\[mine\]\n$/);
    },
  );
});

describe('handlers', () => {
  it(proves('C07')('of several versions stay until no host uses them'), () => {
    const machine = new Machine();
    const first = machine.install(claude, 'user').handler;
    const other = join(top, `bundles-${count}`);
    mkdirSync(other);
    for (const name of handlerFiles) writeFileSync(join(other, name), '// newer');
    const second = machine.install(settingsOf('gemini'), 'user', { bundles: other }).handler;
    expect(second.folder).not.toBe(first.folder);
    machine.uninstall(settingsOf('gemini'));
    expect([existsSync(first.file), existsSync(second.folder)]).toEqual([true, false]);
  });

  it('that are damaged are written again', () => {
    const machine = new Machine();
    const { handler } = machine.install(claude, 'user');
    writeFileSync(handler.file, 'damaged');
    expect(planInstall(machine.options(claude, 'user')).hasChanges).toBe(true);
    machine.install(claude, 'user');
    expect(readFileSync(handler.file, 'utf8')).toContain('ok');
  });

  it(proves('C07')('include the native part of SQLite'), () => {
    const { handler } = new Machine().install(claude, 'user', { bundles: join(root, 'dist/cli') });
    const load = `console.log(typeof require(${JSON.stringify(join(handler.folder, 'libsql.node'))}).databaseOpen)`;
    expect(execFileSync(process.execPath, ['-e', load], { encoding: 'utf8', cwd: top })).toBe('function\n');
  });
});

/** A built module, for a script that imports it. */
function module(name: string): string {
  return JSON.stringify(pathToFileURL(join(root, 'dist/hosts', name)).href);
}

function isSubsequence(text: string, longer: string): boolean {
  let at = 0;
  for (const character of longer) if (character === text[at]) at += 1;
  return at >= text.trimEnd().length;
}
