import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { compile, type ToolCall, type ToolDeclaration } from 'bridle';
import { protectFiles } from 'bridle/paths';
import { builtinTools } from 'bridle/tools';
import { proves } from '../../test/contract/cite.ts';
import { newId, type CallId, type SessionId } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import { filesOfAnalysis } from './files-of-line.ts';
import { GuardedPlaces } from './guarded-places.ts';

const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'protected-')));
const ws = join(base, 'ws');
const policy = join(ws, 'bridle.yaml');
const missing = join(ws, '.host/settings.json');
const state = join(base, 'home/.bridle');
const key = join(base, 'home/key.pem');

beforeAll(() => {
  for (const folder of ['ws/sub', 'ws/other', 'home/.bridle/cache']) mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(policy, 'version: 1');
  writeFileSync(join(state, 'trust.json'), '{}');
  symlinkSync('../bridle.yaml', join(ws, 'sub/link.log'));
  symlinkSync('..', join(ws, 'sub/up'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) if (existsSync(path)) unlinkSync(path);
});

function callOf(args: JsonObject): ToolCall {
  return {
    id: newId<CallId>(),
    tool: 'tool',
    server: undefined,
    displayName: 'tool',
    tier: 'confirm',
    args,
    requested: args,
    cwd: ws,
    session: newId<SessionId>(),
    turn: 1,
    step: 1,
    agent: [],
  };
}

const rules = protectFiles(() => [policy, missing, state, { path: key, secret: true }]);
const tool = (name: string): ToolDeclaration => builtinTools.find((each) => each.name === name) as ToolDeclaration;

/** What the two rules say: the forbid first, as the engine would. */
function verdict(args: JsonObject, declared: ToolDeclaration): 'forbid' | 'ask' | 'nothing' {
  const found = rules.find((rule) => rule.concerns(declared) && rule.check(callOf(args), declared).matched);
  return found === undefined ? 'nothing' : found.effect;
}

const line = (command_line: string, working_dir?: string): string =>
  verdict({ command_line, ...(working_dir !== undefined && { working_dir }) }, tool('run_command'));
const write = (file_path: string): string => verdict({ file_path }, tool('create_file'));

describe('protected files', () => {
  it.each([
    'bridle.yaml',
    './bridle.yaml',
    'sub/../bridle.yaml',
    'sub/link.log',
    'sub/up/bridle.yaml',
    'BRIDLE.yaml',
    policy,
    `file://${policy}`,
    '.host/settings.json',
    '.host/settings.json/x',
    '../home/.bridle',
    '../home/.bridle/trust.json',
    '../home/.bridle/new',
  ])(proves('D11')('are not written by path tools: %s'), (path) => {
    expect(write(path)).toBe('forbid');
    expect(verdict({ file_path: path, edits: [] }, tool('edit_file'))).toBe('forbid');
    expect(verdict({ path }, { name: 'anything', paths: ['path'] })).toBe('forbid');
  });

  it(proves('D11')('are read, unless they are secret'), () => {
    expect(verdict({ file_path: 'bridle.yaml' }, tool('view_file'))).toBe('nothing');
    expect(verdict({ path: 'bridle.yaml' }, { name: 'send', paths: ['path'], touches: { reads: ['path'] } })).toBe(
      'nothing',
    );
    expect(verdict({ file_path: key }, tool('view_file'))).toBe('forbid');
    expect(line('echo < bridle.yaml')).toBe('nothing');
    expect(line(`echo < ${key}`)).toBe('forbid');
  });

  it(proves('D11')('hold back what writes the folders above them'), () => {
    const remove: ToolDeclaration = { name: 'remove', paths: ['path'], touches: { writes: ['path'] } };
    for (const path of ['.', '..', '/', base, 'sub/up', '../home']) expect(verdict({ path }, remove)).toBe('forbid');
    expect(verdict({ path: '.host' }, remove)).toBe('nothing');
    mkdirSync(join(ws, '.host'));
    expect(verdict({ path: '.host' }, remove)).toBe('forbid');
    rmSync(join(ws, '.host'), { recursive: true });
    for (const path of ['sub', 'other', 'new', 'sub/new']) expect(verdict({ path }, remove)).toBe('nothing');
    expect(verdict({ path: '.' }, { name: 'anything', paths: ['path'] })).toBe('ask');
  });

  it(proves('D11')('are not written under another name of the same file'), () => {
    const hard = join(ws, 'hard');
    linkSync(policy, hard);
    made.push(hard);
    expect(write('hard')).toBe('forbid');
    expect(line('echo > hard')).toBe('forbid');
  });

  it.each([
    'echo > bridle.yaml',
    'echo >> ./bridle.yaml',
    'echo >| sub/up/bridle.yaml',
    `echo > ${policy}`,
    'cd sub && echo > ../bridle.yaml',
    '(cd other && echo) > .host/settings.json',
    'echo > sub/link.log',
    'unheard-of-program bridle.yaml',
    'rm bridle.yaml',
    'rm -rf .',
    'rm -rf *',
    'cd / && rm -rf .',
    'mv bridle.yaml x',
    'mv ../ws ../moved',
    'cp other/bridle.yaml .',
    'mv other/bridle.yaml ./',
    'ln -sf /dev/null bridle.yaml',
    'ln bridle.yaml other/name',
    'tee bridle.yaml',
    'sed -i s/a/b/ bridle.yaml',
    'dd of=bridle.yaml',
    'chmod 777 bridle.yaml',
    'find . -delete',
    'git checkout -- bridle.yaml',
    'env nice sh -c "rm bridle.yaml"',
    'unheard-of-program --output=bridle.yaml',
    'unheard-of-program ../home/.bridle/trust.json',
    'if true; then echo > bridle.yaml; fi',
  ])(proves('D11')('are not written by commands: %s'), (text) => {
    expect(line(text)).toBe('forbid');
  });

  it(proves('D11')('are found from the folder a command starts in'), () => {
    expect(line('echo > ../bridle.yaml', 'sub')).toBe('forbid');
    expect(line('echo > bridle.yaml', 'sub')).toBe('nothing');
  });

  it.each([
    'echo > "$file"',
    'echo > "$dir/bridle.yaml"',
    'echo > "${x}.yaml"',
    'echo > *',
    'eval "$code"',
    'echo "',
    'cd "$dir"; echo > bridle.yaml',
    'cd sub; cd ..; echo > bridle.yaml',
    'echo < "$file"',
    'echo > /proc/self/cwd/bridle.yaml',
    'exec 3< bridle.yaml; echo > /dev/fd/3',
    'echo < bridle.yaml > /dev/stdin',
    'unheard-of-program "write bridle.yaml"',
    "python3 -c \"open('bridle.yaml', 'w')\"",
    `awk '{ print > "bridle.yaml" }' x`,
    'ls | xargs rm',
    'wget http://other.test/bridle.yaml',
  ])(proves('D11')('are asked about where it cannot be told: %s'), (text) => {
    expect(line(text)).toBe('ask');
  });

  it.each([
    'echo > out.txt',
    'echo > sub/bridle.yaml.bak',
    'echo hello | unheard-of-program --flag',
    'echo > "$name.log"',
    'echo 2> /dev/null',
    'cd sub && echo > note',
    'cat bridle.yaml',
    'mkdir -p sub/new',
    'rm -rf other',
    'cp other/x .',
    'unheard-of-program .',
    'echo done && ls -la . | head',
  ])(proves('D11')('have nothing to do with: %s'), (text) => {
    expect(line(text)).toBe('nothing');
  });

  it(proves('D11')('of which nothing is known to a tool that runs another shell are asked about'), () => {
    expect(verdict({ code: 'x' }, { name: 'fish', commands: ['code'] })).toBe('ask');
  });

  it(proves('D11')('are forbidden above every allow, and asked about only where somebody can answer'), async () => {
    const compiled = compile([...rules], { tools: builtinTools });
    const decide = async (command_line: string): Promise<string> => {
      const { effect, rule } = await compiled.decide({ tool: 'run_command', args: { command_line } });
      return `${effect} ${rule?.name}`;
    };
    expect(await decide(`echo > ${policy}`)).toBe('deny protected_files');
    expect(await decide('echo > "$x"')).toBe('deny protected_files_unsure');
    const asking = compile([...rules], { tools: builtinTools, approver: () => ({ type: 'approved' }) as never });
    const asked = await asking.decide({ tool: 'run_command', args: { command_line: 'echo > "$x"' } });
    expect(asked).toMatchObject({ effect: 'ask', reason: expect.stringContaining('$x') as string });
  });

  it('that are no secret are read by whatever', () => {
    const run = tool('run_command');
    for (const rule of protectFiles(() => [policy]))
      expect(rule.check(callOf({ command_line: 'echo < "$any"' }), run).matched).toBe(false);
  });

  it('are listed anew for each call', () => {
    let list: readonly string[] = [];
    const [forbid] = protectFiles(() => list);
    const call = callOf({ file_path: 'bridle.yaml' });
    expect(forbid?.check(call, tool('create_file')).matched).toBe(false);
    list = [policy];
    expect(forbid?.check(call, tool('create_file')).matched).toBe(true);
    list = ['relative'];
    expect(() => forbid?.check(call, tool('create_file'))).toThrow('absolute');
  });
});

const relation = (path: string, rest: object = {}): readonly string[] => {
  const files = [{ mode: 'write', path, text: path, from: [''], ...rest } as const];
  const guard = new GuardedPlaces([policy, missing, state]);
  const found = filesOfAnalysis(
    { files, unknown: undefined, filesUnknown: undefined, foreign: [], commands: [] },
    ws,
  ).files;
  return found.flatMap(({ places }) => places.map((place) => guard.relation(place)));
};

describe('what a line is found to touch', () => {
  it('is compared by component, under its own name and where it leads', () => {
    expect(relation('bridle.yaml')).toEqual(['at']);
    expect(relation('bridle.yaml/')).toEqual(['at']);
    expect(relation('bridle.yaml2')).toEqual(['apart']);
    expect(relation('.')).toEqual(['above']);
    expect(relation('.', { names: ['bridle.yaml', 'x'] })).toEqual(['at', 'apart']);
    expect(relation('..', { names: ['ws'] })).toEqual(['above']);
    expect(relation('bridle.yaml', { from: ['sub', ''] })).toEqual(['apart', 'at']);
    expect(relation('../bridle.yaml', { from: ['', 'sub'] })).toEqual(['apart', 'at']);
  });

  it('could end as one of them', () => {
    const guard = new GuardedPlaces([policy, state]);
    for (const ends of [undefined, '.yaml', '/bridle.yaml', 'e.yaml', '.json', '/ws', '/.', '/', 'ws'])
      expect(guard.couldEnd(ends), ends).toBe(true);
    for (const ends of ['.log', '/yaml', '/x.yaml', 'z']) expect(guard.couldEnd(ends), ends).toBe(false);
  });
});
