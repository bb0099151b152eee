import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findHistories } from './command-history.ts';

let home: string;
const folder = '/work/my.app';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bridle-history-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, content: string | Buffer): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function find(env: Readonly<Record<string, string>> = {}): Readonly<Record<string, readonly string[]>> {
  const histories = findHistories({ home, folder, env });
  return Object.fromEntries(histories.map(({ name, read }) => [name, read().map(({ line }) => line)]));
}

const jsonLines = (...records: readonly object[]): string =>
  records.map((each) => `${JSON.stringify(each)}\n`).join('');

function claudeCall(command: unknown, cwd: string = folder): object {
  const content = [
    { type: 'text', text: 'x' },
    { type: 'tool_use', name: 'Bash', input: { command } },
  ];
  return { type: 'assistant', cwd, message: { role: 'assistant', content } };
}

function codexCall(name: string, args: object): object {
  return { type: 'response_item', payload: { type: 'function_call', name, arguments: JSON.stringify(args) } };
}

describe('histories of shells', () => {
  it('has the commands of bash, without times', () => {
    write('.bash_history', '#1700000000\nls -la\n\n  npm test  \n#not a time\n');
    expect(find()).toEqual({ '~/.bash_history': ['ls -la', 'npm test', '#not a time'] });
  });

  it('has the commands of zsh in both formats, over several lines, decoded', () => {
    const text = ': 1700000000:0;ls\nplain\n: 1700000001:5;for a in b\\\ndo echo $a\\\ndone\n';
    // ü is c3 bc; zsh escapes bytes of its own range: 0x83 and the byte with bit 5 flipped.
    write(
      '.zsh_history',
      Buffer.concat([Buffer.from(text), Buffer.from('echo '), Buffer.from([0xc3, 0x83, 0xbc ^ 0x20])]),
    );
    expect(find()).toEqual({ '~/.zsh_history': ['ls', 'plain', 'for a in b\ndo echo $a\ndone', 'echo ü'] });
  });

  it('has the commands of fish, unescaped', () => {
    write(
      '.local/share/fish/fish_history',
      '- cmd: echo a\\nb \\\\n\n  when: 1700000000\n  paths:\n    - a\n- cmd: ls\n',
    );
    expect(find()).toEqual({ 'the history of fish': ['echo a\nb \\n', 'ls'] });
    expect(find({ XDG_DATA_HOME: join(home, 'none') })).toEqual({});
  });

  it('keeps the last commands of a long history, from a whole line on', () => {
    write('.bash_history', Array.from({ length: 60_000 }, (_, index) => `echo number ${index}`).join('\n'));
    const { '~/.bash_history': lines = [] } = find();
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([500, 'echo number 59500', 'echo number 59999']);
  });

  it('finds nothing in an empty home, and no folders or broken links', () => {
    expect(find()).toEqual({});
    mkdirSync(join(home, '.bash_history'));
    symlinkSync('nowhere', join(home, '.zsh_history'));
    expect(find()).toEqual({});
  });
});

describe('transcripts of coding agents', () => {
  it('has the commands of Claude Code in this folder and below', () => {
    const others = [
      { type: 'summary' },
      { type: 'user', message: { content: 'ls' } },
      { type: 'assistant', message: {} },
    ];
    write(
      '.claude/projects/-work-my-app/a.jsonl',
      `{broken\n[]\n${jsonLines(...others, claudeCall('npm test'), claudeCall(7), claudeCall('make', `${folder}/sub`))}`,
    );
    write('.claude/projects/-work-my-app/b.jsonl', jsonLines(claudeCall('not here', '/work/my-app')));
    write('.claude/projects/-work-other/c.jsonl', jsonLines(claudeCall('other')));
    expect(find()).toEqual({ 'transcripts of Claude Code': ['npm test', 'make'] });
    expect(find({ CLAUDE_CONFIG_DIR: join(home, 'none') })).toEqual({});
  });

  it('has the commands of Codex, of all its tools for commands', () => {
    const meta = { type: 'session_meta', payload: { id: 'x', cwd: folder } };
    const calls = [
      codexCall('shell', { command: ['bash', '-lc', 'git status && ls'] }),
      codexCall('shell', { command: ['grep', 'a b', 'x.txt'] }),
      codexCall('exec_command', { cmd: 'cargo test' }),
      codexCall('shell_command', { command: 'make', workdir: '/elsewhere' }),
      codexCall('update_plan', { command: 'no' }),
      { type: 'response_item', payload: { type: 'local_shell_call', action: { command: ['pwd'] } } },
      // Older versions wrote calls without a wrapper.
      { type: 'function_call', name: 'shell', arguments: '{"command":["sh","-c","old"]}' },
      { type: 'function_call', name: 'shell', arguments: '{broken' },
    ];
    write('.codex/sessions/2026/01/31/rollout-a.jsonl', jsonLines(meta, ...calls));
    expect(find()).toEqual({
      'transcripts of Codex': ['git status && ls', "grep 'a b' x.txt", 'cargo test', 'pwd', 'old'],
    });
    expect(find({ CODEX_HOME: join(home, 'none') })).toEqual({});
  });

  it('reads the latest transcripts, the oldest of them first', () => {
    for (let index = 0; index < 30; index++) {
      const file = write(`.claude/projects/-work-my-app/${99 - index}.jsonl`, jsonLines(claudeCall(`echo ${index}`)));
      utimesSync(file, index, index);
    }
    const { 'transcripts of Claude Code': lines = [] } = find();
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([20, 'echo 10', 'echo 29']);
  });
});
