import { describe, expect, it } from 'vitest';
import { proves } from '../../../../test/contract/cite.ts';
import { analyseCommand } from '../analysis/analyse-command.ts';
import { lineRunsOnly } from '../../index.ts';

const entries =
  `npx prettier, npx prettier --write, npx eslint, npx eslint --fix, npx vitest run, npx jest, npx mocha, npx playwright test, npx stylelint, npx biome check, npx turbo run test, pytest, python -m pytest, mypy, ruff check, ruff check --fix, black, flake8, rspec, rubocop, deno check, deno fmt, go list, pip list, cmake -B build`.split(
    /, /u,
  );

describe('operands of checkers, formatters and test runners', () => {
  it.each([
    "npx prettier --write 'src/**/*.ts'",
    "npx prettier --write '**/*.{ts,tsx}'",
    "npx prettier --check '**/*.{ts,json,md,yaml}'",
    "npx prettier --check './{src,test}/**/*.js'",
    'npx prettier --write src --parser typescript',
    "npx eslint 'src/*.test.js'",
    'npx eslint src/*.ts',
    "npx jest 'src/.*spec' -t 'a|b'",
    'npx vitest run --changed --reporter=default,junit --dir=src',
    'npx vitest run --changed=HEAD~1 --environment=jsdom',
    'npx mocha -R spec test',
    'npx playwright test --only-changed=main --reporter=line',
    "pytest 'tests/test_a.py::test_b[one two]'",
    'black src',
    'go list ./...',
    'go list -deps -json ./...',
    'go list -m all',
  ])(proves('X03', 'X12')('are harmless as paths and known patterns: %s'), (line) => {
    expect(lineRunsOnly(line, entries)).toBe(true);
  });

  it.each([
    "npx prettier --parser=markdown '.e*'",
    "npx prettier --write 'bridle.y*ml'",
    "npx prettier --write 'bridle.*'",
    "npx prettier --write '*.yaml'",
    "npx prettier --write 'p*.json'",
    "npx prettier --write '{..,x}/*.md'",
    "npx prettier --write '[.][.]/*/*.md'",
    "npx prettier --write '!(x)'",
    "npx prettier --write '(bridle|x).yaml'",
    String.raw`npx prettier '\.env'`,
    'npx prettier --parser=./x.js src',
    "npx eslint --fix '{..,x}/*.js'",
    'npx eslint -f x.js src',
    "npx eslint --fix '../**/*.js'",
    "npx stylelint '.e*'",
    "npx mocha '{..,x}/*.js'",
    'npx mocha -R x test',
    "npx vitest run --changed='--output=../x'",
    'npx vitest run --reporter=x.mjs',
    'npx vitest run --environment=x',
    'npx vitest run --pool=./x.ts',
    'npx jest --changedSince=--output=x',
    'npx jest --coverageReporters=./x.js',
    "npx playwright test --only-changed='x; touch ran'",
    'npx biome check --changed --since=--output=x',
    "npx turbo run test --filter='[--output=x]'",
    `for p in '{..,x}/*.js' src/a.js; do npx eslint "$p"; done`,
    `for p in @args tests; do pytest "$p"; done`,
    `p='{..,x}/*.js'; npx eslint "$p"`,
    'pytest @args',
    'python -m pytest @args',
    'mypy @args',
    'ruff check @args',
    "flake8 --show-source --filename='*.env'",
    String.raw`black --diff --include '\.env' .`,
    "rspec -P '{..,x}/*.rb'",
    "rubocop '{..,x}/*'",
    'deno check https://example.com/x.ts',
    "deno fmt '{..,x}/*'",
    'go list -m example.com/x@latest',
    'go list -m -u all',
    'go list -u -m -versions x',
    'pip list --outdated',
    'pip list -u',
    'cmake -B build -S other',
  ])(proves('X03', 'X04')('are not harmless if the program expands them further: %s'), (line) => {
    expect(lineRunsOnly(line, entries)).not.toBe(true);
  });

  it.each([
    ["npx prettier 'src/**/*.ts'", 'src'],
    ["npx prettier './src/*/a.ts'", './src'],
    ["npx prettier '**/*.ts'", '.'],
  ])(proves('X08')('read the folder of a known pattern: %s'), (line, folder) => {
    expect(JSON.stringify(analyseCommand(line).files)).toContain(`"${folder}"`);
  });

  it.each(['docker cp . c:/x', 'kubectl cp . pod:/x', 'docker compose cp . web:/x', '7z a x.7z .'])(
    proves('X08')('read a folder recursively: %s'),
    (line) => {
      const read = analyseCommand(line).files.filter(({ mode }) => mode === 'read');
      expect(JSON.stringify(read)).toContain('"tree"');
    },
  );
});
