/** One row per kind of project: the files that identify it, and the commands that test, build and check it. */

import type { FolderView } from './folder-view.ts';
import { isUsualScript, nodeCommands, nodeManager, scriptsOf } from './node-commands.ts';
import type { ProjectCommand } from './project.ts';
import { pythonCommands, pythonManager } from './python-commands.ts';
import { objectIn, readJsonc } from './read-jsonc.ts';

interface LanguageRow {
  readonly name: string;
  /** File names; a name that starts with `*` is a suffix. */
  readonly manifests: readonly string[];
  readonly manager?: string | ((view: FolderView) => string);
  /** Lines, or commands with what they run. */
  readonly commands: readonly string[] | ((view: FolderView) => readonly (string | ProjectCommand)[]);
}

const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
const justfiles = ['justfile', 'Justfile', '.justfile'];
const taskfiles = ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'];

export const projectLanguages: readonly LanguageRow[] = [
  { name: 'Node.js', manifests: ['package.json'], manager: nodeManager, commands: nodeLines },
  { name: 'Deno', manifests: ['deno.json', 'deno.jsonc'], manager: 'deno', commands: denoLines },
  {
    name: 'Python',
    manifests: ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile', 'tox.ini', 'manage.py'],
    manager: pythonManager,
    commands: pythonCommands,
  },
  {
    name: 'Rust',
    manifests: ['Cargo.toml', 'rust-toolchain.toml', 'rust-toolchain'],
    manager: 'cargo',
    // `cargo tree` and `go list` download what the manifest lists. They are allowed because changing the manifest is
    // asked about.
    commands: each('cargo', 'check', 'build', 'test', 'nextest run', 'bench', 'clippy', 'fmt', 'tree'),
  },
  { name: 'Go', manifests: ['go.mod', 'go.work'], manager: 'go', commands: goLines },
  {
    name: 'Java',
    manifests: ['pom.xml'],
    manager: 'maven',
    commands: (view) => withWrapper(view, 'mvnw', each('mvn', 'compile', 'test', 'verify')),
  },
  {
    name: 'Java or Kotlin',
    manifests: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    manager: 'gradle',
    commands: (view) => withWrapper(view, 'gradlew', each('gradle', 'build', 'test', 'check', 'assemble', 'lint')),
  },
  { name: 'Ruby', manifests: ['Gemfile'], manager: 'bundler', commands: rubyLines },
  { name: 'PHP', manifests: ['composer.json'], manager: 'composer', commands: composerCommands },
  {
    name: '.NET',
    manifests: ['*.csproj', '*.fsproj', '*.sln'],
    manager: 'dotnet',
    commands: each('dotnet', 'build', 'test', 'format'),
  },
  { name: 'Elixir', manifests: ['mix.exs'], manager: 'mix', commands: each('mix', 'compile', 'test', 'format') },
  { name: 'Terraform', manifests: ['*.tf'], manager: 'terraform', commands: each('terraform', 'fmt', 'validate') },
  {
    name: 'pre-commit',
    manifests: ['.pre-commit-config.yaml'],
    manager: 'pre-commit',
    commands: ['pre-commit run'],
  },
  {
    name: 'CMake',
    manifests: ['CMakeLists.txt'],
    // The conventional `build` folder.
    commands: ['cmake -S . -B build', 'cmake -B build', 'cmake --build build', 'ctest --test-dir build'],
  },
  {
    name: 'Make',
    manifests: makefiles,
    commands: targetsIn('make', makefiles, /^([A-Za-z][\w-]{0,40})[ \t]*:(?![=:])/gm),
  },
  {
    name: 'just',
    manifests: justfiles,
    commands: targetsIn('just', justfiles, /^@?([A-Za-z][\w-]{0,40})(?:[ \t]+[^:=\n]*)?:(?!=)/gm),
  },
  {
    name: 'Task',
    manifests: taskfiles,
    commands: targetsIn('task', taskfiles, /^ {2}(?! )["']?([A-Za-z][\w:-]{0,40}?)["']?:[ \t]*$/gm),
  },
];

function each(program: string, ...tasks: readonly string[]): readonly string[] {
  return tasks.map((task) => `${program} ${task}`);
}

/** The program, and the project's wrapper script for it. */
function withWrapper(view: FolderView, script: string, lines: readonly string[]): readonly string[] {
  const wrapped = lines.map((line) => line.replace(/^\w+/, `./${script}`));
  return view.has(script) ? [...wrapped, ...lines] : lines;
}

/** Targets that are written literally, in the first of the files that exists: `make test` and the like. */
function targetsIn(program: string, files: readonly string[], target: RegExp): (view: FolderView) => readonly string[] {
  return (view) => {
    const text = view.text(files.find((name) => view.has(name)) ?? '') ?? '';
    const found = new Set(Array.from(text.matchAll(target), ([, name = '']) => name));
    return each(program, ...[...found].filter((name) => name === 'all' || isUsualScript(name)));
  };
}

function nodeLines(view: FolderView): readonly (string | ProjectCommand)[] {
  const folders = ['test', 'tests'].filter((name) => view.has(name));
  const tests = folders.flatMap((name) => ['node --test', `node --test ${name}/`]);
  return [...nodeCommands(view, nodeManager(view)), ...tests];
}

function denoLines(view: FolderView): readonly string[] {
  const manifest = readJsonc(view.text('deno.json') ?? view.text('deno.jsonc') ?? '');
  const tasks = Object.keys(objectIn(manifest, 'tasks') ?? {}).filter(isUsualScript);
  return each('deno', 'test', 'check', 'lint', 'fmt', ...tasks.map((name) => `task ${name}`));
}

function goLines(view: FolderView): readonly (string | ProjectCommand)[] {
  const isLinted = view.names().some((name) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(name));
  const programs = view.names('cmd').map((name) => `run ./cmd/${name}`);
  const starts = each('go', 'run', 'run .', ...programs, 'generate', 'mod download', 'mod tidy');
  return [
    ...each('go', 'build', 'test', 'tool cover', 'vet', 'list', 'fmt'),
    'gofmt',
    'gofmt -w',
    'goimports',
    'goimports -w',
    'staticcheck',
    ...(isLinted ? ['golangci-lint run'] : []),
    ...starts.map((line) => ({ line, starts: true as const })),
  ];
}

function rubyLines(view: FolderView): readonly string[] {
  const usesRubocop = view.has('.rubocop.yml') || view.text('Gemfile')?.includes('rubocop') === true;
  return [
    ...(view.has('spec') || view.has('.rspec') ? ['bundle exec rspec', 'rspec'] : []),
    ...(view.has('Rakefile') ? ['bundle exec rake test', 'rake test'] : []),
    ...(view.has('bin/rails') ? ['bin/rails test', 'rails test'] : []),
    ...(usesRubocop ? ['bundle exec rubocop', 'rubocop'] : []),
  ];
}

function composerCommands(view: FolderView): readonly ProjectCommand[] {
  const scripts = scriptsOf(readJsonc(view.text('composer.json') ?? ''));
  return scripts.flatMap(({ name, runs }) => [
    ...(name === 'test' ? [{ line: 'composer test', runs }] : []),
    { line: `composer run ${name}`, runs },
  ]);
}
