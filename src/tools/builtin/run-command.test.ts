import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { proves } from '../../../test/contract/cite.ts';
import { toolRig, type ToolRig } from '../../../test/rigs/tool-rig.ts';

let rig: ToolRig;
beforeEach(async () => {
  rig = await toolRig();
});
afterEach(() => rig.remove());

const run = (command_line: string): Promise<string> => rig.text('run_command', { command_line });

/** The running processes of a group. */
function members(group: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const [state, , pgrp] = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '').split(' ');
      return pgrp === group && state !== 'Z';
    } catch {
      return false;
    }
  });
}

/** Waits until a running command has written a file completely. */
async function contentsOf(name: string, from = rig): Promise<string> {
  while (!existsSync(from.path(name)) || !readFileSync(from.path(name), 'utf8').endsWith('\n')) await delay(10);
  return readFileSync(from.path(name), 'utf8').trim();
}

describe('run_command', () => {
  it(proves('A11')('returns the exit code, stdout and stderr'), async () => {
    expect(await run('echo out; echo err >&2; exit 3')).toBe('[exit code 3]\nout\n[stderr]\nerr');
    expect(await run('true')).toBe('[exit code 0]\n[no output]');
    expect(await run('kill -9 $$')).toBe('[killed by SIGKILL]\n[no output]');
  });

  it(proves('X11')('treats a line that starts with a dash as a command, not as options of bash'), async () => {
    expect(await run('-c "echo tricked"')).toContain('[exit code 127]');
    expect(await run('--rcfile x')).toContain('[exit code 127]');
  });

  it(proves('X11')('runs bash by its absolute path, without startup files'), async () => {
    rig.write('home/.bashrc', 'echo rc');
    rig.write('home/.bash_profile', 'echo profile');
    const own = await toolRig({ env: { HOME: rig.path('home') } });
    const text = await own.text('run_command', { command_line: 'echo $0 $BASH $-; shopt login_shell' });
    expect(text).toMatch(/\/bin\/bash \/\S*bin\/bash hBc\nlogin_shell\s+off$/);
    own.remove();
    const started = (await run('cat /proc/$$/cmdline; true')).replaceAll('\0', ' ');
    expect(started).toMatch(/^\[exit code 0\]\n\/\S*bin\/bash --noprofile --norc -c -- cat /);
  });

  it(proves('X11')('inherits no secrets and no variables that affect bash'), async () => {
    const secret = {
      SOME_API_KEY: 'sk-1',
      BASH_ENV: '/tmp/evil',
      ENV: '/tmp/evil',
      SHELLOPTS: 'xtrace',
      'BASH_FUNC_ls%%': '() { echo evil; }',
      BRIDLE_STORE: 'postgres://user:word@host/base',
      BRIDLE_HOME: '/tmp/evil',
    };
    const before = { ...process.env };
    Object.assign(process.env, secret, { LC_TIME: 'C' });
    try {
      const own = await toolRig({ env: { GREETING: 'hi' } });
      const env = await own.text('run_command', { command_line: 'env -0 | tr "\\0" "\\n"; ls' });
      const names = [...env.matchAll(/^([A-Za-z_%]\w*[^=\n]*)=/gm)].map((match) => match[1] ?? '');
      const allowed =
        /^(PATH|HOME|LANG|LANGUAGE|LC_\w+|TMPDIR|TZ|USER|LOGNAME|TERM|PAGER|GIT_PAGER|GIT_TERMINAL_PROMPT|NO_COLOR|SHELL|PWD|OLDPWD|SHLVL|_|BRIDLE_AGENT|GREETING)$/;
      expect(names.filter((name) => !allowed.test(name))).toEqual([]);
      expect(env).toContain('GREETING=hi');
      expect(env).toContain('TERM=dumb');
      expect(env).toContain('LC_TIME=C');
      expect(env).not.toContain('evil');
      own.remove();
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
      Object.assign(process.env, before);
    }
  });

  it(proves('Q06', 'X11')('marks its processes, and refuses an env that sets a variable of Bridle'), async () => {
    expect(await run('echo "$BRIDLE_AGENT"; bash -c "echo \\$BRIDLE_AGENT"')).toBe('[exit code 0]\n1\n1');
    for (const name of ['BRIDLE_AGENT', 'BRIDLE_HOME', 'BRIDLE_STORE']) {
      await expect(toolRig({ env: { [name]: '' } })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    }
  });

  it(proves('A11')('has no stdin'), async () => {
    expect(await run('cat; read line; echo "got:$line:$?"')).toContain('got::');
  });

  it(proves('A11', 'W06')('runs in the given folder, and in the one that was checked'), async () => {
    mkdirSync(rig.path('sub'));
    const shown = await rig.text('run_command', { command_line: 'pwd; pwd -P', working_dir: 'sub' });
    expect(shown).toBe(`[exit code 0]\n${rig.path('sub')}\n${rig.path('sub')}`);
    expect(await run('pwd')).toContain(rig.folder);
    expect((await rig.call('run_command', { command_line: 'pwd', working_dir: '/' })).type).toBe('denied');
    const swapped = await toolRig({
      beforeRun() {
        renameSync(swapped.path('sub'), swapped.path('moved'));
        symlinkSync('/', swapped.path('sub'));
      },
    });
    mkdirSync(swapped.path('sub'));
    expect(await swapped.error('run_command', { command_line: 'ls', working_dir: 'sub' })).toContain(
      'has changed since it was checked',
    );
    swapped.remove();
  });

  it(proves('A11', 'G12')('keeps only the start and the end of 100 MB'), async () => {
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const sampling = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)), 5);
    const text = await run('echo first; head -c 100000000 /dev/zero | tr "\\0" "x"; echo; echo last');
    expect(text).toMatch(/^\[exit code 0\]\nfirst\nx+\n… \[cut: \d+ bytes of 100000012\] …\nx+\nlast$/);
    expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024);
    clearInterval(sampling);
    expect(peak).toBeLessThan(90_000_000);
  });

  it(proves('A11', 'G12')('cuts between characters'), async () => {
    const text = await run("printf 'x'; for i in {1..40000}; do printf '€'; done");
    expect(text).toContain('[cut: ');
    expect(text).not.toContain('\ufffd');
  });

  it(proves('A11')('kills a command that never stops printing, with its children'), async () => {
    const text = await run('echo $$; yes | cat');
    expect(text).toContain('[not finished: stopped by output limit of 268435456 bytes]');
    expect(members(/\]\n(\d+)\n/.exec(text)?.[1] ?? 'none')).toEqual([]);
  });

  it(proves('A11')('kills a command that ignores SIGTERM at its timeout, and returns its output'), async () => {
    const own = await toolRig({ commandTimeoutMs: 300 });
    const line = 'trap "" TERM; echo $$; (trap "" TERM; while :; do sleep 100; done) & while :; do sleep 100; done';
    const text = await own.text('run_command', { command_line: line });
    expect(text).toMatch(/^\[not finished: stopped by time limit of 300 ms\]\n\d+$/);
    expect(members(text.split('\n').at(-1) ?? '')).toEqual([]);
    own.remove();
  });

  it(proves('A11', 'P18')('is killed with its children at the timeout of its grant'), async () => {
    const own = await toolRig({ grant: { timeoutMs: 300 } });
    const result = await own.call('run_command', { command_line: 'echo $$ > pid; sleep 1000 & sleep 1000' });
    expect(result.type).toBe('timeout');
    const group = await contentsOf('pid', own);
    while (members(group).length > 0) await delay(10);
    own.remove();
  });

  it(proves('A11', 'A07')('is killed with its children when the turn is cancelled'), async () => {
    const running = rig.call('run_command', { command_line: 'echo $$ > pid; (sleep 1000; echo never > late) & wait' });
    const group = await contentsOf('pid');
    expect(members(group).length).toBeGreaterThan(0);
    rig.turn.cancel();
    expect((await running).type).toBe('cancelled');
    while (members(group).length > 0) await delay(10);
    expect(existsSync(rig.path('late'))).toBe(false);
  });

  it(proves('A11')('does not wait for a child in the background, and leaves none'), async () => {
    const text = await run('sleep 1000 & echo $$');
    expect(text).toMatch(/^\[exit code 0\]\n\[processes it left in the background were killed\]\n\d+$/);
    expect(members(text.split('\n').at(-1) ?? '')).toEqual([]);
  });

  it(proves('A11')('does not wait for a child outside its group that keeps the pipe open'), async () => {
    const text = await run('setsid sleep 3 & sleep 0.3; echo done');
    expect(text).toContain('done');
  });

  it(proves('A11')('reports why a command cannot be started'), async () => {
    const own = await toolRig({ shell: '/no/such/bash' });
    expect(await own.error('run_command', { command_line: 'ls' })).toContain('/no/such/bash cannot be started');
    own.remove();
    expect(await rig.error('run_command', { command_line: 'echo a\0b' })).toContain('cannot be started');
    expect(await rig.error('run_command', { command_line: `echo ${'x'.repeat(200_000)}` })).toMatch(/E2BIG|too long/i);
  });

  it(proves('A11')('accepts output that is not text'), async () => {
    expect(await run(String.raw`printf '\xff\x00ok'`)).toBe('[exit code 0]\n\ufffd\0ok');
  });
});
