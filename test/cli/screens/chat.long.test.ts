/** The screens of `bridle chat`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { promptModelName } from '../../rigs/prompt-model.ts';
import { frames } from '../../wire/frames.ts';
import { type Answer, hang, rawServer, type RawServer, whole } from '../../wire/raw-server.ts';
import { keys, noTerminals } from '../terminal-rig.ts';
import { ScreenSession, type ScreenOptions } from './screen-rig.ts';

const title = noTerminals === undefined ? 'the screens of bridle chat' : `no terminals here: ${noTerminals}`;
const { open, text, toolCall, end } = frames.anthropic;
let session: ScreenSession | undefined;
let server: RawServer | undefined;

function start(options: ScreenOptions): ScreenSession {
  session = new ScreenSession(options);
  return session;
}

/** A chat with a model that gives these answers. One that starts with `-p` has no greeting. */
async function startWith(answers: readonly Answer[], options: ScreenOptions = {}): Promise<ScreenSession> {
  server = await rawServer(...answers);
  const env = { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: `${server.url}/v1`, ...options.env };
  return start({ args: ['chat', '--model', 'anthropic/claude-opus-5', '-p', 'go'], ...options, env });
}

function calls(id: string, name: string, args: object): Answer {
  const call = { id, name, args: JSON.stringify(args) };
  return whole(...open, ...toolCall(call), ...end(call));
}

afterEach(async () => {
  await session?.close();
  await server?.close();
  session = undefined;
  server = undefined;
});

const answer = `# The plan

The **parser** reads \`bridle.yaml\`, then the [linter](https://lint.example/rules) checks it. Both are fast enough for every commit.

1. Read the file
2. Check it
   - names
   - conditions that can never be true, because another rule above decides

| step | time |
|---|---|
| read | 3 ms for a file with many rules |
| 検査 | 1 ms |

\`\`\`ts
const rules = load("bridle.yaml"); // all of them
\`\`\`

Done 👍`;

const [ctrlO, ctrlR] = ['\u000F', '\u0012'];
const file = { file_path: 'notes.txt' };

const done = (): Answer => whole(...open, ...text('Done.'), ...end());

/** It ends by itself after half a minute: nothing may outlive a test that fails. */
const waiting = 'echo started; for i in $(seq 300); do test -e go && break; sleep 0.1; done; echo ended';

/** Pieces that cut words, marks and surrogate pairs. */
function pieces(whole: string): readonly string[] {
  return whole.match(/[^]{1,7}/g)?.flatMap((piece) => text(piece)) ?? [];
}

describe.skipIf(noTerminals !== undefined)(title, { timeout: 60_000 }, () => {
  it('show a call that is allowed, and its answer', async () => {
    const chat = await startWith([calls('1', 'view_file', file), done()], { files: { 'notes.txt': 'buy milk\n' } });
    await chat.until('turn 1');
    await chat.expectFixture('read');
  });

  it('leave no prompt behind when the chat ends', async () => {
    for (const [name, pressed] of [
      ['ended-ctrl-c', [keys.ctrlC, keys.ctrlC]],
      ['ended-ctrl-d', [keys.ctrlD]],
    ] as const) {
      const args = ['chat', '--model', promptModelName];
      const chat = start({ args, env: { ANTHROPIC_API_KEY: 'none' }, columns: 160 });
      await chat.until('> ');
      for (const key of pressed) {
        chat.terminal.press(key);
        if (key === keys.ctrlC) await chat.until('Ctrl-C');
      }
      expect(await chat.terminal.ended).toBe(0);
      await chat.expectFixture(name);
      await chat.close();
    }
  });

  it('show Markdown, in 80 and in 40 columns', async () => {
    const wide = await startWith([whole(...open, ...pieces(answer), ...end())], { rows: 40 });
    await wide.until('turn 1');
    await wide.expectFixture('markdown');
    const colours = (await wide.styledRows()).flat().filter(({ foreground }) => foreground !== undefined);
    expect(colours.map(({ text: each }) => each)).toContain('const');
    await wide.close();
    await server?.close();
    const narrow = await startWith([whole(...open, ...pieces(answer), ...end())], {
      columns: 40,
      rows: 40,
      env: { NO_COLOR: '1' },
    });
    await narrow.until('turn 1');
    await narrow.expectFixture('markdown-40');
    const styles = (await narrow.styledRows())
      .flat()
      .filter(({ foreground, bold }) => foreground !== undefined || bold);
    expect(styles).toEqual([]);
  });

  it('show edits as diffs, and the end of a command’s output', async () => {
    const source = 'export function greet(name: string): string {\n  return `Hi ${name}`;\n}\n';
    const chat = await startWith(
      [
        calls('1', 'edit_file', { file_path: 'greet.ts', old_text: 'Hi ${name}', new_text: 'Hello, ${name}!' }),
        calls('2', 'create_file', { file_path: 'notes.md', contents: '# Notes\n\tindented\n' }),
        calls('3', 'run_command', { command_line: 'for i in $(seq 30); do echo "line $i"; done' }),
        calls('4', 'run_command', { command_line: 'rm -rf build' }),
        whole(...open, ...text('All done.'), ...end()),
      ],
      {
        args: ['chat', '--model', 'anthropic/claude-opus-5', '--policy', 'rules.yaml', '-p', 'go'],
        files: {
          'greet.ts': source,
          'rules.yaml': `version: 1
rules:
  - { deny: run_command, name: no deleting, when: 'args.command_line.startsWith("rm")', reason: Move it to the trash instead. }
  - { allow: '*' }
`,
        },
        rows: 40,
      },
    );
    await chat.until('turn 1');
    await chat.expectFixture('calls');
    expect(readFileSync(join(chat.project, 'greet.ts'), 'utf8')).toContain('Hello');
  });

  it('ask about an edit with a diff, also after a resize', async () => {
    const chat = await startWith(
      [
        calls('1', 'edit_file', { file_path: 'a.txt', old_text: 'two', new_text: 'zwei\u202E' }),
        whole(...open, ...text('No?'), ...end()),
      ],
      { files: { 'a.txt': 'one\ntwo\nthree\n' } },
    );
    await chat.until('zwei');
    const rows = await chat.rows();
    const at = rows.findIndex((row) => row.startsWith('edit_file'));
    expect(rows.slice(at, at + 6).map((row) => row.trimEnd())).toEqual([
      'edit_file',
      '  file_path: a.txt',
      '  +1 −1',
      '  1   one',
      '  2 - two',
      '  2 + zwei⟨U+202E⟩',
    ]);
  });

  it('show what runs and how long, and survive a resize', async () => {
    const chat = await startWith(
      [calls('1', 'run_command', { command_line: waiting }), hang(...open, ...text('The answer is not com'))],
      {
        args: ['chat', '--model', 'anthropic/claude-opus-5', '--policy', 'rules.yaml', '-p', 'go'],
        files: { 'rules.yaml': "version: 1\nrules: [{ allow: '*' }]\n" },
      },
    );
    await chat.until('│ started');
    await chat.expectFixture('running');
    chat.resize(40, 24);
    await chat.expectFixture('running-40');
    writeFileSync(join(chat.project, 'go'), '');
    await chat.until('Writing…');
    await chat.expectFixture('writing-40');
    chat.terminal.press('\u0003');
    await chat.until('Cancelled');
    await chat.expectFixture('cancelled-40');
  });

  it('open folded output, show details, and complete, search and continue what is typed', async () => {
    const lines = { command_line: 'for i in $(seq 30); do echo "line $i"; done' };
    const chat = await startWith([calls('1', 'run_command', lines), done(), calls('2', 'view_file', file), done()], {
      args: ['chat', '--model', 'anthropic/claude-opus-5', '--policy', 'rules.yaml'],
      files: { 'rules.yaml': "version: 1\nrules: [{ allow: '*', name: everything }]\n", 'notes.txt': 'milk\n' },
      rows: 40,
    });
    const { terminal } = chat;
    await terminal.say('first prompt');
    await chat.until('turn 1');
    expect((await chat.rows(true)).join('\n')).toContain('✓ $ for i in');
    expect((await chat.rows(true)).join('\n')).not.toContain('│ line 5');
    terminal.press(ctrlO);
    await chat.until('│ line 5 ');
    terminal.press(ctrlO);
    await chat.until('Ctrl-O: nothing is folded.');
    await terminal.say('/details');
    await chat.until('Calls are shown with all details.');
    // A file is completed, the line is continued, and its second half is searched later.
    terminal.press('read @not\t');
    await chat.until('> read @notes.txt');
    terminal.press('\\', keys.enter, 'and more');
    await chat.until('> read @notes.txt and more');
    terminal.press(keys.enter);
    await chat.until('view_file: allowed by rule everything (allow, rules.yaml:2)');
    await chat.until('turn 2');
    terminal.press(ctrlR, 'and m');
    await chat.until('search history: and m');
    const rows = (await chat.rows()).map((row) => row.trimEnd());
    expect(rows.slice(rows.findIndex((row) => row.startsWith('search history')) - 2).slice(0, 2)).toEqual([
      '> read @notes.txt',
      '  and more',
    ]);
  });
});
