/** How a Python project is tested and checked, by what its files mention. */

import type { FolderView } from './folder-view.ts';
import type { ProjectCommand } from './project.ts';

/** The words a tool is known by in a manifest or by a file of its own, and what is run. */
const tools: readonly {
  readonly word: string;
  readonly files: readonly string[];
  readonly lines: readonly string[];
}[] = [
  { word: 'pytest', files: ['pytest.ini', 'conftest.py', 'tests/conftest.py'], lines: ['pytest'] },
  { word: 'tox', files: ['tox.ini'], lines: ['tox'] },
  { word: 'nox', files: ['noxfile.py'], lines: ['nox'] },
  { word: 'ruff', files: ['ruff.toml', '.ruff.toml'], lines: ['ruff check', 'ruff format'] },
  { word: 'black', files: [], lines: ['black .', 'black --check .'] },
  { word: 'flake8', files: ['.flake8'], lines: ['flake8'] },
  { word: 'mypy', files: ['mypy.ini', '.mypy.ini'], lines: ['mypy .'] },
  { word: 'pyright', files: ['pyrightconfig.json'], lines: ['pyright'] },
];

const managers: readonly (readonly [file: string, manager: string, run: string])[] = [
  ['uv.lock', 'uv', 'uv run '],
  ['poetry.lock', 'poetry', 'poetry run '],
  ['pdm.lock', 'pdm', 'pdm run '],
  ['Pipfile', 'pipenv', 'pipenv run '],
];

const sources = ['pyproject.toml', 'requirements.txt', 'requirements-dev.txt', 'setup.py', 'setup.cfg', 'Pipfile'];

export function pythonManager(view: FolderView): string {
  return managerOf(view)[1];
}

export function pythonCommands(view: FolderView): ProjectCommand[] {
  const [, , run] = managerOf(view);
  const text = sources.map((file) => view.text(file) ?? '').join('\n');
  const found = tools.filter(({ word, files }) => mentions(text, word) || files.some((file) => view.has(file)));
  const lines = found.flatMap((tool) => tool.lines);
  // An activated environment needs no prefix.
  return [...(run === '' ? [] : lines.map((line) => run + line)), ...lines].map((line) => ({ line }));
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
