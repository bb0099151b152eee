import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { lineRunsOnly } from '../../index.ts';

const entries = ['npm test', 'npm run lint', 'pnpm test', 'pnpm run lint', 'yarn test', 'yarn run lint'];

function isAllowed(line: string): boolean {
  return lineRunsOnly(line, entries) === true;
}

describe('arguments for a script of the project', () => {
  it.each([
    'npm test -- src/a.test.ts',
    'npm test src/a.test.ts',
    'npm test -- --watch=false src/a.test.ts src/b.test.ts',
    'npm test -- -t "adds numbers" --reporter=verbose',
    'npm test -- --run --coverage --bail 1',
    'npm test -- --changed',
    'npm test -- --testNamePattern="adds two" --shard=1/3 --maxWorkers=50%',
    'npm test -- -t "adds (two) numbers"',
    "npm test -- 'tests/test_a.py::test_b[one-2]'",
    "npm run lint -- 'src/**/*.ts'",
    "npm run lint -- '**/*.{ts,tsx}'",
    'npm test -- -k "not slow" -xvs tests/test_a.py::test_b',
    'npm test -w packages/web -- --run',
    'npm test --workspaces --if-present',
    'npm run lint -- --fix',
    'npm run lint -- --max-warnings 0 .',
    'npm run lint -- src/*.ts',
    'pnpm test --coverage src/a.test.ts',
    'pnpm test -- --run',
    'pnpm run lint --fix src',
    'yarn test -u',
    'yarn run lint --fix',
  ])(proves('X03')('are harmless as paths, filters and usual options: %s'), (line) => {
    expect(isAllowed(line)).toBe(true);
  });

  it.each([
    'npm test -- --config other.js',
    'npm test -- -i',
    'npm test -- --config=other.js',
    'npm test -- -c other.js',
    'npm test -- --require ./x.js',
    'npm test -- -r ./x.js',
    'npm test -- --globalSetup ./x.js',
    'npm test -- --reporter=./x.js',
    'npm test -- --reporter=x.mjs',
    'npm test -- --changed=--output=../outside/x',
    'npm test -- --changed=main',
    'npm test -- --filter=[--output=x]',
    'npm test -- --filter=../x',
    'npm test -- --grep=$(x)',
    'npm test -- @args',
    "npm run lint -- '{..,x}/*.js'",
    "npm run lint -- '[.][.]/x.js'",
    "npm run lint -- 'bridle.y*'",
    "npm run lint -- '.e*'",
    "npm run lint -- '!(x)'",
    "npm run lint -- '(.env|x)'",
    String.raw`npm run lint -- '\.env'`,
    "npm run lint -- '**/*.json'",
    'npm test -- --reporter ./x.js',
    'npm test -- --reporters=x',
    'npm test -- -o out.txt',
    'npm test -- --outputFile=out.txt',
    'npm test -- --exec x',
    'npm test -- -e 1',
    'npm test -- --eval=1',
    'npm test -- -f x.mk',
    'npm test -- CC=./x',
    'npm test -- @options',
    'npm test -- -- --require ./x.js',
    'npm test -- "$x"',
    'npm test -- --inspect',
    'npm test --script-shell ./x',
    'npm test --prefix=evil',
    'npm test -C evil',
    'npm --prefix evil test',
    'npm -w packages/web test',
    'npm run lint other -- --rulesdir x',
    'pnpm test --config other.js',
    'pnpm test --require ./x.js',
    'pnpm -C evil test',
    'pnpm run lint --resolve-plugins-relative-to x',
    'yarn test --globalSetup x',
    'yarn --cwd evil test',
  ])(proves('X03')('are not harmless if they name other code or a file to write, or are unknown: %s'), (line) => {
    expect(isAllowed(line)).toBe(false);
  });
});
