import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import type { ToolCall } from '../../../kernel/call.ts';
import type { ToolDeclaration } from '../../../kernel/tool.ts';
import { isUnknown, type Fact } from '../../truth.ts';
import { readsFact, writesFact } from '../file-facts.ts';
import { readsInsideFact } from '../inside-facts.ts';

const bash: ToolDeclaration = { name: 'bash', commands: ['line'], touches: { bash: ['line'] } };
const base = realpathSync.native(mkdtempSync(join(tmpdir(), 'folders-')));
const ws = join(base, 'ws');

beforeAll(() => {
  for (const folder of ['ws/src/deep', 'ws/packages/api', 'ws/a/b', 'out/sub', 'ws/with blank', 'ws/-dash', 'links'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['ws/.env', 'ws/README.md', 'ws/src/index.ts', 'ws/packages/api/.env', 'out/secret', 'out/.env'])
    writeFileSync(join(base, file), 'x');
  symlinkSync('../out/sub', join(ws, 'far'));
  symlinkSync('src', join(ws, 'lib'));
  symlinkSync('../.env', join(ws, 'src/link.ts'));
  symlinkSync('../ws/src', join(base, 'links/src'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function ask(fact: Fact, line: string, cwd = ws): string {
  const args = { line };
  const call = { id: '1', tool: 'x', args, cwd, agent: [], tier: 'confirm', displayName: 'x' } as unknown as ToolCall;
  const truth = fact(call, bash);
  return isUnknown(truth) ? '?' : truth ? 'yes' : 'no';
}

function why(line: string): unknown {
  return readsFact('**/.env')({ args: { line }, cwd: ws } as unknown as ToolCall, bash);
}

const readsEnv = (line: string, cwd?: string): string => ask(readsFact('**/.env'), line, cwd);

describe('after a change of folder', () => {
  it.each([
    ['cd src && ls', 'no'],
    ['cd src && cat index.ts', 'no'],
    ['(cd src && ls)', 'no'],
    ['pushd src && ls && popd', 'no'],
    ['pushd src >/dev/null && ls; popd', 'no'],
    ['cd src; ls; cd ..; cat README.md', 'no'],
    ['cd src || exit 1; ls', 'no'],
    ['if cd src; then ls; fi', 'no'],
    ['cd src && ls && cd - && ls', 'no'],
    ['cd a && (cd b && ls) && ls', 'no'],
    ['cd .. && ls', 'no'],
    ['cd "with blank" && cat x', 'no'],
    ['cd -- -dash && cat x', 'no'],
    ['cd missing && cat x', 'no'],
    ['cd src && cat ../.env', 'yes'],
    ['cd src && cat link.ts', 'yes'],
    ['cd src && cd .. && cat .env', 'yes'],
    ['cd src; cat .env', 'yes'],
    ['cd src; cat link.ts', '?'],
    ['cd packages/api && cat .env', 'yes'],
    ['cd packages/api; cat .env', 'yes'],
    ['cd packages/api || exit 1; cat .env', 'yes'],
    [`cd ${ws} && cat .env`, 'yes'],
    ['cd "$x" && cat y', '?'],
    ['cd "$(git rev-parse --show-toplevel)" && ls', '?'],
    // The shell resolves folders as text, the kernel resolves paths.
    ['cd far && cat ../.env', 'yes'],
    ['cd far && cd .. && cat .env', 'yes'],
    ['cd far && cat ../secret', 'no'],
    ['cd far/.. && cat .env', 'yes'],
    ['cd far/../src && cat ../.env', '?'],
    ['cd lib/../src && cat ../.env', 'yes'],
    ['cd -P far && cat ../.env', 'yes'],
    // In each possible folder.
    ['cd src && cat *.ts', 'yes'],
    ['cd src; cat *.ts', '?'],
    ['cd src/deep && cat *.ts', 'no'],
    ['cd a && cat *', 'no'],
    ['cd a; cat *.md', 'no'],
    ['cd src && rg foo', 'no'],
    ['cd a && rg foo', 'no'],
    ['cd src/deep && grep -r foo', 'no'],
    ['grep -r foo', '?'],
  ])(proves('X08')('reads .env or not: %s'), (line, expected) => {
    expect(readsEnv(line)).toBe(expected);
  });

  it.each([
    'mkdir x && cd x && cat y',
    'mkdir -p x/y && cd x && cat y',
    'mkdir -p src && cd src && cat y',
    'ln -s .. x && cd x && cat y',
    'ln -sfn .. src && cd src && cat y',
    'mv a/b x && cd x && cat y',
    'mv src old; mv a src; cd src && cat y',
    'rm -rf src; cd src && cat y',
    'rm -rf *; cd src && cat y',
    'rm -rf sr?; cd src && cat y',
    'rm -rf "$x"; cd src && cat y',
    'cp -r a x && cd x && cat y',
    'tar xf a.tar && cd src && cat y',
    'git clone http://other.test/x && cd x && cat y',
    'git checkout main -- . && cd src && cat y',
    'ln -sfn / ../out/sub; cd far && cat y',
    'ln -sfn / far; cd far && cat y',
    'ln -sfn / far & cd far && cat y',
    '(cd far && cat y) & ln -sfn / far',
    'for i in 1 2; do (cd far && cat y); ln -sfn / far; done',
    'cd src && mv ../a ../old && cd ../a && cat y',
    'cd src && mv ../../ws ../../old && cd .. && cat y',
    'npm run build && cd dist && cat y',
    'cd src/deep && mv ../../src ../../x && cat y',
    'cd src && mv ../src ../x && cat y',
  ])(proves('X08')('is unknown if the line may create or replace the folder: %s'), (line) => {
    expect(readsEnv(line)).toBe('?');
  });

  it.each([
    'cd src && rm -rf . && cat y',
    'cd src && mkdir x && cat y',
    'rm -rf a; cd src && cat y',
    'rm -f *.log; cd src && cat y',
    'rm -f src/*; cd src && cat y',
    'touch src/x; cd src && cat y',
    'cp README.md src; cd src && cat y',
    'echo x > "$out"; cd src && cat y',
    'npm test && cd src && cat y',
  ])(proves('X08')('is known if the line changes something else: %s'), (line) => {
    expect(readsEnv(line)).toBe('no');
  });

  it(proves('X08')('considers both parents of a start folder that is spelled with a link'), () => {
    const cwd = join(base, 'links/src');
    expect(ask(readsFact('ws/.env'), 'cd .. && cat .env', cwd)).toBe('no');
    expect(ask(readsFact(join(ws, '.env')), 'cd .. && cat .env', cwd)).toBe('?');
    expect(ask(readsFact(join(ws, '.env')), 'cat ../.env', cwd)).toBe('yes');
    expect(ask(readsFact(join(ws, '.env')), 'cd .. && cat .env', join(ws, 'src'))).toBe('yes');
  });

  it(proves('X08')('names the folder that is unknown'), () => {
    expect(why('cd $d && cat x')).toMatchObject({ why: 'the folder after `cd $d` is not known' });
    expect(why('mkdir x && cd x && cat y')).toMatchObject({
      why: 'the line itself may create or replace the folder "x"',
    });
    expect(why('for i in 1; do cd a; done; cat y')).toMatchObject({ why: expect.stringContaining('loop') as string });
    expect(ask(readsInsideFact(['.']), 'cd src && cat x')).toBe('yes');
    expect(ask(readsInsideFact(['.']), 'cd .. && cat x')).toBe('no');
    expect(ask(writesFact('x'), 'cd src; rm x')).toBe('?');
    expect(ask(writesFact('{x,src/x}'), 'cd src; rm x')).toBe('yes');
  });
});
