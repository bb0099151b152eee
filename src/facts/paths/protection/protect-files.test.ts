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
import { compilePolicy, type ToolCall, type ToolDeclaration } from 'bridle';
import { protectFiles } from 'bridle/facts';
import { builtinTools } from 'bridle/tools';
import { proves } from '../../../../test/contract/cite.ts';
import { newId, type CallId, type SessionId } from '../../../kernel/ids.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import { filesOfAnalysis } from '../touched-files/files-of-line.ts';
import { ProtectedPaths } from './protected-paths.ts';

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
  symlinkSync('/proc/self/cwd', join(ws, 'own'));
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

/** The result of the two rules: the forbid rule first, as in the engine. */
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

  it(proves('D11')('may be read, unless they are secret'), () => {
    expect(verdict({ file_path: 'bridle.yaml' }, tool('view_file'))).toBe('nothing');
    expect(verdict({ path: 'bridle.yaml' }, { name: 'send', paths: ['path'], touches: { reads: ['path'] } })).toBe(
      'nothing',
    );
    expect(verdict({ file_path: key }, tool('view_file'))).toBe('forbid');
    expect(line('echo < bridle.yaml')).toBe('nothing');
    expect(line(`echo < ${key}`)).toBe('forbid');
  });

  it(proves('D11', 'X08')('may be listed even if secret: only the content is secret'), () => {
    writeFileSync(key, 'x');
    made.push(key);
    for (const text of [`ls -l ${key}`, `stat ${key}`, `[ -f ${key} ]`, `find ${key}`])
      expect(line(text)).toBe('nothing');
    for (const text of [`wc -c ${key}`, `ls ${key} && cat ${key}`, `file ${key}`]) expect(line(text)).toBe('forbid');
    expect(line(`find ${key} -exec cat {} +`)).not.toBe('nothing');
    expect(line(`ls ${key} | xargs cat`)).not.toBe('nothing');
  });

  it(proves('D11')('prevent writing the folders above them'), () => {
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
    'cd sub && cd .. && echo > bridle.yaml',
    'cd sub && cd - && echo > bridle.yaml',
    'pushd sub && popd && echo > bridle.yaml',
    'cd sub || exit 1; echo > ../bridle.yaml',
    'if cd sub; then echo > ../bridle.yaml; fi',
    '(cd sub && echo > ../bridle.yaml)',
    "bash -c 'cd sub && echo > ../bridle.yaml'",
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
    'find -delete',
    'ln bridle.yaml other/name',
    'tee bridle.yaml',
    'sed -i s/a/b/ bridle.yaml',
    `awk '{ print > "bridle.yaml" }' x`,
    "sed 'w bridle.yaml' x",
    'wget http://other.test/bridle.yaml',
    'dd of=bridle.yaml',
    'chmod 777 bridle.yaml',
    'find . -delete',
    'git checkout -- bridle.yaml',
    'env nice sh -c "rm bridle.yaml"',
    'unheard-of-program --output=bridle.yaml',
    'unheard-of-program ../home/.bridle/trust.json',
    'if true; then echo > bridle.yaml; fi',
    'gunzip -f bridle.yaml.gz',
    'gzip -d bridle.yaml.gz',
    'gzip -dkf ./bridle.yaml.gz',
    'gunzip bridle.yaml_z',
    'pigz -d bridle.yaml.gz',
    'bzip2 -d bridle.yaml.bz2',
    'bunzip2 sub/../bridle.yaml.bz2',
    'xz -d bridle.yaml.xz',
    'unxz bridle.yaml.xz',
    'unlzma bridle.yaml.lzma',
    'uncompress bridle.yaml.Z',
    'zstd -d bridle.yaml.zst',
    'unzstd bridle.yaml.zst',
    'brotli -d bridle.yaml.br',
    'lz4 -d bridle.yaml.lz4',
    'lz4 -dl x.lz4 bridle.yaml',
    "curl -w '%output{bridle.yaml}x' http://other.test/",
    "curl --write-out '%{size}%output{>>bridle.yaml}x' http://other.test/",
    'mlr -I cat bridle.yaml',
    'mlr --csv split -n 2 then put x bridle.yaml',
    'sift -o bridle.yaml x',
    'base64 -d -o bridle.yaml x',
    'dasel put -f bridle.yaml x',
    '7z x a.7z bridle.yaml',
    'cpp x bridle.yaml',
    "gawk -i inplace '{ print }' bridle.yaml",
    'gcc -fdump-tree-original=bridle.yaml x.c',
    'gcc -Wl,-o,bridle.yaml x.c',
    'gcc -Wp,-MD,bridle.yaml x.c',
  ])(proves('D11')('are not written by commands: %s'), (text) => {
    expect(line(text)).toBe('forbid');
  });

  it(proves('D11')('are found from the folder a command starts in'), () => {
    expect(line('echo > ../bridle.yaml', 'sub')).toBe('forbid');
    expect(line('echo > bridle.yaml', 'sub')).toBe('nothing');
  });

  it(proves('D11')('are asked about if git restores files of the surrounding worktree'), () => {
    expect(line('git reset --hard', 'sub')).toBe('nothing');
    mkdirSync(join(ws, '.git'));
    expect(line('git reset --hard', 'sub')).toBe('ask');
    expect(line('git stash pop', 'sub')).toBe('ask');
    expect(line('git -C sub reset --hard')).toBe('ask');
    expect(line('git -C sub pull')).toBe('ask');
    expect(line('tar xf a.tar', 'sub')).toBe('nothing');
    rmSync(join(ws, '.git'), { recursive: true });
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
    'cd sub; echo > bridle.yaml',
    'cd sub; echo > ../bridle.yaml',
    'cd sub && cd - || echo > bridle.yaml',
    'cd missing; echo > bridle.yaml',
    'mkdir -p new && cd new && echo > bridle.yaml',
    'ln -s . new && cd new && echo > bridle.yaml',
    'for d in 1; do cd sub; done; echo > bridle.yaml',
    'cd sub; rm *; echo > ../bridle.yaml',
    'echo < "$file"',
    'echo > /proc/self/cwd/bridle.yaml',
    'exec 3< bridle.yaml; echo > /dev/fd/3',
    'echo < bridle.yaml > /dev/stdin',
    'unheard-of-program "write bridle.yaml"',
    "python3 -c \"open('bridle.yaml', 'w')\"",
    `awk '{ print > f }' f=bridle.yaml x`,
    'ls | xargs rm',
    'wget http://other.test/bridle%2eyaml',
    'gunzip -N x.gz',
    'tar xPf a.tar -C sub',
    "tar xf a.tar -C sub --transform='s,^,../,'",
    'cd sub && cpio -i < a',
    'git -C sub apply --unsafe-paths p',
    'GIT_WORK_TREE=.. git checkout x -- bridle.yaml',
    'cd sub; GIT_WORK_TREE=/x git restore .',
    'sed -i.yaml s/a/b/ bridle',
    "sed -i'bridle.yam*' s/a/b/ l",
    'sed --in-place=.yaml s/a/b/ bridle',
    'perl -i.yaml -pe 1 bridle',
    'ruby -i.yaml -pe 1 bridle',
    'cp -b -S .yaml x bridle',
    'mv --backup --suffix=.yaml x bridle',
    'SIMPLE_BACKUP_SUFFIX=.yaml cp -b x bridle',
    'patch -z .yaml bridle p',
    'split -a 1 f bridle.yam',
    'split -a 1 --additional-suffix=.yaml f bridl',
    "csplit -f bridle -b '.yaml%.0d' f 1",
    "curl -o 'bridle.#1' 'http://other.test/{yaml}'",
    'cp --parents .host/settings.json other',
    'cp -T x .',
    'gunzip -S x bridle.yamlx',
    'xz -d --files=list',
    'zstd -d --filelist list',
    'gunzip "$x"',
    'git clean -fdx',
    'cd sub && echo x > /dev/fd/../../self/cwd/../bridle.yaml',
    'cd sub && echo x > ../own/../bridle.yaml',
    'echo x > own/bridle.yaml',
    'cd own/sub && echo x > ../bridle.yaml',
    'tee sub/../own/sub/../bridle.yaml',
    'curl -w "$format" http://other.test/',
    "curl -w '%output{a}%output{bridle.yaml}' http://other.test/",
    'gcc -aux-info bridle.yaml x.c',
    'tar xf a.tar',
    'tar -x -f a.tar',
    'bsdtar xf a.zip',
    'tar xf a.tar -C "$x"',
    'tar xf a.tar -C ../home',
    'tar xf a.tar -C ../ws',
    "tar xf a.tar --wildcards 'b*' -C sub",
    'unzip a.zip',
    'unzip a.zip -d ..',
    'cpio -i < a',
    '7z x a.7z',
    'unrar e a.rar',
    'ar x a.a',
    'jar xf a.jar',
    'patch -i p',
    'patch -p1 < p',
    'patch -d ../home -i p',
    'git apply p',
    'git apply --check --apply p',
    'git -C ../home apply p',
    'git -C "$x" pull',
    'git -C .. pull',
    'git -C . pull',
    'git -C .. checkout x',
    'git -C ../home clean -fdx',
    'git stash',
    'git stash pop',
    'git reset --hard',
    'git checkout-index -fa',
    'git read-tree -u x',
    "git checkout x -- ':/bridle.yaml'",
    "git restore ':(top)bridle.yaml'",
    "git restore 'bridle.*'",
    "git rm '*.yaml'",
    'git restore --pathspec-from-file=list',
    'git checkout x .',
    'git clone http://other.test/.host',
    'ln -s /other/.host',
    'cp -rT other .',
    "find . -name '*.log' -not -path './x/*' -delete",
    'find . -type f -empty -delete',
    'find ./ -mtime +31 -delete',
  ])(proves('D11')('are asked about if Bridle cannot tell: %s'), (text) => {
    expect(line(text)).toBe('ask');
  });

  it.each([
    'echo > out.txt',
    'echo > sub/bridle.yaml.bak',
    'echo hello | unheard-of-program --flag',
    'echo > "$name.log"',
    'echo 2> /dev/null',
    'cd sub && echo > note',
    'cd sub && echo > bridle.yaml',
    'cd sub; echo > note',
    'mkdir -p new && cd new && echo > note',
    'pushd sub && echo > bridle.yaml && popd',
    'cat bridle.yaml',
    'mkdir -p sub/new',
    'rm -rf other',
    'cp other/x .',
    'unheard-of-program .',
    'echo done && ls -la . | head',
    'gzip bridle.yaml.bak',
    'gunzip -c bridle.yaml.gz',
    'sed -i.bak s/a/b/ x',
    "sed -i '' s/a/b/ x",
    'perl -i~ -pe 1 x',
    'cp -b x y',
    'curl -o page.html http://other.test/',
    'cp -T x y',
    'gunzip sub/data.json.gz',
    'gunzip -t bridle.yaml.gz',
    'tar tf a.tar',
    'tar cf a.tar sub',
    'tar xf a.tar -C sub',
    'unzip -l a.zip',
    'unzip a.zip -d sub',
    '7z l a.7z',
    'patch --dry-run -i p',
    'patch -d sub -i p',
    'git apply --check p',
    'git apply --stat p',
    'git -C sub apply p',
    'git -C . status',
    'git pull',
    'git checkout main',
    'git checkout -b topic',
    'git merge main',
    'git add . && git commit -m x',
    'npm install',
    'make',
    'make -C sub',
    'gcc -Wall a.c',
    'tsc',
    "curl -w '%{http_code}' http://other.test/",
    'curl -O http://other.test/a.txt',
  ])(proves('D11')('do not matter for: %s'), (text) => {
    expect(line(text)).toBe('nothing');
  });

  it(proves('D11')('are asked about if a tool runs another shell'), () => {
    expect(verdict({ code: 'x' }, { name: 'fish', commands: ['code'] })).toBe('ask');
  });

  it(proves('D11')('are forbidden before every allow rule, and asked about only if somebody can answer'), async () => {
    const compiled = compilePolicy([...rules], { tools: builtinTools });
    const decide = async (command_line: string): Promise<string> => {
      const { effect, rule } = await compiled.decide({ tool: 'run_command', args: { command_line } });
      return `${effect} ${rule?.name}`;
    };
    expect(await decide(`echo > ${policy}`)).toBe('deny protected_files');
    expect(await decide('echo > "$x"')).toBe('deny protected_files_unsure');
    const asking = compilePolicy([...rules], { tools: builtinTools, approver: () => ({ type: 'approved' }) as never });
    const asked = await asking.decide({ tool: 'run_command', args: { command_line: 'echo > "$x"' } });
    expect(asked).toMatchObject({ effect: 'ask', reason: expect.stringContaining('$x') as string });
  });

  it.each([
    [
      'rm -rf .',
      `This changes what "." contains: "${policy}" controls this session (policy, trust, store, keys, hooks or Bridle itself), and only people may change it.`,
    ],
    [
      'cp x sub/link.log',
      `This writes "sub/link.log": "${policy}" controls this session (policy, trust, store, keys, hooks or Bridle itself)`,
    ],
    ['unheard-of-program bridle.yaml', 'This may write "bridle.yaml": '],
    [`cat ${key}`, `This reads "${key}": "${key}" is kept secret from agents.`],
    [
      'echo > "$x"',
      'Bridle cannot tell whether this writes a file that controls this session (policy, trust, store, keys, hooks or Bridle itself): the line does not show',
    ],
    [
      'tar xf a.tar',
      `Bridle cannot tell whether this writes a file that controls this session (policy, trust, store, keys, hooks or Bridle itself): it works on ".", and`,
    ],
    ['python3 -c "bridle.yaml"', `: its code or words mention "${policy}".`],
  ])(proves('D11', 'P11')('give a reason that names the file and what is known about it: %s'), (command_line, text) => {
    const call = callOf({ command_line });
    const findings = rules.map((rule) => rule.check(call, tool('run_command')));
    expect(findings.find(({ matched }) => matched)?.reason).toContain(text);
  });

  it(proves('D11')('deny with a reason if there is nobody to ask'), async () => {
    const compiled = compilePolicy([...rules], { tools: builtinTools });
    const { reason } = await compiled.decide({ tool: 'run_command', args: { command_line: 'echo > "$x"' } });
    expect(reason).toMatch(
      /^Bridle cannot tell .*\. There is nobody to ask\. A person can run it outside of the session\.$/,
    );
  });

  it('that are not secret may be read by any program', () => {
    const run = tool('run_command');
    for (const rule of protectFiles(() => [policy]))
      expect(rule.check(callOf({ command_line: 'echo < "$any"' }), run).matched).toBe(false);
  });

  it('are listed again for each call', () => {
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
  const guard = new ProtectedPaths([policy, missing, state].map((path) => ({ path })));
  const found = filesOfAnalysis(
    { files, unknown: undefined, filesUnknown: undefined, foreign: [], commands: [] },
    ws,
  ).files;
  return found.flatMap(({ locations }) => locations.map((location) => guard.relation(location)));
};

/** A destination for files with these names. */
const named = (...names: readonly string[]): object => ({
  reach: 'into',
  sources: names.map((path) => ({ mode: 'read', path, text: path, from: [''] })),
});

describe('a path that a line touches', () => {
  it('is compared name by name, by its own path and its target', () => {
    expect(relation('bridle.yaml')).toEqual(['at']);
    expect(relation('bridle.yaml/')).toEqual(['at']);
    expect(relation('bridle.yaml2')).toEqual(['apart']);
    expect(relation('.')).toEqual(['above']);
    expect(relation('.', named('bridle.yaml', 'x'))).toEqual(['at', 'apart']);
    expect(relation('..', named('ws'))).toEqual(['above']);
    expect(relation('bridle.yaml', { from: ['sub', ''] })).toEqual(['apart', 'at']);
    expect(relation('../bridle.yaml', { from: ['', 'sub'] })).toEqual(['apart', 'at']);
  });

  it('may end like a protected file', () => {
    const guard = new ProtectedPaths([policy, state].map((path) => ({ path })));
    for (const ends of [undefined, '.yaml', '/bridle.yaml', 'e.yaml', '.json', '/ws', '/.', '/', 'ws'])
      expect(guard.mayEndWith(ends), ends).toBe(true);
    for (const ends of ['.log', '/yaml', '/x.yaml', '%']) expect(guard.mayEndWith(ends), ends).toBe(false);
  });
});
