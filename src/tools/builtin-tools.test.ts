import { compilePolicy, createGuard, denyAll } from 'bridle';
import { builtinTools, createBuiltinTools, jsonSchemaOf, toStandardSchema, type RunnableTool } from 'bridle/tools';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';
import { builtinToolTable } from './builtin-tools.ts';

const tools = new Map(builtinTools.map((tool) => [tool.name, tool]));

/** Everything that can be reached from a value. */
function partsOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}

describe('the built-in tools', () => {
  it(proves('P15', 'A11')('are those of the contract, with their arguments'), () => {
    expect(Object.fromEntries(builtinTools.map(({ name, args }) => [name, args]))).toEqual({
      list_directory: ['directory_path'],
      search_directory: ['directory_path', 'query', 'regex', 'ignore_case', 'include', 'context_lines'],
      find_file: ['directory_path', 'query'],
      view_file: ['file_path', 'start_line', 'end_line'],
      create_file: ['file_path', 'contents'],
      edit_file: ['file_path', 'old_text', 'new_text', 'replace_all'],
      run_command: ['command_line', 'working_dir'],
      ask_question: ['questions'],
      start_subagent: ['agent', 'prompt'],
      read_url_content: ['url'],
      finish: ['result'],
    });
  });

  it('are listed in the docs, with their arguments, tier and purpose', () => {
    const guide = readFileSync(new URL('../../docs/guides/tools.md', import.meta.url), 'utf8');
    const rows = builtinToolTable.map(({ name, tier, schema, doc }) => {
      const args = Object.keys(schema.properties).map((arg) => (schema.required.includes(arg) ? arg : `${arg}?`));
      return `| \`${name}(${args.join(', ')})\` | ${tier} | ${doc} |`;
    });
    const [, table = ''] = guide.split('| tool | tier | what it does |\n|---|---|---|\n');
    expect(table.slice(0, table.indexOf('\n\n')).split('\n')).toEqual(rows);
  });

  it(proves('P15', 'G14')('each declare a tier, and only read-only tools are observe'), () => {
    const observing = builtinTools.filter(({ tier }) => tier === 'observe').map(({ name }) => name);
    expect(observing).toEqual([
      'list_directory',
      'search_directory',
      'find_file',
      'view_file',
      'ask_question',
      'finish',
    ]);
    expect(builtinTools.every(({ tier }) => tier !== undefined)).toBe(true);
  });

  it(proves('P15')('declare every path argument and every command'), () => {
    for (const { name, args = [], paths = [], commands = [] } of builtinTools) {
      const pathed = args.filter((each) => each.endsWith('_path') || each.endsWith('_dir'));
      expect(paths, name).toEqual(pathed);
      expect(commands, name).toEqual(args.filter((each) => each === 'command_line'));
    }
  });

  it(proves('X08', 'X09', 'X11')('declare what their arguments touch'), () => {
    const touching = builtinTools.filter(({ touches }) => touches !== undefined);
    expect(Object.fromEntries(touching.map(({ name, touches }) => [name, touches]))).toEqual({
      list_directory: { reads: ['directory_path'] },
      start_subagent: {},
      search_directory: { reads: ['directory_path'] },
      find_file: { reads: ['directory_path'] },
      view_file: { reads: ['file_path'] },
      create_file: { writes: ['file_path'] },
      edit_file: { reads: ['file_path'], writes: ['file_path'] },
      run_command: { bash: ['command_line'], folder: 'working_dir' },
      read_url_content: { urls: ['url'] },
    });
    for (const { name, touches } of createBuiltinTools()) expect(touches, name).toEqual(tools.get(name)?.touches);
  });

  it.each([
    ['view_file', ['read_file', 'VIEW_FILE']],
    ['search_directory', ['grep_search', 'SEARCH_DIR']],
    ['create_file', ['write_to_file']],
    ['list_directory', ['LIST_DIR']],
    ['run_command', ['RUN_COMMAND']],
  ])(proves('P15')('have the other names of the contract: %s'), (name, names) => {
    expect(tools.get(name)?.aliases?.names).toEqual(expect.arrayContaining(names));
  });

  it(proves('P15')('have the argument aliases of the contract'), () => {
    expect(tools.get('run_command')?.aliases?.args).toMatchObject({ CommandLine: 'command_line' });
    for (const name of ['view_file', 'create_file', 'edit_file']) {
      expect(tools.get(name)?.aliases?.args).toMatchObject({
        TargetFile: 'file_path',
        AbsolutePath: 'file_path',
        path: 'file_path',
      });
    }
  });

  it(proves('P15')('have aliases only for existing arguments'), () => {
    for (const { name, args = [], aliases } of builtinTools) {
      for (const canonical of Object.values(aliases?.args ?? {})) expect(args, name).toContain(canonical);
    }
  });

  it(proves('P15', 'M01')('work together in a guard'), () => {
    expect(compilePolicy([denyAll()], { tools: builtinTools }).warnings).toEqual([]);
    const guard = createGuard({ tools: builtinTools, policy: [denyAll()] });
    expect(guard.tools.map(({ name }) => name)).toEqual(builtinTools.map(({ name }) => name));
  });

  it(proves('P15')('are deeply frozen'), () => {
    expect(partsOf(builtinTools).filter((part) => !Object.isFrozen(part))).toEqual([]);
  });

  it(proves('A11')('each declare a timeout and an output limit'), () => {
    for (const { name, grant } of builtinTools) {
      expect(grant?.timeoutMs, name).toBeGreaterThan(0);
      expect(grant?.outputBytes, name).toBeGreaterThan(0);
    }
  });

  it(proves('A11')('need confirmation for network access'), () => {
    const tools = createBuiltinTools({
      searchWeb: () => '',
      generateImage: () => ({ mediaType: 'image/png', data: '' }),
    });
    const tiers = Object.fromEntries(tools.map(({ name, tier }) => [name, tier]));
    expect(tiers).toMatchObject({ read_url_content: 'confirm', search_web: 'confirm', generate_image: 'confirm' });
  });
});

describe('createBuiltinTools', () => {
  it(proves('X11')('checks and uses inherited options, too'), () => {
    expect(() => createBuiltinTools(Object.create({ generateImage: 5 }) as object)).toThrow('generateImage');
    const tools = createBuiltinTools(Object.create({ searchWeb: () => '' }) as object);
    expect(tools.map(({ name }) => name)).toContain('search_web');
  });

  const withProviders = createBuiltinTools({
    searchWeb: () => '',
    generateImage: () => ({ mediaType: 'image/png', data: '' }),
  });

  it(proves('A11')('returns the declared tools, from the same source'), () => {
    const made = new Map(createBuiltinTools().map((tool) => [tool.name, tool]));
    const expected = builtinTools.filter(({ name }) => name !== 'start_subagent');
    expect([...made.keys()]).toEqual(expected.map(({ name }) => name));
    for (const declared of expected) {
      const tool = made.get(declared.name);
      const { description, schema, ...rest } = JSON.parse(JSON.stringify(tool)) as RunnableTool;
      expect(rest).toEqual(declared);
      expect(description?.length).toBeGreaterThan(40);
      expect(tool).toHaveProperty('run', expect.any(Function));
      expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it(proves('A11')('includes generate_image and search_web only with a provider'), () => {
    const names = createBuiltinTools().map(({ name }) => name);
    expect(withProviders.map(({ name }) => name)).toEqual([...names, 'generate_image', 'search_web']);
  });

  it(proves('A11')('returns schemas usable by the guard and the model'), () => {
    const tools = withProviders.map(({ schema, name }) => ({ name, schema: toStandardSchema(schema ?? {}) }));
    expect(createGuard({ tools, policy: [denyAll()] }).tools).toHaveLength(tools.length);
    for (const tool of withProviders) expect(jsonSchemaOf(tool), tool.name).toMatchObject({ type: 'object' });
  });

  it.each([
    [{ env: { BASH_ENV: '/tmp/x' } }],
    [{ env: { 'BASH_FUNC_ls%%': '() { :; }' } }],
    [{ env: { SHELLOPTS: 'xtrace' } }],
    [{ env: { ENV: '/tmp/x' } }],
    [{ env: { 'A=B': '' } }],
    [{ shell: 'bash' }],
    [{ shell: '/bin/zsh' }],
  ])(proves('X11')('refuses options that would change how bash parses a command: %j'), (options) => {
    expect(() => createBuiltinTools(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it.each<[object, string]>([
    [{ allowedHost: ['example.com'] }, 'did you mean "allowedHosts"?'],
    [{ allowedHosts: 'example.com' }, '"allowedHosts" is a string, not a list'],
    [{ commandTimeoutMs: Number.NaN }, '"commandTimeoutMs" is NaN, not a number of milliseconds'],
    [{ commandTimeoutMs: 2 ** 40 }, '"commandTimeoutMs" is 1099511627776, not a number of milliseconds'],
    [{ redirects: 'all' }, '"redirects" is "all", not "same-host" or "any"'],
    [{ searchWeb: 'google' }, '"searchWeb" is a string, not a function'],
    [{ allowPrivateHosts: 'no' }, '"allowPrivateHosts" is a string, not true or false'],
    [{ ripgrep: 'rg' }, '"ripgrep" is a string, not an absolute path'],
  ])(proves('A11')('refuses invalid options: %j'), (options, problem) => {
    expect(() => createBuiltinTools(options)).toThrow(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(problem) }),
    );
  });
});
