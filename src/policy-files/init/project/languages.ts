/** One row per kind of project: the files that identify it, and the commands that test, build and check it. */

import type { FolderView } from './folder-view.ts';
import { nodeManager } from './node-manager.ts';
import { composerCommands, isUsualScript, nodeCommands } from './package-scripts.ts';
import type { ProjectCommand } from './project.ts';
import { pythonCommands, pythonManager } from './python-commands.ts';
import { objectIn, readJsonc } from './read-jsonc.ts';
import { justfiles, makefiles, targetCommands, taskfiles } from './make-targets.ts';

interface FoundLanguage {
  readonly manager: string | undefined;
  readonly commands: readonly ProjectCommand[];
}

interface LanguageRow {
  readonly name: string;
  /** File names; a name that starts with `*` is a suffix. */
  readonly manifests: readonly string[];
  readonly inspect: (view: FolderView) => FoundLanguage;
}

function fixedCommands(manager: string, ...lines: readonly string[]): (view: FolderView) => FoundLanguage {
  return () => ({ manager, commands: lines.map((line) => ({ line })) });
}

export const projectLanguages: readonly LanguageRow[] = [
  { name: 'Node.js', manifests: ['package.json'], inspect: inspectNode },
  { name: 'Deno', manifests: ['deno.json', 'deno.jsonc'], inspect: inspectDeno },
  {
    name: 'Python',
    manifests: ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile', 'tox.ini', 'manage.py'],
    inspect: (view) => ({ manager: pythonManager(view), commands: pythonCommands(view) }),
  },
  {
    name: 'Rust',
    manifests: ['Cargo.toml', 'rust-toolchain.toml', 'rust-toolchain'],
    // `cargo tree` and `go list` download what the manifest lists. They are allowed because changing the manifest is
    // asked about.
    inspect: fixedCommands(
      'cargo',
      ...['check', 'build', 'test', 'nextest run', 'bench', 'clippy', 'fmt', 'tree'].map((task) => `cargo ${task}`),
    ),
  },
  {
    name: 'Go',
    manifests: ['go.mod', 'go.work'],
    inspect: inspectGo,
  },
  {
    name: 'Java',
    manifests: ['pom.xml'],
    inspect: wrapperCommands('maven', ['mvn', 'mvnw'], ['compile', 'test', 'verify']),
  },
  {
    name: 'Java or Kotlin',
    manifests: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    inspect: wrapperCommands('gradle', ['gradle', 'gradlew'], ['build', 'test', 'check', 'assemble', 'lint']),
  },
  { name: 'Ruby', manifests: ['Gemfile'], inspect: inspectRuby },
  {
    name: 'PHP',
    manifests: ['composer.json'],
    inspect: (view) => ({
      manager: 'composer',
      commands: composerCommands(readJsonc(view.text('composer.json') ?? '')),
    }),
  },
  {
    name: '.NET',
    manifests: ['*.csproj', '*.fsproj', '*.sln'],
    inspect: fixedCommands('dotnet', 'dotnet build', 'dotnet test', 'dotnet format'),
  },
  { name: 'Elixir', manifests: ['mix.exs'], inspect: fixedCommands('mix', 'mix compile', 'mix test', 'mix format') },
  {
    name: 'Terraform',
    manifests: ['*.tf'],
    inspect: fixedCommands('terraform', 'terraform fmt', 'terraform validate'),
  },
  {
    name: 'pre-commit',
    manifests: ['.pre-commit-config.yaml'],
    inspect: fixedCommands('pre-commit', 'pre-commit run'),
  },
  { name: 'CMake', manifests: ['CMakeLists.txt'], inspect: inspectCmake },
  { name: 'Make', manifests: makefiles, inspect: targetsOf('make') },
  { name: 'just', manifests: justfiles, inspect: targetsOf('just') },
  { name: 'Task', manifests: taskfiles, inspect: targetsOf('task') },
];

function targetsOf(program: string): (view: FolderView) => FoundLanguage {
  return (view) => ({ manager: undefined, commands: targetCommands(view, program) });
}

/** The program, and the project's wrapper script for it. */
function wrapperCommands(
  manager: string,
  [program, script]: readonly [string, string],
  tasks: readonly string[],
): (view: FolderView) => FoundLanguage {
  return (view) => {
    const starts = view.has(script) ? [`./${script}`, program] : [program];
    return { manager, commands: starts.flatMap((start) => tasks.map((task) => ({ line: `${start} ${task}` }))) };
  };
}

function inspectDeno(view: FolderView): FoundLanguage {
  const manifest = readJsonc(view.text('deno.json') ?? view.text('deno.jsonc') ?? '');
  const tasks = Object.keys(objectIn(manifest, 'tasks') ?? {}).filter(isUsualScript);
  const lines = ['deno test', 'deno check', 'deno lint', 'deno fmt', ...tasks.map((name) => `deno task ${name}`)];
  return { manager: 'deno', commands: lines.map((line) => ({ line })) };
}

/** Uses the conventional `build` folder. */
function inspectCmake(): FoundLanguage {
  const lines = ['cmake -S . -B build', 'cmake -B build', 'cmake --build build', 'ctest --test-dir build'];
  return { manager: undefined, commands: lines.map((line) => ({ line })) };
}

function inspectNode(view: FolderView): FoundLanguage {
  const manifest = readJsonc(view.text('package.json') ?? '');
  const manager = nodeManager(manifest, (file) => view.has(file));
  const folders = ['test', 'tests'].filter((name) => view.has(name));
  const tests = folders.flatMap((name) => ['node --test', `node --test ${name}/`]).map((line) => ({ line }));
  return { manager, commands: [...nodeCommands(manifest, manager), ...tests] };
}

function inspectGo(view: FolderView): FoundLanguage {
  const isLinted = view.names().some((name) => /^\.golangci\.(?:ya?ml|toml|json)$/.test(name));
  const lines = ['go build', 'go test', 'go tool cover', 'go vet', 'go list', 'go fmt', 'gofmt', 'gofmt -w'];
  lines.push('goimports', 'goimports -w', 'staticcheck');
  const commands = [...lines, ...(isLinted ? ['golangci-lint run'] : [])].map((line) => ({ line }));
  const programs = view.names('cmd').map((name) => `go run ./cmd/${name}`);
  const starts = ['go run', 'go run .', ...programs, 'go generate', 'go mod download', 'go mod tidy'].map((line) => ({
    line,
    starts: true as const,
  }));
  return { manager: 'go', commands: [...commands, ...starts] };
}

function inspectRuby(view: FolderView): FoundLanguage {
  const gems = view.text('Gemfile') ?? '';
  const lines = [
    ...(view.has('spec') || view.has('.rspec') ? ['bundle exec rspec', 'rspec'] : []),
    ...(view.has('Rakefile') ? ['bundle exec rake test', 'rake test'] : []),
    ...(view.has('bin/rails') ? ['bin/rails test', 'rails test'] : []),
    ...(gems.includes('rubocop') || view.has('.rubocop.yml') ? ['bundle exec rubocop', 'rubocop'] : []),
  ];
  return { manager: 'bundler', commands: lines.map((line) => ({ line })) };
}
