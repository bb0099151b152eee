/** The slash commands and options of a chat, with lines that come from a list instead of a keyboard. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Approver } from 'bridle';
import { openStore, type Store } from 'bridle/store';
import { interactiveLoop, type OpenTerminal } from 'bridle/terminal';
import type { SavedSession } from '../../agent/saved-sessions/saved-session.ts';
import { storeSessions } from '../../agent/session/sessions-in-store.ts';
import { proves } from '../../../test/contract/cite.ts';
import { type PromptModel, promptModel, promptModelName } from '../../../test/rigs/prompt-model.ts';
import { type Chat, createChat } from './chat-agent.ts';
import { type ChatFlags, readSettings } from './chat-settings.ts';
import { deleteOldChats, listChats, maxKept, newChatId } from './chat-sessions.ts';
import { slashCommands } from './slash-commands.ts';

let folder: string;
let store: Store | undefined;
let model: PromptModel;

beforeAll(async () => {
  model = await promptModel();
  for (const [name, value] of Object.entries(model.env)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await model.close();
});

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'bridle-slash-')));
});
afterEach(async () => {
  await store?.close();
  store = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

interface ListTerminal {
  readonly terminal: OpenTerminal;
  /** What each line printed. */
  readonly replies: string[];
  /** The calls that a person was asked about. */
  readonly asked: string[];
}

/** Denies every call that it is asked about. */
function listTerminal(lines: readonly string[]): ListTerminal {
  const [replies, asked] = [[] as string[], [] as string[]];
  const left = [...lines];
  const approver: Approver = ({ call }) => {
    const about = Object.values(call.args).find((each) => each !== 'x') as string;
    asked.push(`${call.tool} ${about}`);
    return false;
  };
  let listener: Parameters<OpenTerminal['connect']>[0] | undefined;
  const terminal: OpenTerminal = {
    isInteractive: false,
    approver,
    hook: { name: 'terminal', onEvent: (event) => listener?.onEvent(event) },
    renderer: {
      showEvent: () => undefined,
      showOutcome: (outcome) =>
        void replies.push(outcome.type === 'result' ? outcome.result.text : `failed: ${String(outcome.error)}`),
      showReply: (text) => void replies.push(text),
      showNote: () => undefined,
      finish: () => undefined,
    },
    connect: (given) => void (listener = given),
    sees: () => false,
    readLine: () => Promise.resolve(left.shift()),
    whileRunning: (work) => work(),
    close: () => undefined,
  };
  return { terminal, replies, asked };
}

interface Played extends Omit<ListTerminal, 'terminal'> {
  readonly chat: Chat;
}

/** Runs a whole chat. */
async function play(lines: readonly string[], flags: ChatFlags = {}, id = newChatId()): Promise<Played> {
  const { terminal, replies, asked } = listTerminal(lines);
  const settings = readSettings(
    { cwd: folder, ...(flags.agent === undefined ? { model: promptModelName } : {}), ...flags },
    { version: '0', env: { BRIDLE_HOME: join(folder, 'home') } },
  );
  const session = store === undefined ? undefined : { id };
  const chat = await createChat(settings, { terminal, store, session });
  const onEvent = chat.last.event.bind(chat.last);
  await interactiveLoop(chat.agent, { terminal, commands: slashCommands(chat), onEvent });
  return { replies, asked, chat };
}

async function answerTo(line: string, flags: ChatFlags = {}): Promise<string> {
  const { replies } = await play([line], flags);
  expect(replies).toHaveLength(1);
  return replies[0] ?? '';
}

async function openFolderStore(): Promise<Store> {
  return openStore({ at: join(folder, '.bridle/store.db'), keys: join(folder, 'home/keys') });
}

const sudoPolicy = `export default ({ deny, arg, safeDefaults }) => [
  deny('run_command', { name: 'no_sudo', when: arg('command_line', (line) => line.startsWith('sudo')) }),
  safeDefaults(),
];`;

describe('slash commands', () => {
  it(proves('P12')('explain a call: the rule that decides, and why the others did not'), async () => {
    const flags = { policy: write('policy.mjs', sudoPolicy) };
    const { replies } = await play(
      [
        '/explain run_command {"command_line": "ls"}',
        '/explain run_command {"command_line": "sudo ls"}',
        '/explain',
        'read a.txt',
        '/explain',
        '/policy',
      ],
      flags,
    );
    expect(replies[0]).toBe(
      [
        'ask: decided by safe_confirm (ask *)',
        '  question: Confirm run_command?',
        'rules, in order of evaluation:',
        '  protected_files (forbid *): did not apply',
        '  keys_are_for_people (forbid *): did not apply',
        '  commands_for_people (forbid *): did not apply',
        '  workspace_only (forbid *): did not apply',
        '  no_sudo (deny run_command): did not apply',
        '  safe_confirm (ask *): decided',
        '  protected_files_unsure (ask *): not reached',
        '  safe_observe (allow *): not reached',
      ].join('\n'),
    );
    expect(replies[1]).toMatch(/^deny: decided by no_sudo/);
    expect(replies[2]).toMatch(/^There is no call to explain yet\.\nUsage: /);
    expect(replies[4]).toMatch(/^view_file {"file_path":"a\.txt"}\nallow: decided by safe_observe/);
    expect(replies[5]).toMatch(/\n {2}workspace_only \(forbid \*\)\n {2}no_sudo/);
    expect(replies[5]).toMatch(/last: view_file was allowed by rule safe_observe \(allow \*\) \(details: \/explain\)$/);
  });

  it('report what is wrong with a call that cannot be explained', async () => {
    expect(await answerTo('/explain run_command {oops')).toMatch(/^The args are not JSON: /);
    expect(await answerTo('/explain rm -rf x')).toMatch(/^\$ rm -rf x\n(?:ask|deny): .*run_command/s);
    expect(await answerTo('/explain -- view_file x')).toMatch(/^\$ view_file x\n/);
    expect(await answerTo('/explain run_comand {}')).toMatch(/^deny: the call is invalid\n {2}reason: .*run_command/s);
    expect(await answerTo('/explain files/read {}')).toMatch(/^deny: the call is invalid/);
  });

  it('list tools and themselves, and suggest the nearest one', async () => {
    const { replies } = await play([
      '/tools',
      '/help',
      '/polici',
      '/\u001B[2J',
      '/',
      '/cancel',
      '/compact',
      '/quit',
      '/no',
    ]);
    expect(replies[0]).toContain('\n  run_command       Runs a command line in bash');
    const names = ['help', 'model', 'clear', 'sessions', 'export', 'cost', 'compact', 'approve', 'policy', 'explain'];
    for (const name of [...names, 'hooks', 'tools', 'details', 'cancel', 'quit'])
      expect(replies[1]).toContain(`  /${name}`);
    expect(replies.slice(2)).toEqual([
      'There is no command /polici. Did you mean /policy? See /help.',
      'There is no command /⟨U+001B⟩[2J. See /help.',
      expect.stringContaining('See /help') as string,
      'No turn is running.',
      'There is nothing to summarise yet.',
    ]);
  });

  it('count tokens of a model', async () => {
    write('agent.mjs', `${scripted}\nexport default { model, policy: [], default: 'allow', prices: {} };`);
    const { replies } = await play(['hello', '/cost'], { agent: inFolder('agent.mjs') });
    expect(replies).toEqual(['from the module', 'tokens 3 in 4 out · cost unknown · budget none\n  main: 3 in 4 out']);
  });

  it('switch the model, and keep it if the new one cannot be loaded', async () => {
    const { replies } = await play(['/model', '/model nowhere/x', '/model anthropic/other', '/clear']);
    expect(replies[0]).toBe(`The model is ${promptModelName}. To switch: /model <name>`);
    expect(replies[1]).toContain(`The model is still ${promptModelName}. There is no provider "nowhere"`);
    expect(replies[2]).toBe('From the next turn on, the model is anthropic/other.');
    expect(replies[3]).toBe('This conversation is new already.');
  });
});

const create = (file: string): string => `create ${file} with \`x\``;
const inFolder = (name: string): string => join(folder, name);

/** A model that always answers the same. */
const scripted = `const model = {
  specificationVersion: 'v4', provider: 'own', modelId: 'fixed', supportedUrls: {},
  async doGenerate() { throw new Error('only streams'); },
  async doStream() {
    const usage = { inputTokens: { total: 3 }, outputTokens: { total: 4 } };
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'from the module' },
      { type: 'text-end', id: 't' },
      { type: 'finish', finishReason: { unified: 'stop' }, usage },
    ];
    return { stream: ReadableStream.from(parts) };
  },
};`;

describe('sessions', () => {
  it(proves('A17')('are saved, listed with their first words, and resumed'), async () => {
    store = await openFolderStore();
    write('a.txt', 'aaa\n');
    const first = await play(
      ['read a.txt', '/clear', 'list', '/sessions', '/sessions 2', '/sessions', '/sessions none'],
      {},
      'one',
    );
    const [, cleared, , listed, resumed, again, missing] = first.replies;
    expect(cleared).toBe('This is a new conversation. To go back: /sessions one');
    expect(listed).toMatch(/^\* 1 .* 1 turn {2}list {2}\(chat-.*\)\n {2}2 .* 1 turn {2}read a\.txt {2}\(one\)\n/);
    expect(resumed).toMatch(/^session one: resumed, 4 messages\n  last request: .+\n  last answer: .+$/);
    expect(again).toMatch(/\n\* 2 .*\(one\)\n/);
    expect(missing).toContain('Session none was not resumed: there is no saved session "none"');
    // Another chat in the same folder, later.
    const second = await play(['/sessions one', 'hello'], {}, 'two');
    expect(second.replies[0]).toMatch(/^session one: resumed, 4 messages\n/);
    expect((await play(['hello'], {}, 'one')).chat.agent.history).toHaveLength(8);
  });

  it('are deleted on request, but not while they are open', async () => {
    store = await openFolderStore();
    await play(['hello'], {}, 'old');
    const { replies } = await play(
      [
        'hello',
        '/clear',
        '/sessions delete',
        '/sessions delete one',
        '/sessions delete 2',
        '/sessions delete old',
        '/sessions',
      ],
      {},
      'one',
    );
    expect(replies.slice(2)).toEqual([
      'Name the session to delete: /sessions delete <number or id>.',
      'Session one is open in this chat, so it was not deleted. Delete it from another chat.',
      'Session old was deleted. The journal still has its decisions.',
      'There is no saved session old. See /sessions.',
      expect.stringMatching(/^  1 .*\(one\)\nTo resume one: .* To delete one: \/sessions delete <number>$/),
    ]);
    expect(await store.sessions.load('old')).toBeUndefined();
  });

  it(proves('A17')('that are listed are not overwritten by a chat that has an older version'), async () => {
    store = await openFolderStore();
    const other = await openFolderStore();
    await play(['hello'], {}, 'one');
    const mine = storeSessions(store);
    const loaded = await mine.load('one');
    const theirs = await other.sessions.load('one');
    await other.sessions.save('one', theirs?.body ?? {}, theirs?.version ?? 0);
    expect(await listChats(store, { agent: 'main', cwd: folder, limit: 5 })).toHaveLength(1);
    await expect(mine.save(loaded as SavedSession)).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    await other.close();
  });

  it('are kept up to a limit: the newest ones, those of today, and all that a person has named', async () => {
    store = await openFolderStore();
    const ids = Array.from({ length: maxKept + 60 }, (_, at) => `chat-2026-01-01-0000-${(at + 4096).toString(16)}`);
    for (const id of ['mine', ...ids]) await store.sessions.save(id, {}, 0);
    const kept = async (): Promise<readonly string[]> => (await store?.sessions.list(1000))?.map(({ id }) => id) ?? [];
    const before = await kept();
    await deleteOldChats(store);
    expect(await kept()).toEqual(before);
    const tomorrow = Date.now() + 90_000_000;
    await deleteOldChats(store, tomorrow);
    expect(await kept()).toHaveLength(1 + maxKept + 10);
    await deleteOldChats(store, tomorrow);
    const chats = before.filter((id) => id !== 'mine');
    expect((await kept()).filter((id) => id !== 'mine')).toEqual(chats.slice(0, maxKept));
    expect(await kept()).toContain('mine');
  });

  it('are not listed without a store', async () => {
    expect(await answerTo('/sessions')).toBe('Sessions are not saved, because this chat has no store.');
  });
});

describe('/export', () => {
  it(proves('R10')('writes Markdown or JSON with secrets masked, and replaces no file'), async () => {
    write('a.txt', 'aaa ``` password=hunter2secret\n');
    const { replies } = await play([
      '/export',
      'read a.txt',
      '/export out.md',
      '/export out.md',
      '/export out.json',
      '/export no/x.md',
      '/export x.sh',
    ]);
    expect(replies[0]).toBe('There is nothing to export yet.');
    expect(replies[2]).toBe(
      `Exported 4 messages to ${inFolder('out.md')} (secrets are masked; only you can read the file).`,
    );
    expect(replies[3]).toBe(`Nothing was written: ${inFolder('out.md')} exists. Name another file.`);
    expect(replies[5]).toBe(`Nothing was written: the folder ${inFolder('no')} does not exist.`);
    expect(replies[6]).toBe('Nothing was written: name a file that ends with .md or .json, not x.sh.');
    const markdown = read('out.md');
    expect(markdown).toMatch(/^# Chat .*\n\n## You\n\nread a\.txt\n\n\*\*Call\*\* `view_file`\n\n```json\n/);
    expect(markdown).toContain('**Result** of `view_file`\n\n````\n');
    expect(JSON.parse(read('out.json'))).toMatchObject({ messages: [{ role: 'user' }, {}, {}, { role: 'assistant' }] });
    expect(markdown + read('out.json')).not.toContain('hunter2secret');
    expect(statSync(inFolder('out.md')).mode & 0o777).toBe(0o600);
  });

  it(proves('D11')('writes none of the files that control agents'), async () => {
    store = await openFolderStore();
    mkdirSync(inFolder('.claude'));
    mkdirSync(inFolder('home/x'), { recursive: true });
    const files = ['bridle.json', '.claude/settings.json', '.bridle/x.json', 'home/keys/x.md', 'home/x/y.md'];
    const { replies } = await play(['hello', ...files.map((file) => `/export ${file}`)]);
    for (const [index, file] of files.entries()) {
      expect(replies[index + 1], file).toMatch(/^Nothing was written: /);
      expect(existsSync(inFolder(file)), file).toBe(false);
    }
  });
});

describe('/approve', () => {
  it(proves('Q02')('asks by default, and accepts edits in the folder where the person said so'), async () => {
    mkdirSync(inFolder('.git'));
    const { replies, asked } = await play([
      '/approve',
      create('a.txt'),
      '/approve edits',
      create('b.txt'),
      create('.git/hook'),
      create('.envrc'),
      create('/tmp/elsewhere.txt'),
      create('bridle.yaml'),
      'run `touch c.txt`',
      '/policy',
      '/approve ask',
      create('d.txt'),
      '/approve never',
    ]);
    expect(replies[0]).toMatch(/^\* ask .*\n {2}edits .*\n {2}read-only /);
    expect(asked).toEqual([
      'create_file a.txt',
      'create_file .git/hook',
      'create_file .envrc',
      'run_command touch c.txt',
      'create_file d.txt',
    ]);
    const made = ['a.txt', 'b.txt', '.git/hook', '.envrc', 'bridle.yaml', 'c.txt', 'd.txt'].filter((file) =>
      existsSync(inFolder(file)),
    );
    expect(made).toEqual(['b.txt']);
    expect(replies.at(-1)).toBe('There is no mode never. The modes are ask, edits, read-only.');
  });

  it(
    proves('G03', 'Q02')('still asks what a hook or a rule for the tool asks, and denies what is denied'),
    async () => {
      const policy = write(
        'policy.mjs',
        `export default ({ ask, deny, arg, safeDefaults }) => [
        deny('create_file', { when: arg('file_path', (path) => path.endsWith('no.txt')) }),
        ask('create_file', { when: arg('file_path', (path) => path.endsWith('ask.txt')) }),
        ask('*', { name: 'review', when: arg('file_path', (path) => path.endsWith('review.txt')) }),
        safeDefaults(),
      ];`,
      );
      const hook = write(
        'hook.mjs',
        `export const careful = {
        name: 'careful',
        preToolCall: ({ call }) => call.args.file_path?.endsWith('hook.txt') ? { type: 'confirm', question: 'Sure?' } : undefined,
      };`,
      );
      const lines = ['yes.txt', 'no.txt', 'ask.txt', 'review.txt', 'hook.txt'].map(create);
      const { asked, replies } = await play([...lines, '/hooks'], { accept: 'edits', policy, hook: [hook] });
      expect(asked).toEqual(['create_file ask.txt', 'create_file review.txt', 'create_file hook.txt']);
      const files = ['yes.txt', 'no.txt', 'ask.txt', 'review.txt', 'hook.txt'];
      expect(files.filter((file) => existsSync(inFolder(file)))).toEqual(['yes.txt']);
      expect(replies.at(-1)).toBe(`  careful (--hook ${hook})\n    preToolCall: 4 calls, 1 × confirm`);
    },
  );

  it(proves('D11')('never lets the agent write the files that control the chat'), async () => {
    const files = {
      policy: write('policy.mjs', 'export default ({ safeDefaults }) => safeDefaults();'),
      agent: write('agent.mjs', `export default { model: '${promptModelName}' };`),
      hook: [write('hook.mjs', "export const quiet = { name: 'quiet' };")],
      mcp: [write('servers.json', '{ "mcpServers": {} }')],
    };
    const before = [files.policy, files.agent, ...files.hook, ...files.mcp].map((file) => readFileSync(file, 'utf8'));
    const names = ['policy.mjs', 'agent.mjs', 'hook.mjs', 'servers.json', '.claude/settings.json', 'bridle.yaml'];
    const { asked } = await play(names.map(create), { accept: 'edits', ...files });
    expect(asked).toEqual([]);
    expect(names.slice(0, 4).map(read)).toEqual(before);
    expect(names.slice(4).filter((name) => existsSync(inFolder(name)))).toEqual([]);
  });

  it(proves('Q05')('is in the journal as the answer of the person'), async () => {
    store = await openFolderStore();
    await play([create('a.txt')], { accept: 'edits' });
    const records: unknown[] = [];
    for await (const { text } of store.journal.read()) records.push(JSON.parse(text));
    const accepted = { by: '--accept edits' };
    expect(records).toMatchObject([{ status: 'asked' }, { status: 'approved', approval: accepted }, { status: 'ok' }]);
    expect(existsSync(inFolder('a.txt'))).toBe(true);
  });

  it(proves('G03')('denies every call with side effects in read-only mode, also what the policy allows'), async () => {
    const policy = write('policy.mjs', 'export default ({ allowAll }) => allowAll();');
    const hook = write(
      'hook.mjs',
      `export default ({ preToolCall, replace }) => preToolCall(({ call }) => replace(call.args), { name: 'replaces', priority: 1 });`,
    );
    write('a.txt', 'aaa\n');
    const lines = [
      '/approve read-only',
      create('b.txt'),
      'run `touch c.txt`',
      'read a.txt',
      '/approve ask',
      create('d.txt'),
    ];
    const { replies, asked } = await play(lines, { policy, hook: [hook] });
    expect(replies[1]).toContain('the chat is in read-only mode. To be asked instead, type /approve ask.');
    expect(replies[2]).toContain('read-only mode');
    expect(replies[3]).toContain('aaa');
    expect(['b.txt', 'c.txt', 'd.txt'].filter((file) => existsSync(inFolder(file)))).toEqual(['d.txt']);
    expect(asked).toEqual([]);
  });
});

describe('--agent, --mcp and --hook', () => {
  it(
    proves('A26')('run the own agent with its hooks and tools; the policy of the folder counts if it has none'),
    async () => {
      const agent = write(
        'agent.mjs',
        `const greet = { name: 'greet', description: 'Greets.', schema: { type: 'object' }, tier: 'observe', run: () => 'hello from the tool' };
      const hook = { name: 'mine', preToolCall() { this.seen = (this.seen ?? 0) + 1; } };
      export default ({ store }) => ({ tools: [greet], hooks: [hook], store });`,
      );
      const lines = ['call greet with {}', create('b.txt'), '/tools', '/hooks'];
      const { replies, asked } = await play(lines, { agent, model: promptModelName });
      expect(replies[0]).toContain('hello from the tool');
      expect(asked).toEqual(['create_file b.txt']);
      expect(replies[2]).toContain('\n  greet             Greets.');
      expect(replies[3]).toBe('  mine (--agent)\n    preToolCall: 2 calls');
    },
  );

  it(proves('A26')('take an agent that the module has created, with the approver of the terminal'), async () => {
    const agent = write(
      'agent.mjs',
      `import { createAgent } from ${JSON.stringify(new URL('../../../dist/agent/index.js', import.meta.url).href)};
      export default ({ approver }) => createAgent({ model: '${promptModelName}', cwd: ${JSON.stringify(folder)}, approver, default: 'ask' });`,
    );
    const { asked, replies } = await play([create('b.txt'), '/approve edits', '/approve read-only', create('c.txt')], {
      agent,
    });
    expect(asked).toEqual(['create_file b.txt']);
    expect(replies[1]).toContain('answers approvals itself');
    expect(replies[3]).toContain('read-only mode');
    await expect(play([], { agent, model: promptModelName })).rejects.toThrow('--model needs agent options');
  });

  it.each([
    ['hook', 'export default 3', 'exports a number, not a hook'],
    ['hook', 'export const x = 1', 'exports no hook'],
    ['hook', 'export default { preTurn() {} }', 'has no name'],
    ['hook', 'throw new Error("boo")', 'boo'],
    ['agent', 'export const x = 1', 'has no default export'],
    ['agent', 'export default () => 3', 'returned no agent'],
    ['mcp', '{', 'cannot be read'],
    ['mcp', '{"servers": {}}', 'has no "mcpServers"'],
    ['mcp', '{"mcpServers": {"a": {"type": "sse", "url": "http://x"}, "b": 3}}', 'server "a" has the type "sse"'],
    ['mcp', '{"mcpServers": {"a": {"command": "x", "env": {"A": "${BRIDLE_NOT_SET}"}}}}', 'variable BRIDLE_NOT_SET'],
    ['mcp', '{"mcpServers": {"a": {"args": []}}}', 'has no command and no url'],
  ])('say what is wrong: --%s with %s', async (option, text, problem) => {
    const file = write(option === 'mcp' ? 'mcp.json' : 'module.mjs', text);
    const flags = option === 'agent' ? { agent: file } : { [option]: [file] };
    await expect(play([], flags)).rejects.toThrow(problem);
    const missing = inFolder('none.mjs');
    await expect(play([], option === 'agent' ? { agent: missing } : { [option]: [missing] })).rejects.toThrow(missing);
  });

  it('read servers as clients write them, and name the fields that do not count', async () => {
    const { readMcpServersFile } = await import('./mcp-servers-file.ts');
    const file = write(
      'mcp.json',
      JSON.stringify({
        mcpServers: {
          files: {
            type: 'stdio',
            command: 'npx',
            args: ['-y', '${PKG}'],
            env: { TOKEN: 'x${env:TOKEN}', L: '${L:-info}' },
            autoApprove: ['*'],
            timeout: 5,
          },
          off: { command: 'x', disabled: true },
          web: { type: 'http', url: 'https://${HOST:-example.com}/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
        },
      }),
    );
    const { servers, notices } = readMcpServersFile(file, { PKG: 'server', TOKEN: 't', SECRET: 's' });
    expect(servers).toEqual([
      { name: 'files', command: 'npx', args: ['-y', 'server'], env: { TOKEN: 'xt', L: 'info' } },
      { name: 'web', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer t' } },
    ]);
    expect(notices).toEqual([
      `${file}: server "files": ignored "autoApprove", "timeout"`,
      `${file}: server "off" is disabled`,
    ]);
  });
});
