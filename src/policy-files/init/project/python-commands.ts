/** Finds the commands that test and check a Python project, by what its files mention. */

import type { FolderView } from './folder-view.ts';
import type { ProjectCommand } from './project.ts';

/** For each tool: its name in a manifest, its configuration files, its commands, and whether `python -m` can run it. */
const tools: readonly {
  readonly word: string;
  readonly files: readonly string[];
  readonly lines: readonly string[];
  readonly isModule?: true;
}[] = [
  {
    word: 'pytest',
    files: ['pytest.ini', 'conftest.py', 'tests/conftest.py', 'test/conftest.py'],
    lines: ['pytest'],
    isModule: true,
  },
  { word: 'tox', files: ['tox.ini'], lines: ['tox'] },
  { word: 'nox', files: ['noxfile.py'], lines: ['nox'] },
  {
    word: 'ruff',
    files: ['ruff.toml', '.ruff.toml'],
    lines: ['ruff check', 'ruff check --fix', 'ruff format'],
  },
  { word: 'black', files: [], lines: ['black'], isModule: true },
  { word: 'isort', files: ['.isort.cfg'], lines: ['isort'], isModule: true },
  { word: 'flake8', files: ['.flake8'], lines: ['flake8'], isModule: true },
  { word: 'pylint', files: ['.pylintrc'], lines: ['pylint'], isModule: true },
  { word: 'mypy', files: ['mypy.ini', '.mypy.ini'], lines: ['mypy'], isModule: true },
  { word: 'bandit', files: ['.bandit'], lines: ['bandit'] },
  { word: 'pyright', files: ['pyrightconfig.json'], lines: ['pyright'] },
];

/** Install what the manifest and the lock file list. */
const installs: Readonly<Record<string, string>> = {
  uv: 'uv sync',
  poetry: 'poetry install',
  pdm: 'pdm install',
  pipenv: 'pipenv install',
  pip: 'pip install -r requirements.txt',
};

const managers: readonly (readonly [file: string, manager: string, run: string])[] = [
  ['uv.lock', 'uv', 'uv run '],
  ['poetry.lock', 'poetry', 'poetry run '],
  ['pdm.lock', 'pdm', 'pdm run '],
  ['Pipfile', 'pipenv', 'pipenv run '],
];

/** Folders of virtual environments. */
const environments = ['.venv', 'venv'];

const sources = ['pyproject.toml', 'requirements.txt', 'requirements-dev.txt', 'setup.py', 'setup.cfg', 'Pipfile'];

export function pythonManager(view: FolderView): string {
  return managerOf(view)[1];
}

export function pythonCommands(view: FolderView): ProjectCommand[] {
  const [, manager, run] = managerOf(view);
  const text = sources.map((file) => view.text(file) ?? '').join('\n');
  const isPackage = /^\[(?:build-system|project)\]/m.test(text);
  const found = tools.filter(({ word, files }) => mentions(text, word) || files.some((file) => view.has(file)));
  const programs = found.flatMap(({ lines }) => lines);
  const modules = found.filter(({ isModule }) => isModule === true).flatMap(({ lines }) => lines);
  const scripts = [
    ...modules.map((line) => `-m ${line}`),
    ...ownTests(view),
    ...(isPackage ? ['-m build', '-m compileall'] : []),
  ];
  const pythons = ['python', 'python3'];
  const lines = [...programs, ...pythons.flatMap((python) => scripts.map((script) => `${python} ${script}`))];
  const environment = environments.find((name) => view.has(`${name}/bin/python`));
  const tests = [
    ...(run === 'uv run ' && isPackage ? ['uv build'] : []),
    ...(run === '' ? [] : [...programs, ...scripts.map((script) => `python ${script}`)].map((line) => run + line)),
    // An activated environment needs no prefix.
    ...lines,
    ...(environment === undefined ? [] : lines.map((line) => `${environment}/bin/${line}`)),
  ].map((line) => ({ line }));
  const install = manager === 'pip' && !view.has('requirements.txt') ? undefined : installs[manager];
  return install === undefined ? tests : [...tests, { line: install, starts: true }];
}

/** The built-in test runners of Python and Django. */
function ownTests(view: FolderView): readonly string[] {
  if (view.has('manage.py')) return ['manage.py test', 'manage.py check'];
  const isTested =
    ['tests', 'test'].some((name) => view.has(name)) || view.names().some((name) => /^test_.*\.py$/.test(name));
  return isTested ? ['-m unittest', '-m unittest discover'] : [];
}

function managerOf(view: FolderView): readonly [file: string, manager: string, run: string] {
  const byLock = managers.find(([file]) => view.has(file));
  if (byLock !== undefined) return byLock;
  const project = view.text('pyproject.toml') ?? '';
  const bySection = managers.find(([, name]) => project.includes(`[tool.${name}`));
  return bySection ?? ['', 'pip', ''];
}

function mentions(text: string, word: string): boolean {
  return new RegExp(String.raw`(?<![\w-])${word}(?![\w])`).test(text);
}
