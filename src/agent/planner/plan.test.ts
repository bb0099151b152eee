/** What the planner understands: requests, and the calls they become. */

import { createBuiltinTools, toStandardSchema } from 'bridle/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { runs } from '../../../test/property-runs.ts';
import { requestRows } from './requests.ts';
import { planFor } from './plan.ts';

type Call = readonly [tool: string, args: object];

/** The calls of each step. */
function stepsFor(message: string): readonly (readonly Call[])[] | string {
  const plan = planFor(message);
  if (plan.type === 'unclear') return plan.problem;
  return plan.steps.map(({ calls }) => calls.map(({ tool, args }) => [tool, args] as const));
}

const view = (file_path: string, lines = {}): Call => ['view_file', { file_path, ...lines }];
const list = (directory_path: string): Call => ['list_directory', { directory_path }];
const find = (query: string, directory_path = '.'): Call => ['find_file', { directory_path, query }];
const search = (query: string, directory_path = '.'): Call => ['search_directory', { directory_path, query }];
const create = (file_path: string, contents = ''): Call => ['create_file', { file_path, contents }];
const edit = (file_path: string, old_text: string, new_text: string): Call => [
  'edit_file',
  { file_path, old_text, new_text },
];
const run = (command_line: string, more = {}): Call => ['run_command', { command_line, ...more }];
const fetching = (url: string): Call => ['read_url_content', { url }];
const asking = (question: object): Call => ['ask_question', { questions: [question] }];

const single: readonly (readonly [string, Call])[] = [
  ['read package.json', view('package.json')],
  ['Read package.json.', view('package.json')],
  ['please show me the file "my notes.txt"', view('my notes.txt')],
  ['Could you open README.md, please?', view('README.md')],
  ['show me the contents of src/index.ts', view('src/index.ts')],
  ['cat ../x/.env', view('../x/.env')],
  ["read '/etc/passwd'", view('/etc/passwd')],
  ['show me lines 10-20 of README.md', view('README.md', { start_line: 10, end_line: 20 })],
  ['read lines 3 to 7 from a.txt', view('a.txt', { start_line: 3, end_line: 7 })],
  ['show the first 5 lines of a.txt', view('a.txt', { start_line: 1, end_line: 5 })],
  ['show line 4 of a.txt', view('a.txt', { start_line: 4, end_line: 4 })],
  ['view a.txt lines 1-2', view('a.txt', { start_line: 1, end_line: 2 })],

  ['list src', list('src')],
  ['list the files in src/agent', list('src/agent')],
  ['list', list('.')],
  ['list .', list('.')],
  ['list ..', list('..')],
  ['ls', list('.')],
  ['list all files', list('.')],
  ['list files', list('.')],
  ['list everything in src', list('src')],
  ['show me the folder docs', list('docs')],
  ['what files are in test?', list('test')],

  ['what is in package.json?', view('package.json')],
  ["what's in the file src/index.ts", view('src/index.ts')],
  ['What’s in "my notes.txt"?', view('my notes.txt')],
  ['what is in src', list('src')],
  ['what is in the folder docs/guides?', list('docs/guides')],
  ["what's in the docs folder?", list('docs')],
  ['what is in ..', list('..')],
  ['what is in here?', list('.')],
  ['what is in this folder?', list('.')],
  ['what files are there?', list('.')],
  ['what does README.md say?', view('README.md')],
  ['Hi, can you show me README.md now?', view('README.md')],

  ['find files named *.test.ts', find('*.test.ts')],
  ['find all files matching *.md in docs', find('*.md', 'docs')],
  ['find package.json', find('package.json')],
  ['where is tsconfig.json?', find('tsconfig.json')],

  ['search for TODO in src', search('TODO', 'src')],
  ['search for "to be or not to be" in the folder books', search('to be or not to be', 'books')],
  ['search for fly in the sky in poems', search('fly in the sky', 'poems')],
  ['search src for TODO', search('TODO', 'src')],
  ['search the folder src for TODO', search('TODO', 'src')],
  ['grep TODO src', search('TODO', 'src')],
  ['search for hooks', search('hooks')],
  ['find uses of createGuard in src', search('createGuard', 'src')],

  ['create notes.txt with hello world', create('notes.txt', 'hello world')],
  ['create a file notes.txt with "hello\\nworld"', create('notes.txt', 'hello\nworld')],
  [
    'create notes.txt with "one; read two and then list three"',
    create('notes.txt', 'one; read two and then list three'),
  ],
  ['create notes.txt with:\nhello\n\nread this line too', create('notes.txt', 'hello\n\nread this line too')],
  ['create a.sh with\n```sh\necho hi\nread x\n```', create('a.sh', 'echo hi\nread x\n')],
  ['write "hello" to notes.txt', create('notes.txt', 'hello')],
  ['create an empty file notes.txt', create('notes.txt')],
  ['touch a/b.txt', create('a/b.txt')],
  ['make a new file called Makefile with all:', create('Makefile', 'all:')],

  ['replace "foo" with "bar" in notes.txt', edit('notes.txt', 'foo', 'bar')],
  ['replace foo with bar in notes.txt', edit('notes.txt', 'foo', 'bar')],
  ['change colour to color in the file docs/a.md', edit('docs/a.md', 'colour', 'color')],
  ['edit notes.txt: replace "a with b" with "b"', edit('notes.txt', 'a with b', 'b')],
  [
    'replace all "a" with "b" in notes.txt',
    ['edit_file', { file_path: 'notes.txt', old_text: 'a', new_text: 'b', replace_all: true }],
  ],
  ['remove "foo" from notes.txt', edit('notes.txt', 'foo', '')],

  ['run npm test', run('npm test')],
  ['run `ls -la`', run('ls -la')],
  ['$ ls | wc -l', run('ls | wc -l')],
  ['run the command git status', run('git status')],
  ['run echo "a then b"; pwd', run('echo "a then b"; pwd')],
  ['run `cd src; find . | head`', run('cd src; find . | head')],
  ['run `npm test` in packages/a', run('npm test', { working_dir: 'packages/a' })],
  ['run rm -rf /', run('rm -rf /')],
  ['delete notes.txt', run('rm notes.txt')],
  ['could you please delete the folder build?', run('rm -r build')],
  ['remove the build folder', run('rm -r build')],
  ['delete "my notes.txt"', run("rm -- 'my notes.txt'")],
  ['delete "it\'s.txt"', run(String.raw`rm -- 'it'\''s.txt'`)],
  ['delete -rf', run("rm -r -- '-rf'")],

  ['fetch https://example.com/a?b=c', fetching('https://example.com/a?b=c')],
  ['read the page http://127.0.0.1:8080/', fetching('http://127.0.0.1:8080/')],

  [
    'ask me which colour: red, green or blue',
    asking({ question: 'Which colour?', options: [{ text: 'red' }, { text: 'green' }, { text: 'blue' }] }),
  ],
  [
    'ask me which of several: a or b',
    asking({ question: 'Which of several?', options: [{ text: 'a' }, { text: 'b' }], multi_select: true }),
  ],
  ['ask "really?"', asking({ question: 'Really?' })],
  ['ask me what to do next', asking({ question: 'What to do next?' })],

  [
    'delegate to researcher: read a.txt; then list src',
    ['start_subagent', { agent: 'researcher', prompt: 'read a.txt; then list src' }],
  ],
  ['finish with all is well', ['finish', { result: 'all is well' }]],
  [
    'call mcp_files_stat with {"path": "a; read b", "deep": {"n": [1]}}',
    ['mcp_files_stat', { path: 'a; read b', deep: { n: [1] } }],
  ],
  ['use the tool ping', ['ping', {}]],
];

const schemas = new Map(
  createBuiltinTools().flatMap(({ name, schema }) => (schema === undefined ? [] : [[name, toStandardSchema(schema)]])),
);

describe('a request', () => {
  it.each(single)(proves('A11')('becomes a call: %s'), (message, call) => {
    expect(stepsFor(message)).toEqual([[call]]);
  });

  it.each(single.filter(([, [tool]]) => schemas.has(tool)))(
    proves('A11')('becomes a call that the tool accepts: %s'),
    async (_, [tool, args]) => {
      expect(await schemas.get(tool)?.['~standard'].validate(args)).toEqual({ value: args });
    },
  );

  it.each(requestRows.map(({ example }) => example))(
    proves('A11')('from the examples is understood: %s'),
    (example) => {
      expect(planFor(example)).toMatchObject({ type: 'steps', steps: [{ calls: [{}] }] });
    },
  );

  it.each([
    ['read a.txt and b.txt', [[view('a.txt'), view('b.txt')]]],
    ['read a.txt, "b c.txt", and d.txt', [[view('a.txt'), view('b c.txt'), view('d.txt')]]],
    ['search for "x" in src and docs', [[search('x', 'src'), search('x', 'docs')]]],
    ['what is in a.txt and b.md', [[view('a.txt'), view('b.md')]]],
    ['Read a.txt. List src.', [[view('a.txt')], [list('src')]]],
    ['list .. and then read ../a.', [[list('..')], [view('../a')]]],
    ['read a.txt and list src', [[view('a.txt'), list('src')]]],
    ['search for TODO in src, then list docs', [[search('TODO', 'src')], [list('docs')]]],
    ['read a.txt and then run npm test', [[view('a.txt')], [run('npm test')]]],
    ['create a.txt with "hi" and run `cat a.txt`', [[create('a.txt', 'hi')], [run('cat a.txt')]]],
    ['read a.txt and create b.txt with c and d', [[view('a.txt')], [create('b.txt', 'c and d')]]],
    ['read a.txt; list src; run ls', [[view('a.txt')], [list('src')], [run('ls')]]],
    ['1. read a.txt\n2. list src\n- then run ls', [[view('a.txt')], [list('src')], [run('ls')]]],
    ['fetch http://a.test/ and http://b.test/', [[fetching('http://a.test/'), fetching('http://b.test/')]]],
    ['create a.txt with first this then that', [[create('a.txt', 'first this then that')]]],
  ])(proves('A11')('among several has its place: %s'), (message, steps) => {
    expect(stepsFor(message)).toEqual(steps);
  });

  it(proves('A11')('after `then` depends on the previous one, others do not'), () => {
    const plan = planFor('read a; read b then read c\nread d');
    expect(plan.type === 'steps' && plan.steps.map(({ dependent }) => dependent)).toEqual([false, false, true, false]);
  });

  it.each([
    'what is the meaning of life?',
    'create a poem about the sea',
    'run the tests',
    'lies package.json',
    'delete everything',
    'ask researcher to read a.txt',
    'read a.txt then dance',
    'create notes.txt with "hello" and dance',
    '"read a.txt"',
    'call ping with {broken',
    'call ping with [1]',
    'npm test',
    'make a poem',
    'make test',
    'raed a.txt',
    'append "hi" to a.txt',
    'that is nice',
    'write me a poem',
    '"npm test"',
    'delete all files',
    'delete the last line of notes.txt',
  ])(proves('A11')('that is not understood plans nothing: %s'), (message) => {
    expect(planFor(message).type).toBe('unclear');
  });

  it(proves('A11')('that is too long plans nothing'), () => {
    expect(stepsFor('read a\n'.repeat(33))).toMatch(/at most 32/);
    expect(stepsFor(`read ${'a'.repeat(300_000)}`)).toMatch(/at most 262144/);
  });
});

describe('hostile text', () => {
  const pieces = [
    ' ',
    '\n',
    ';',
    ',',
    '"',
    "'",
    '`',
    '```',
    '{',
    '}',
    '\\',
    '“',
    '.',
    '..',
    ':',
    'and',
    'then',
    'with',
    'in',
  ];
  const verbs = ['read', 'list', 'create a.txt', 'replace', 'run', 'ask', 'search for', 'call', 'delegate to', 'lines'];

  it(proves('A11')('never throws, and always gives the same plan'), () => {
    const soup = fc.array(fc.oneof(fc.constantFrom(...pieces, ...verbs), fc.string({ unit: 'binary' })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(soup, fc.constantFrom('', ' '), (words, glue) => {
        const message = words.join(glue);
        expect(planFor(message)).toEqual(planFor(message));
      }),
      { numRuns: runs(2000) },
    );
  });

  it(proves('A11')('keeps quoted contents unchanged'), () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const contents = text.replaceAll('`', '');
        expect(stepsFor(`create a.txt with \`${contents}\``)).toEqual([[create('a.txt', contents)]]);
      }),
      { numRuns: runs(500) },
    );
  });

  it(
    proves('A11')('is read in linear time'),
    () => {
      const started = performance.now();
      for (const piece of [
        ...pieces,
        ...verbs,
        'and then ',
        ' "',
        " '",
        ' `',
        ' {',
        '{"',
        'replace a with ',
        ' in a',
        'read a and ',
      ]) {
        planFor(piece.repeat(Math.floor(64_000 / piece.length)));
        planFor(`replace ${`${piece} `.repeat(Math.floor(64_000 / (piece.length + 1)))}`);
      }
      // Quadratic work on these, hundreds of times, takes minutes.
      expect(performance.now() - started).toBeLessThan(60_000);
    },
    120_000,
  );
});
