import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { opencode } from './opencode.ts';
import { type PluginOptions, pluginText } from './plugin.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridle-opencode-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type PluginHook = (input: unknown, output?: unknown) => Promise<void>;
type Plugin = Readonly<
  Record<'config' | 'event' | 'chat.message' | 'tool.execute.before' | 'tool.execute.after', PluginHook>
>;

let count = 0;

/** The plugin as opencode loads it, with a shell script as the handler. */
async function load(script: string, options: Partial<PluginOptions> = {}): Promise<Plugin> {
  const name = join(folder, String(++count));
  writeFileSync(`${name}.sh`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  writeFileSync(`${name}.mjs`, pluginText({ handler: `${name}.sh`, limitSeconds: 20, ...options }));
  const { Bridle } = (await import(/* @vite-ignore */ pathToFileURL(`${name}.mjs`).href)) as {
    Bridle: (context: { directory: string }) => Promise<Plugin>;
  };
  return Bridle({ directory: folder });
}

/** A handler that prints this, after it has read everything. */
function prints(text: string): string {
  return `cat >/dev/null; printf '%s' '${text}'`;
}

const input = { tool: 'bash', sessionID: 'child', callID: 'c1' };
const before = async (plugin: Plugin, args: JsonObject = { command: 'ls' }): Promise<JsonObject> => {
  const output = { args: { ...args } };
  await plugin['tool.execute.before'](input, output);
  return output.args;
};

describe('the plugin for opencode', () => {
  it(proves('C02')('lets a call run only with a verdict that says so'), async () => {
    expect(await before(await load(prints('{"decision":"pass"}')))).toEqual({ command: 'ls' });
    expect(await before(await load(prints('\n{"decision": "pass"}\n')))).toEqual({ command: 'ls' });
  });

  it('refuses with the reason of the verdict', async () => {
    await expect(before(await load(prints('{"decision":"deny","reason":"No deleting."}')))).rejects.toThrow(
      /^No deleting\.$/,
    );
    await expect(before(await load(prints('{"decision":"deny"}')))).rejects.toThrow('denied');
  });

  it.each([
    ['prints nothing', 'cat >/dev/null'],
    ['prints {}', prints('{}')],
    ['prints text', prints('allowed')],
    ['prints torn JSON', prints('{"decision":"pass"')],
    ['prints a line before the verdict', prints('note\n{"decision":"pass"}')],
    ['prints two verdicts', prints('{"decision":"pass"}{"decision":"pass"}')],
    ['prints a list', prints('["pass"]')],
    ['prints null', prints('null')],
    ['prints another decision', prints('{"decision":"allow"}')],
    ['prints the decision of another event', prints('{"decision":"replace","output":"x"}')],
    ['prints a rewrite without input', prints('{"decision":"rewrite"}')],
    ['prints a rewrite with a text', prints('{"decision":"rewrite","input":"x"}')],
    ['prints a prototype', prints('{"__proto__":{"decision":"pass"}}')],
    ['passes, but exits with 1', `${prints('{"decision":"pass"}')}; exit 1`],
    ['passes, but exits with 2', `${prints('{"decision":"pass"}')}; echo 'Repair it.' >&2; exit 2`],
    ['is killed', `${prints('{"decision":"pass"}')}; kill -9 $$`],
    ['prints too much', 'cat >/dev/null; head -c 5000000 /dev/zero'],
  ])(proves('C02')('refuses if the handler %s'), async (_, script) => {
    await expect(before(await load(script))).rejects.toThrow(/^Bridle refused this call: /);
  });

  it('shows what a failing handler says', async () => {
    await expect(before(await load('echo "Run bridle doctor." >&2; exit 2'))).rejects.toThrow('Run bridle doctor.');
  });

  it('refuses if the handler does not exist or cannot be run', async () => {
    await expect(before(await load('', { handler: join(folder, 'missing') }))).rejects.toThrow('cannot be started');
    await expect(before(await load('', { handler: folder }))).rejects.toThrow('cannot be started');
  });

  it(proves('C02')('refuses after the time limit, and kills the handler with its children'), async () => {
    const pids = join(folder, 'pids');
    const script = `cat >/dev/null; printf '{"decision":"pass"}'; sleep 60 & echo $$ $! >${pids}; wait`;
    await expect(before(await load(script, { limitSeconds: 1.5 }))).rejects.toThrow('no verdict within 1.5 s');
    const [leader, child] = readFileSync(pids, 'utf8').trim().split(' ').map(Number);
    for (const pid of [leader, child]) await expect.poll(() => isAlive(pid!)).toBe(false);
  });

  it(proves('C02')('refuses payloads over 1 MiB without starting the handler'), async () => {
    const started = join(folder, 'started');
    const plugin = await load(`touch ${started}; ${prints('{"decision":"pass"}')}`);
    await expect(before(plugin, { command: 'x'.repeat(1_100_000) })).rejects.toThrow('1 MiB');
    expect(() => readFileSync(started)).toThrow('ENOENT');
    expect(await before(plugin, { command: 'x'.repeat(1_000_000) })).toHaveProperty('command');
  });

  it('survives a handler that does not read its input', async () => {
    const plugin = await load(`printf '{"decision":"pass"}'`);
    expect(await before(plugin, { command: 'x'.repeat(900_000) })).toHaveProperty('command');
  });

  it('changes the arguments in place', async () => {
    const plugin = await load(prints('{"decision":"rewrite","input":{"command":"pwd","__proto__":{"x":1}}}'));
    const output = { args: { command: 'ls', workdir: '/' } as JsonObject };
    const { args } = output;
    await plugin['tool.execute.before'](input, output);
    expect(output.args).toBe(args);
    expect(Object.entries(args)).toEqual([
      ['command', 'pwd'],
      ['__proto__', { x: 1 }],
    ]);
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
  });

  it('sends what the handler needs to know, in a form that it reads', async () => {
    const file = join(folder, 'sent');
    const plugin = await load(`cat >${file}; printf '{"decision":"pass"}'`);
    const sent = () =>
      opencode.read({ payload: JSON.parse(readFileSync(file, 'utf8')) as JsonObject, env: {}, folder: '/' });
    const created = (info: JsonObject) => plugin.event({ event: { type: 'session.created', properties: { info } } });
    await plugin.config({ shell: '/bin/bash', mcp: { 'my.lab': {} } });
    await created({ id: 'root', version: '1.18.33' });
    expect(sent()).toMatchObject({ type: 'session-start', session: 'root', agent: ['main'], version: '1.18.33' });
    await created({ id: 'child', parentID: 'root' });
    expect(sent()).toMatchObject({ type: 'other', session: 'root', agent: ['main', 'child'] });
    await before(plugin, { command: 'ls', workdir: 'a' });
    expect(sent()).toMatchObject({
      type: 'tool-call',
      session: 'root',
      agent: ['main', 'child'],
      cwd: folder,
      calls: [{ id: 'c1', tool: 'run_command', args: { command_line: 'ls', working_dir: join(folder, 'a') } }],
    });
    expect(sent()).toMatchObject({ calls: [{ declaration: { touches: { bash: ['command_line'] } } }] });
    await plugin['tool.execute.before']({ ...input, tool: 'my_lab_touch' }, { args: { x: 1 } });
    expect(sent()).toMatchObject({ calls: [{ server: 'my.lab', tool: 'touch', args: { x: 1 } }] });
    await plugin['tool.execute.after'](
      { ...input, args: { command: 'ls' } },
      { output: 'a', metadata: { big: 'x'.repeat(2_000_000) } },
    );
    expect(sent()).toMatchObject({ type: 'tool-result', outcome: { type: 'ok', value: 'a' } });
    await plugin['chat.message'](
      { sessionID: 'root' },
      {
        parts: [
          { type: 'text', text: 'hello' },
          { type: 'file', url: 'data:' },
        ],
      },
    );
    expect(sent()).toMatchObject({ type: 'prompt', text: 'hello' });
    await plugin.event({ event: { type: 'session.idle', properties: { sessionID: 'root' } } });
    expect(sent()).toMatchObject({ type: 'turn-end', name: 'session.idle' });
    await plugin.event({ event: { type: 'session.compacted', properties: { sessionID: 'root' } } });
    expect(sent()).toMatchObject({ type: 'compaction' });
  });

  it('replaces and withholds results', async () => {
    const replacing = await load(prints('{"decision":"replace","output":"[hidden]"}'));
    const result = { output: 'secret', attachments: [{ url: 'data:' }] };
    await replacing['tool.execute.after']({ ...input, args: {} }, result);
    expect(result).toEqual({ output: '[hidden]', attachments: [] });
    const content = {
      content: [
        { type: 'text', text: 'secret' },
        { type: 'image', data: 'x'.repeat(2_000_000) },
      ],
    };
    await replacing['tool.execute.after']({ ...input, args: {} }, content);
    expect(content).toEqual({ output: '[hidden]', content: [{ type: 'text', text: '[hidden]' }] });
    await expect((await load('exit 1'))['tool.execute.after']({ ...input, args: {} }, { output: 'x' })).rejects.toThrow(
      'Bridle refused',
    );
    await expect(
      (await load(prints('{"decision":"replace"}')))['tool.execute.after'](input, { output: 'x' }),
    ).rejects.toThrow('Bridle refused');
  });

  it('refuses prompts, and ignores failures of other events', async () => {
    const message = [{ sessionID: 's' }, { parts: [] }] as const;
    await expect(
      (await load(prints('{"decision":"deny","reason":"No."}')))['chat.message'](...message),
    ).rejects.toThrow('No.');
    await expect((await load('exit 1'))['chat.message'](...message)).rejects.toThrow('exit status 1');
    const idle = { event: { type: 'session.idle', properties: { sessionID: 's' } } };
    await expect((await load('exit 1')).event(idle)).resolves.toBeUndefined();
    await expect(
      (await load('exit 1')).event({ event: { type: 'file.edited', properties: {} } }),
    ).resolves.toBeUndefined();
  });

  it('refuses and changes nothing if it only observes', async () => {
    for (const script of [
      'exit 1',
      prints('{"decision":"deny","reason":"No."}'),
      prints('{"decision":"rewrite","input":{}}'),
    ]) {
      const plugin = await load(script, { observe: true });
      expect(await before(plugin)).toEqual({ command: 'ls' });
      await expect(plugin['chat.message']({ sessionID: 's' }, { parts: [] })).resolves.toBeUndefined();
    }
    const result = { output: 'x' };
    await (
      await load(prints('{"decision":"replace","output":"y"}'), { observe: true })
    )['tool.execute.after'](input, result);
    expect(result).toEqual({ output: 'x' });
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}
