import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { runs as count } from '../../../../test/property-runs.ts';
import { oddLines } from '../../../../test/shell/odd-lines.ts';
import { everydayLines, everydayOpaqueLines } from '../../../../test/shell/everyday-programs.ts';
import { isLineOpaque } from './call-facts.ts';
import { opaque } from '../../index.ts';

const own = ['npm test', 'npm run build', 'npx vitest run', 'npx eslint', 'go build', 'make test', './tool'];
const isOpaque = (line: string): unknown => {
  const truth = isLineOpaque(line, own);
  return typeof truth === 'boolean' ? truth : 'unknown';
};

describe('opaque() with commands', () => {
  it.each([
    'npm test',
    'npm test > out.txt 2>&1; tail out.txt',
    'npm test 2>&1 | tee test.log | grep FAIL',
    'mkdir -p out && npm run build',
    'CI=1 npm test',
    'NODE_ENV="test" npx vitest run',
    'export CI=true && npm test',
    'env FORCE_COLOR=0 timeout 60 npm test',
    'nohup npm test > dev.log 2>&1 &',
    'go build -o bin/server ./cmd/server',
    'npx eslint src/app.ts --fix',
    'bash -c "npm test"',
    './tool; ls',
    'NODE_OPTIONS=--max-old-space-size=4096 npm run build',
    'PYTHONPATH=src make test',
    'GIT_PAGER=cat git log; npm test',
  ])(proves('X04')('%j hides only the work of the listed commands'), (line) => {
    expect(isLineOpaque(line)).toBe(true);
    expect(isOpaque(line)).toBe(false);
  });

  it.each([
    ['another program', 'npm test; ./deploy.sh'],
    ['another program', 'npm test && ~/tool'],
    ['another script', 'npm run deploy'],
    ['code', 'npm test; node -e 1'],
    ['code', 'make test; python3 - < tool.py'],
    ['a script', 'source ./env.sh && npm test'],
    ['an argument that is not harmless', 'npx vitest run --config other.ts'],
    ['an argument that is not harmless', 'npm test --prefix ../other'],
    ['words that are not known', 'npm test "$(cat names)"'],
    ['words that are not known', 'ls | xargs npm test'],
    ['a wrapper that chooses the program', 'npx --package=other vitest run'],
    ['a wrapper that reaches further', 'sudo npm test'],
    ['a wrapper that reaches further', 'sudo bash -c "npm test"'],
    ['another machine', 'ssh host npm test'],
    ['another machine', 'npm test > /dev/tcp/host/80'],
    ['a variable that changes programs', 'PATH=. npm test'],
    ['a variable that changes programs', 'env NODE_OPTIONS=-rx npm test'],
    ['a variable of the project', 'TARGET=production npm test'],
    ['a variable of the project', 'export TARGET=production; npm test'],
    ['a variable of the project', 'target=production npm test'],
    ['a variable that changes programs', 'PYTHONPATH=/tmp/x make test'],
    ['a variable that changes programs', 'export PYTHONPATH=src; make test'],
    ['a variable that changes programs', 'PYTHONPATH=src yamllint k8s; make test'],
    ['a variable that changes programs', 'PYTHONPATH=src yamllint k8s'],
    ['a variable that changes programs', "NODE_OPTIONS='--max-old-space-size=1 -r./x' npm test"],
    ['a variable that changes programs', 'GIT_PAGER="cat;x" npm test'],
    ['a value that is a path', 'NODE_ENV=../other npm test'],
    ['a value that is not known', 'CI=$(cat x) npm test'],
    ['another program of that name', 'hash -p ./other npm; npm test'],
    ['another program of that name', 'sub/npm test'],
  ])(proves('X04')('%s: %j'), (_what, line) => {
    expect(isOpaque(line)).toBe(true);
  });

  it(proves('X04')('is unknown if other commands may run'), () => {
    expect(isOpaque('$X; npm test')).toBe('unknown');
    expect(isOpaque('npm test | sh')).toBe('unknown');
  });

  it(proves('X04', 'X06')('is never false if anything else in the line is opaque or unknown'), () => {
    const lines = [...oddLines, ...everydayLines, ...everydayOpaqueLines].filter(
      (line) => isLineOpaque(line, ['x-y']) !== false,
    );
    const property = fc.property(
      fc.constantFrom(...lines),
      fc.constantFrom(...own),
      fc.tuple(fc.constantFrom('\n', ' && ', '; ', ' || ', ' | '), fc.boolean()),
      (other, entry, [joint, isFirst]) => {
        const line = isFirst ? `${entry}${joint}${other}` : `${other}${joint}${entry}`;
        if (isOpaque(other) === false) return;
        expect(isOpaque(line), line).not.toBe(false);
      },
    );
    fc.assert(property, { numRuns: count(500) });
  });

  it(proves('X04')('is false wherever opaque() is false, and equals opaque() without commands'), () => {
    for (const line of [...oddLines, ...everydayLines, ...everydayOpaqueLines]) {
      if (isLineOpaque(line) === false) expect(isOpaque(line), line).toBe(false);
      expect(isLineOpaque(line, [])).toEqual(isLineOpaque(line));
    }
  });

  it('rejects an entry that is not a command', () => {
    expect(() => opaque('npm test; ls')).toThrow('not a single command');
    expect(() => opaque(['npm test'] as unknown as string)).toThrow('separate arguments');
  });
});
