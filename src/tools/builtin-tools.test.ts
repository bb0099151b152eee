import { compile, createGuard, denyAll } from 'bridle';
import { builtinTools } from 'bridle/tools';
import { describe, expect, it } from 'vitest';
import { proves } from '../../test/contract/cite.ts';

const tools = new Map(builtinTools.map((tool) => [tool.name, tool]));

/** Everything that can be reached from a value. */
function partsOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}

describe('the built-in tools', () => {
  it(proves('P15')('are those of the contract, with their arguments'), () => {
    expect(Object.fromEntries(builtinTools.map(({ name, args }) => [name, args]))).toEqual({
      list_directory: ['directory_path'],
      search_directory: ['directory_path', 'query'],
      find_file: ['directory_path', 'query'],
      view_file: ['file_path', 'start_line', 'end_line'],
      create_file: ['file_path', 'contents'],
      edit_file: expect.arrayContaining(['file_path']),
      run_command: ['command_line', 'working_dir'],
      ask_question: expect.any(Array),
      start_subagent: expect.any(Array),
      read_url_content: ['url'],
      finish: expect.any(Array),
    });
  });

  it(proves('P15', 'G14')('declare a tier each, and only what changes nothing is observe'), () => {
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

  it.each([
    ['view_file', ['read_file', 'VIEW_FILE']],
    ['search_directory', ['grep_search', 'SEARCH_DIR']],
    ['create_file', ['write_to_file']],
    ['list_directory', ['LIST_DIR']],
    ['run_command', ['RUN_COMMAND']],
  ])(proves('P15')('have the other names of the contract: %s'), (name, names) => {
    expect(tools.get(name)?.aliases?.names).toEqual(expect.arrayContaining(names));
  });

  it(proves('P15')('have the other argument names of the contract'), () => {
    expect(tools.get('run_command')?.aliases?.args).toMatchObject({ CommandLine: 'command_line' });
    for (const name of ['view_file', 'create_file', 'edit_file']) {
      expect(tools.get(name)?.aliases?.args).toMatchObject({
        TargetFile: 'file_path',
        AbsolutePath: 'file_path',
        path: 'file_path',
      });
    }
  });

  it(proves('P15')('name in their aliases only arguments they have'), () => {
    for (const { name, args = [], aliases } of builtinTools) {
      for (const canonical of Object.values(aliases?.args ?? {})) expect(args, name).toContain(canonical);
    }
  });

  it(proves('P15', 'M01')('fit together, and in a guard'), () => {
    expect(compile([denyAll()], { tools: builtinTools }).warnings).toEqual([]);
    const guard = createGuard({ tools: builtinTools, policy: [denyAll()] });
    expect(guard.tools.map(({ name }) => name)).toEqual(builtinTools.map(({ name }) => name));
  });

  it(proves('P15')('cannot be changed by whoever gets hold of them'), () => {
    expect(partsOf(builtinTools).filter((part) => !Object.isFrozen(part))).toEqual([]);
  });
});
