/** Finds the commands that test and check a Python project, by what its files mention. */

import type { FolderView } from './folder-view.ts';
import type { ProjectCommand } from './project.ts';

/** For each tool: its name in a manifest, its configuration files, its commands, and whether `python -m` can run it. */
const tools: readonly (readonly [
  word: string,
  files: readonly string[],
  lines: readonly string[],
  isModule?: 'module',
])[] = [
  ['pytest', ['pytest.ini', 'conftest.py', 'tests/conftest.py', 'test/conftest.py'], ['pytest'], 'module'],
  ['tox', ['tox.ini'], ['tox']],
  ['nox', ['noxfile.py'], ['nox']],
  ['ruff', ['ruff.toml', '.ruff.toml'], ['ruff check', 'ruff check --fix', 'ruff format']],
  ['black', [], ['black'], 'module'],
  ['isort', ['.isort.cfg'], ['isort'], 'module'],
  ['flake8', ['.flake8'], ['flake8'], 'module'],
  ['pylint', ['.pylintrc'], ['pylint'], 'module'],
  ['mypy', ['mypy.ini', '.mypy.ini'], ['mypy'], 'module'],
  ['bandit', ['.bandit'], ['bandit']],
  ['pyright', ['pyrightconfig.json'], ['pyright']],
];

interface Manager {
  /** The file that shows its use. */
  readonly file: string;
  readonly name: string;
  /** How it runs a command. */
  readonly run: string;
  /** Installs what the manifest and the lock file list. */
  readonly install: string;
}

const managers: readonly Manager[] = [
  { file: 'uv.lock', name: 'uv', run: 'uv run ', install: 'uv sync' },
  { file: 'poetry.lock', name: 'poetry', run: 'poetry run ', install: 'poetry install' },
  { file: 'pdm.lock', name: 'pdm', run: 'pdm run ', install: 'pdm install' },
  { file: 'Pipfile', name: 'pipenv', run: 'pipenv run ', install: 'pipenv install' },
];
const pip: Manager = { file: 'requirements.txt', name: 'pip', run: '', install: 'pip install -r requirements.txt' };

/** Folders of virtual environments. */
const environments = ['.venv', 'venv'];

const sources = ['pyproject.toml', 'requirements.txt', 'requirements-dev.txt', 'setup.py', 'setup.cfg', 'Pipfile'];

export function pythonManager(view: FolderView): string {
  return managerOf(view).name;
}

export function pythonCommands(view: FolderView): ProjectCommand[] {
  const manager = managerOf(view);
  const { run, install } = manager;
  const text = sources.map((file) => view.text(file) ?? '').join('\n');
  const isPackage = /^\[(?:build-system|project)\]/m.test(text);
  const found = tools.filter(([word, files]) => mentions(text, word) || files.some((file) => view.has(file)));
  const programs = found.flatMap(([, , lines]) => lines);
  const modules = found.flatMap(([, , lines, isModule]) => (isModule === 'module' ? lines : []));
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
  return manager === pip && !view.has(pip.file) ? tests : [...tests, { line: install, starts: true }];
}

/** The built-in test runners of Python and Django. */
function ownTests(view: FolderView): readonly string[] {
  if (view.has('manage.py')) return ['manage.py test', 'manage.py check'];
  const isTested =
    ['tests', 'test'].some((name) => view.has(name)) || view.names().some((name) => /^test_.*\.py$/.test(name));
  return isTested ? ['-m unittest', '-m unittest discover'] : [];
}

function managerOf(view: FolderView): Manager {
  const project = view.text('pyproject.toml') ?? '';
  return (
    managers.find(({ file }) => view.has(file)) ?? managers.find(({ name }) => project.includes(`[tool.${name}`)) ?? pip
  );
}

function mentions(text: string, word: string): boolean {
  return new RegExp(String.raw`(?<![\w-])${word}(?![\w])`).test(text);
}
