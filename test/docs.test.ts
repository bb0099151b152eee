/** Checks the documents: their code compiles and runs, the paths they name exist, their tables are correct. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import * as bridle from '../src/index.ts';
import * as readyMade from '../src/ready-made/index.ts';
import { loadPolicy } from '../src/policy-files/load/load-policy.ts';
import { parsePolicyFile } from '../src/policy-files/read/parse-policy-file.ts';
import { testPolicy } from '../src/policy-files/test/test-policy.ts';
import { optionalPackages } from '../src/files/own-packages.ts';
import { errorCodes } from '../src/kernel/errors.ts';
import { commandTable } from '../src/cli/command-table.ts';
import { builtinTools } from '../src/tools/index.ts';
import { run, runNode, runTsc, type Ended } from './rigs/child.ts';
import {
  blocksIn,
  commandsIn,
  type DocBlock,
  type DocProgram,
  filledIn,
  flagsOf,
  programsIn,
  proseOf,
  transcriptOf,
} from './doc-programs.ts';
import { namesProgram, nameRowsIn, publicNames } from './doc-names.ts';
import { someOf } from './property-runs.ts';
import { filesUnder, read, root } from './source.ts';
import manifest from '../package.json' with { type: 'json' };
import { main } from './cli/terminal-rig.ts';
import rules from './contract/rules.json' with { type: 'json' };

const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'bench/README.md',
  'examples/README.md',
  ...filesUnder('docs').filter((path) => path.endsWith('.md')),
];
const programs = documents.flatMap((path) => programsIn(path, read(path)));
/** The `@example`s of the source: compiled, not run. */
const examples = filesUnder('src')
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .flatMap((path) => programsIn(path, read(path).replaceAll(/^ *\/?\*+\/? ?/gm, '')));

/** The names in tables with a column "in Bridle": compiled, so that each of them exists. */
const tables = documents.map((path) => nameRowsIn(path, read(path)));
const names = publicNames(read('docs/reference/api.txt'));
const tableNames = tables.flatMap(([first, ...rest]) =>
  first === undefined ? [] : [namesProgram([first, ...rest], { names, others: isWord })],
);

/** Inside the repository, so that `bridle` resolves through package.json. */
const workshop = join(root, 'build/docs');
const elsewhere = mkdtempSync(join(tmpdir(), 'bridle-docs-'));
let compilation: Ended | undefined;

function exists(path: string): boolean {
  return existsSync(join(root, path));
}

/** True for entry points, commands, and the built-in tools and their arguments. */
function isWord(name: string): boolean {
  const [command = '', ...rest] = name.startsWith('bridle ') ? name.split(' ').slice(1) : [];
  const row = commandTable[command];
  if (row !== undefined) return rest.every((word) => 'commands' in row && word in row.commands);
  if (name.startsWith('bridle')) return name.replace('bridle', '.') in manifest.exports;
  return builtinTools.some((tool) => tool.name === name || tool.args?.includes(name));
}

function nameOf({ path, line }: DocProgram): string {
  return `${path.replaceAll(/[^\w]/g, '-')}-${line}`;
}

/** `docs/guides/hooks.md:9, 60` */
function placeOf(group: readonly DocProgram[]): string {
  return `${group[0]?.path}:${group.map(({ line }) => line).join(', ')}`;
}

/** The README, and some of the other pages; all of them in the long run. */
function inSample<T>(pages: readonly T[], pathOf: (page: T) => string | undefined): readonly T[] {
  const isReadme = (page: T): boolean => pathOf(page) === 'README.md';
  return [
    ...pages.filter(isReadme),
    ...someOf(
      pages.filter((page) => !isReadme(page)),
      4,
    ),
  ];
}

beforeAll(async () => {
  rmSync(workshop, { recursive: true, force: true });
  mkdirSync(workshop, { recursive: true });
  const all = [...programs, ...examples, ...tableNames];
  for (const program of all) writeFileSync(join(workshop, `${nameOf(program)}.ts`), program.code);
  if (all.length === 0) return;
  const compilerOptions = {
    composite: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    noPropertyAccessFromIndexSignature: false,
    rootDir: '.',
    outDir: 'out',
  };
  const project = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] };
  writeFileSync(join(workshop, 'tsconfig.json'), JSON.stringify(project));
  compilation = await runTsc(['-p', '.', '--pretty', 'false'], workshop);
});

afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

describe('the code in the documents', () => {
  it('exists in the README', () => {
    expect(programs.some((program) => program.path === 'README.md')).toBe(true);
  });

  it('compiles', () => {
    expect(compilation?.output ?? '').toBe('');
  });

  // The programs of a page run one after the other in one process, which loads Bridle once, except those marked `alone`.
  const running = documents.flatMap((path) => {
    const onPage = programs.filter((program) => program.path === path && program.runs);
    const [together, alone] = [onPage.filter((program) => !program.alone), onPage.filter((program) => program.alone)];
    return [together, ...alone.map((program) => [program])].filter((group) => group.length > 0);
  });
  const sampled = inSample(running, ([first]) => first?.path);
  it.concurrent.for(sampled.map((group) => [placeOf(group), group] as const))(
    'runs: %s',
    async ([place, group], { expect: expectHere }) => {
      const separator = '---- the next program ----\n';
      const start = `process.stdout.write(${JSON.stringify(separator)});`;
      const steps = group.map((program) => `${start}\nawait import('./out/${nameOf(program)}.js');\n`);
      const script = join(workshop, `${place.replaceAll(/\W/g, '-')}.mjs`);
      writeFileSync(script, steps.join(''));
      const child = await runNode([script], elsewhere);
      expectHere(child.code, child.output).toBe(0);
      const printed = child.stdout.split(separator).slice(1);
      for (const [at, { path, line, output }] of group.entries()) {
        if (output !== undefined) expectHere(printed[at]?.trim(), `${path}:${line}`).toBe(output.trim());
      }
    },
  );
});

describe('the modules in the documents', () => {
  const modules = documents
    .flatMap((path) => blocksIn(path, read(path), ['js']))
    .filter(({ text }) => text.includes('export default'));

  // A function gets the helpers, as a policy or hook module that cannot import them.
  it.each(modules.map((block) => [`${block.path}:${block.line}`, block] as const))(
    'export rules, hooks or options: %s',
    async (place, block) => {
      const file = join(workshop, `module-${place.replaceAll(/\W/g, '-')}.mjs`);
      writeFileSync(file, block.text);
      const { default: exported } = (await import(file)) as { default: unknown };
      const value = typeof exported === 'function' ? (exported({ ...bridle, ...readyMade }) as unknown) : exported;
      expect(value).toBeTypeOf('object');
      expect(value).not.toBeNull();
    },
  );
});

describe('the policies in the documents', () => {
  const policies = documents.flatMap((path) => blocksIn(path, read(path), ['yaml', 'yml']));

  it.each(policies.map((block) => [`${block.path}:${block.line}`, block] as const))('can be parsed: %s', (_, block) => {
    if (block.flags.includes('no-policy')) return expect(parseYaml(block.text)).toBeTypeOf('object');
    // A policy fragment may leave out the version.
    const text = /^version:/m.test(block.text) ? block.text : `version: 1\n${block.text}`;
    const { rules, tests, servers = [] } = parsePolicyFile(text, block.path);
    return expect(rules.length + tests.length + servers.length).toBeGreaterThan(0);
  });

  const whole = policies.filter(({ flags, text }) => !flags.includes('no-policy') && /^version:/m.test(text));

  // The policy that a block extends is not in the block.
  it.each(
    whole
      .filter(({ text }) => !/^extends:/m.test(text))
      .map((block) => [`${block.path}:${block.line}`, block] as const),
  )('load, and pass their own tests: %s', async (_, block) => {
    const folder = mkdtempSync(join(elsewhere, 'policy-'));
    writeFileSync(join(folder, 'bridle.yaml'), block.text);
    const policy = loadPolicy(join(folder, 'bridle.yaml'), {
      cwd: folder,
      home: join(elsewhere, 'home'),
      tools: builtinTools,
    });
    expect(policy.findings).toEqual([]);
    const { cases } = await testPolicy(policy);
    expect(cases.filter(({ passed }) => !passed)).toEqual([]);
  });
});

describe('the commands in the documents', () => {
  const typed = documents.flatMap((path) =>
    blocksIn(path, read(path), ['sh', 'console', 'bash']).flatMap((block) =>
      commandsIn(block).map((words) => ({ place: `${path}:${block.line}`, words })),
    ),
  );
  const helps = new Map<string, Promise<string>>();
  const help = (command: string): Promise<string> => {
    const known =
      helps.get(command) ?? runNode([main, ...command.split(' '), '--help'], elsewhere).then(({ output }) => output);
    helps.set(command, known);
    return known;
  };

  it('are commands of bridle that exist, with options that exist', async () => {
    const used = typed.flatMap(({ place, words }) => {
      const [command, ...args] = words[0] === 'npx' ? words.slice(1) : words;
      return command === 'bridle' ? [{ place, args }] : [];
    });
    expect(used.length).toBeGreaterThan(5);
    const wrong: string[] = [];
    for (const { place, args } of used) {
      const [command = '', ...rest] = args;
      const isNamed = /^[a-z]+$/.test(command);
      const isGroup = isNamed && (await help(command)).includes('\nCommands:\n');
      const path = isGroup && /^[a-z]+$/.test(rest[0] ?? '') ? `${command} ${rest[0]}` : command;
      const said = await help(isNamed ? path : '');
      const options = [...(isNamed ? [] : [command]), ...rest].filter((word) => /^--?[a-z]/i.test(word));
      if (isNamed && !said.startsWith(`Usage: bridle ${path}`)) wrong.push(`${place}: bridle ${path}`);
      for (const option of options) {
        const [name = ''] = option.split('=');
        if (!new RegExp(`(^|\\s)${name}(?![\\w-])`).test(said)) wrong.push(`${place}: bridle ${command} ${name}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  const shown = documents.filter((path) =>
    blocksIn(path, read(path)).some((block) => block.language === 'console' || isRunnable(block)),
  );

  it('are shown with their output in the README', () => {
    expect(shown).toContain('README.md');
  });

  // Each page has one folder. A block with file=NAME is a file in it; with=PATH adds a file of the repository.
  it.each(inSample(shown, (path) => path))('run, and print what is shown: %s', async (path) => {
    const folder = join(elsewhere, path.replaceAll(/\W/g, '-'));
    mkdirSync(folder);
    const put = (file: string, text: string): void => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    for (const block of blocksIn(path, read(path))) {
      for (const file of flagsOf(block, 'file')) put(file, block.text);
      for (const line of isRunnable(block) ? block.text.trim().split('\n') : []) {
        const { code, output } = await typedIn(folder, withoutQuestion(line));
        expect(code, `${path}:${block.line}: ${line}\n${output}`).toBeLessThan(usageError);
      }
      for (const file of flagsOf(block, 'home')) {
        const shownParts = JSON.parse(block.text.replaceAll('/home/ann', `${folder}-home`)) as object;
        expect(JSON.parse(readFileSync(join(`${folder}-home`, file), 'utf8'))).toMatchObject(shownParts);
      }
      // The package test runs blocks that need the installed package.
      if (block.language !== 'console' || block.flags.includes('installed')) continue;
      for (const file of flagsOf(block, 'with')) put(file, read(file));
      for (const { typed, printed } of transcriptOf(block)) {
        const { output } = await typedIn(folder, typed);
        expect(output, `${path}:${block.line}: ${typed}`).toBe(filledIn(printed, output));
      }
    }
  });

  it('are scripts of the package that exist', () => {
    const own = new Set(['ci', 'i', 'install', 'pack', ...Object.keys(manifest.scripts)]);
    const named = typed.flatMap(({ place, words: [command, ...args] }) => {
      const [first = '', second = ''] = args.filter((word) => !word.startsWith('-'));
      return command === 'npm' ? [{ place, script: first === 'run' ? second : first }] : [];
    });
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ script }) => !own.has(script))).toEqual([]);
  });
});

describe('the packages that users install themselves', () => {
  it.each(Object.entries(optionalPackages))('are named in the guides with the tested version: %s', (name, version) => {
    const text = documents.map(read).join('\n');
    const named = Array.from(text.matchAll(new RegExp(`[ \`]${name}@([\\w.]+\\w)`, 'g')), ([, found]) => found);
    expect(new Set(named)).toEqual(new Set([version]));
  });
});

describe('the paths in the documents', () => {
  it('exist', () => {
    const missing = documents.flatMap((path) =>
      pathsIn(path, proseOf(read(path)))
        .filter((named) => !exists(named))
        .map((named) => `${path}: ${named}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('README.md', () => {
  it('has links that work in the repository and on the package page, which resolves them with `repository`', () => {
    const address = /^git\+(https:\/\/github\.com\/[\w-]+\/[\w-]+)\.git$/.exec(manifest.repository.url)?.[1];
    expect(manifest.homepage).toBe(`${address}#readme`);
    expect(manifest.bugs.url).toBe(`${address}/issues`);
    const targets = Array.from(proseOf(read('README.md')).matchAll(/\]\(([^)\s]+)/g), ([, target = '']) => target);
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.filter((target) => !/^(https:|#|(?!\.)[\w./-]+\.\w+(#|$))/.test(target))).toEqual([]);
  });

  it('says how many rules of the contract are in force, and how many are not yet', () => {
    const counts =
      /\[(\d+) guarantees\]\(CONTRIBUTING\.md#the-contract\)[^]*?(\d+)\s+more\s+are\s+planned/.exec(
        read('README.md'),
      ) ?? [];
    const later = rules.filter(({ status }) => status === 'not yet').length;
    expect(counts.slice(1).map(Number), 'correct the numbers in the README').toEqual([rules.length - later, later]);
  });
});

describe('docs/reference/errors.md', () => {
  it('lists exactly the codes of src/kernel/errors.ts', () => {
    const rows = read('docs/reference/errors.md').matchAll(/^\| *`([A-Z_]+)` *\| *(.*?) *\|$/gm);
    expect(Object.fromEntries(Array.from(rows, ([, code, sentence]) => [code, sentence]))).toEqual(errorCodes);
  });
});

/** An `sh` block with nothing but commands of bridle; `no-run` excludes it. */
function isRunnable(block: DocBlock): boolean {
  if (block.language !== 'sh' || block.flags.includes('no-run')) return false;
  return commandsIn(block).every(([first, second]) => first === 'bridle' || (first === 'npx' && second === 'bridle'));
}

/** These commands ask before they write; there is no terminal here. */
function withoutQuestion(line: string): string {
  return line.replace(/bridle (trust|install)/, '$& --yes');
}

const usageError = 2;

/** The output of a command typed in a terminal without colours. */
async function typedIn(folder: string, typed: string): Promise<Ended> {
  const commands = [
    `export HOME='${folder}-home' BRIDLE_HOME='${folder}-home/.bridle' NO_COLOR=1`,
    `bridle() { '${process.execPath}' '${main}' "$@"; }`,
    'npx() { "$@"; }',
    'exec 2>&1',
    typed,
  ];
  const ended = await run({ command: 'bash', args: ['-c', commands.join('\n')], cwd: folder });
  return { ...ended, output: ended.stdout.trim().replaceAll(realpathSync(folder), '/project') };
}

/** Link targets relative to the document, and `code` that looks like a path relative to the root. */
function pathsIn(document: string, prose: string): string[] {
  const links = Array.from(prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g), ([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => posix.join(posix.dirname(document), target));
  const named = Array.from(prose.matchAll(/`((?:src|docs|test|examples|bench|\.ci)\/[\w./-]*)(?::\d+)?`/g));
  return [...links, ...named.map(([, path = '']) => path)];
}
