/** One row for each kind of project: what it is known by, and the commands it is tested, built and checked with. */

import type { FolderView } from './folder-view.ts';
import { composerCommands, nodeCommands, nodeManager } from './package-scripts.ts';
import type { ProjectCommand } from './project.ts';
import { pythonCommands, pythonManager } from './python-commands.ts';
import { readJsonc } from './read-jsonc.ts';
import { targetCommands } from './make-targets.ts';

interface FoundLanguage {
  readonly manager: string | undefined;
  readonly commands: readonly ProjectCommand[];
}

interface LanguageRow {
  readonly name: string;
  /** Names of files; one that begins with `*` is an ending. */
  readonly manifests: readonly string[];
  readonly look: (view: FolderView) => FoundLanguage;
}

function fixed(manager: string, ...lines: readonly string[]): (view: FolderView) => FoundLanguage {
  return () => ({ manager, commands: lines.map((line) => ({ line })) });
}

export const languages: readonly LanguageRow[] = [
  { name: 'Node.js', manifests: ['package.json'], look: lookAtNode },
  {
    name: 'Deno',
    manifests: ['deno.json', 'deno.jsonc'],
    look: fixed('deno', 'deno test', 'deno check', 'deno lint', 'deno fmt --check'),
  },
  {
    name: 'Python',
    manifests: ['pyproject.toml', 'requirements.txt', 'setup.py', 'setup.cfg', 'Pipfile', 'tox.ini'],
    look: (view) => ({ manager: pythonManager(view), commands: pythonCommands(view) }),
  },
  {
    name: 'Rust',
    manifests: ['Cargo.toml', 'rust-toolchain.toml', 'rust-toolchain'],
    look: fixed('cargo', 'cargo check', 'cargo build', 'cargo test', 'cargo clippy', 'cargo fmt'),
  },
  {
    name: 'Go',
    manifests: ['go.mod', 'go.work'],
    look: fixed('go', 'go build ./...', 'go test ./...', 'go vet ./...', 'gofmt -l .'),
  },
  { name: 'Java', manifests: ['pom.xml'], look: fixed('maven', 'mvn compile', 'mvn test', 'mvn verify') },
  {
    name: 'Java or Kotlin',
    manifests: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    look: fixed('gradle', 'gradle build', 'gradle test', 'gradle check'),
  },
  { name: 'Ruby', manifests: ['Gemfile'], look: lookAtRuby },
  {
    name: 'PHP',
    manifests: ['composer.json'],
    look: (view) => ({
      manager: 'composer',
      commands: composerCommands(readJsonc(view.text('composer.json') ?? '')),
    }),
  },
  { name: '.NET', manifests: ['*.csproj', '*.fsproj', '*.sln'], look: fixed('dotnet', 'dotnet build', 'dotnet test') },
  { name: 'Elixir', manifests: ['mix.exs'], look: fixed('mix', 'mix compile', 'mix test', 'mix format') },
  {
    name: 'Make',
    manifests: ['Makefile', 'makefile', 'GNUmakefile'],
    look: (view) => ({ manager: undefined, commands: targetCommands(view) }),
  },
];

function lookAtNode(view: FolderView): FoundLanguage {
  const manifest = readJsonc(view.text('package.json') ?? '');
  const manager = nodeManager(manifest, (file) => view.has(file));
  return { manager, commands: nodeCommands(manifest, manager) };
}

function lookAtRuby(view: FolderView): FoundLanguage {
  const gems = view.text('Gemfile') ?? '';
  const lines = [
    ...(view.has('spec') || view.has('.rspec') ? ['bundle exec rspec'] : []),
    ...(view.has('Rakefile') ? ['bundle exec rake test'] : []),
    ...(gems.includes('rubocop') || view.has('.rubocop.yml') ? ['bundle exec rubocop'] : []),
  ];
  return { manager: 'bundler', commands: lines.map((line) => ({ line })) };
}
