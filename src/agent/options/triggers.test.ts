/** Triggers can only send prompts. They stop with the agent, and a failing one does not affect anything else. */

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { preTurn, reject, type BridleEvent } from 'bridle';
import { every, onFileChange, type Trigger, type TriggerHandles } from 'bridle/agent';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentParts, agentRig, settled, type AgentRig } from '../../../test/rigs/agent-rig.ts';
import { runNode } from '../../../test/rigs/child.ts';
import { proves } from '../../../test/contract/cite.ts';
import { eventsOf, later, never, only } from '../../../test/rigs/guard-rig.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'bridle-triggers-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** A trigger that a test fires itself. */
function byHand(name = 'by hand'): { trigger: Trigger; handles: () => TriggerHandles } {
  let held: TriggerHandles | undefined;
  const trigger: Trigger = { name, start: (handles) => void (held = handles) };
  return {
    trigger,
    handles: () => {
      if (held === undefined) throw new RangeError('not started');
      return held;
    },
  };
}

/** Resolves when a matching event arrives. The timeout of the test is the limit. */
async function waitForEvent(rig: AgentRig, fits: (event: BridleEvent) => boolean): Promise<void> {
  while (!rig.events.some(fits)) await new Promise((resolve) => setTimeout(resolve, 5));
}

function prompts({ agent }: AgentRig): readonly string[] {
  return agent.history
    .filter(({ role }) => role === 'user')
    .map(({ content }) => String((content[0] as { text?: unknown }).text));
}

const fails = (name: string, start: Trigger['start']): Trigger => ({ name, start });

const broken = (): never => {
  throw new TypeError('broken');
};

const boom = (): never => {
  throw new TypeError('boom');
};

describe('a trigger', () => {
  it(proves('A14')('sends prompts that pass preTurn with their origin, after the queued ones'), async () => {
    const { trigger, handles } = byHand();
    const origins: string[] = [];
    const log = preTurn(({ prompt, origin }) => void origins.push(`${origin}: ${prompt.text}`), { name: 'log' });
    const rig = await agentRig(['one', 'two', 'three'], { triggers: [trigger], hooks: [log] });
    const first = rig.agent.chat('a person');
    const second = handles().send('the trigger');
    const third = rig.agent.chat('another person');
    await Promise.all([first, second, third]);
    expect(origins).toEqual(['user: a person', 'trigger: the trigger', 'user: another person']);
    expect(eventsOf(rig, 'turn_started').map(({ origin }) => origin)).toEqual(['user', 'trigger', 'user']);
    expect(only(eventsOf(rig, 'trigger_fired'))).toMatchObject({ trigger: 'by hand' });
    await rig.agent.stop();
  });

  it(proves('A14')('gets no other handles, and cannot change its origin'), async () => {
    const { trigger, handles } = byHand();
    const gate = preTurn(({ origin }) => (origin === 'trigger' ? reject('people only') : undefined), { name: 'gate' });
    const rig = await agentRig([], { triggers: [trigger], hooks: [gate] });
    expect(Object.keys(handles()).toSorted()).toEqual(['fail', 'send', 'signal']);
    await handles().send('let me in');
    await handles().send({ text: 'origin: user', origin: 'user' } as never);
    expect(rig.agent.history).toEqual([]);
    expect(eventsOf(rig, 'turn_ended').map(({ stopReason }) => stopReason)).toEqual(['rejected']);
    rig.model.assertDone();
    await rig.agent.stop();
  });

  it(
    proves('A14')('fails without affecting others: at its start, later, in its prompt, in its turn, or at its end'),
    async () => {
      const { trigger, handles } = byHand();
      const rig = await agentRig([{ error: new TypeError('down') }, 'fine', 'fine too'], {
        triggers: [
          fails('sync', broken),
          fails('async', async () => broken()),
          fails('odd', () => 7 as never),
          fails('end', () => broken),
          trigger,
        ],
      });
      await settled();
      await handles().send('model is down');
      await handles().send('');
      handles().fail('said so');
      await handles().send('works again');
      expect(await rig.agent.chat('me too')).toMatchObject({ text: 'fine too' });
      const failed = (): unknown => eventsOf(rig, 'trigger_failed').map((event) => event.trigger);
      expect(failed()).toEqual(['sync', 'async', 'by hand', 'by hand', 'by hand']);
      await rig.agent.stop();
      expect(failed()).toEqual(['sync', 'async', 'by hand', 'by hand', 'by hand', 'end']);
      expect(rig.eventTypes().at(-1)).toBe('session_ended');
    },
  );

  it(
    proves('A14')('that never starts blocks nothing, and one that starts too late is stopped immediately'),
    async () => {
      const ready = later<() => void>();
      let ended = 0;
      let aborted = false;
      const rig = await agentRig(['hello'], {
        triggers: [
          { name: 'never', start: ({ signal }) => (signal.addEventListener('abort', () => (aborted = true)), never()) },
          { name: 'late', start: () => ready.promise },
        ],
      });
      expect(await rig.agent.chat('hi')).toMatchObject({ text: 'hello' });
      await rig.agent.stop();
      ready.resolve(() => void ended++);
      await settled();
      expect({ aborted, ended }).toEqual({ aborted: true, ended: 1 });
    },
  );

  it(
    proves('A14')(
      'stops with the agent: its signal is aborted, its stop function is called once, and later prompts are dropped',
    ),
    async () => {
      let ends = 0;
      let held: TriggerHandles | undefined;
      const rig = await agentRig([], {
        triggers: [{ name: 't', start: (given) => ((held = given), () => void ends++) }],
      });
      expect(held?.signal.aborted).toBe(false);
      await Promise.all([rig.agent.stop(), rig.agent.stop()]);
      expect({ aborted: held?.signal.aborted, ends }).toEqual({ aborted: true, ends: 1 });
      await held?.send('too late');
      expect(rig.eventTypes()).not.toContain('trigger_fired');
      rig.model.assertDone();
    },
  );

  it(proves('A14')('is not started if the start of the agent fails, and stops with the turn it started'), async () => {
    let started = 0;
    const refused = agentParts([], {
      hooks: [{ name: 'no', onSessionStart: () => reject('no') }],
      triggers: [{ name: 't', start: () => void started++ }],
    });
    await expect(refused.agent.start()).rejects.toMatchObject({ code: 'SESSION_REJECTED' });
    expect(started).toBe(0);
    const { trigger, handles } = byHand();
    const rig = await agentRig([{ hang: true }], { triggers: [trigger] });
    const sending = handles().send('for ever');
    await settled();
    await rig.agent.stop();
    await sending;
    expect(eventsOf(rig, 'turn_ended')).toMatchObject([{ stopReason: 'cancelled' }]);
  });
});

describe('every', () => {
  it(
    proves('A14')('sends repeatedly, never while the last prompt is queued, and survives a failing prompt'),
    async () => {
      const gate = later<string>();
      let promptCount = 0;
      const prompt = (): string | undefined => {
        promptCount++;
        if (promptCount === 1) throw new TypeError('no prompt today');
        return promptCount === 2 ? undefined : `tick ${promptCount}`;
      };
      const rig = await agentRig([async () => gate.promise, 'second'], { triggers: [every(5, prompt)] });
      await waitForEvent(rig, ({ type }) => type === 'turn_started');
      await new Promise((resolve) => setTimeout(resolve, 40));
      expect(promptCount).toBe(3);
      expect(only(eventsOf(rig, 'trigger_failed'))).toMatchObject({ message: 'no prompt today' });
      gate.resolve('first');
      await waitForEvent(rig, ({ type, turn }) => type === 'turn_ended' && turn === 2);
      await rig.agent.stop();
      const after = promptCount;
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(promptCount).toBe(after);
    },
  );

  it(proves('A14')('refuses an invalid interval'), () => {
    for (const ms of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5' as never]) {
      expect(() => every(ms, 'x')).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    }
  });
});

describe('onFileChange', () => {
  it(proves('A14')('sees a file that is written or replaced, repeatedly'), async () => {
    const path = join(folder(), 'notes.txt');
    writeFileSync(path, 'one');
    const rig = await agentRig(['1', '2', '3'], { triggers: [onFileChange(path, (changed) => `changed ${changed}`)] });
    for (let turn = 1; turn <= 3; turn++) {
      writeFileSync(`${path}.new`, `version ${turn}`);
      if (turn === 1) writeFileSync(path, 'written');
      else renameSync(`${path}.new`, path);
      await waitForEvent(rig, (event) => event.type === 'turn_ended' && event.turn === turn);
    }
    await rig.agent.stop();
    expect(eventsOf(rig, 'trigger_fired')).toHaveLength(3);
    expect(eventsOf(rig, 'turn_started').every(({ origin }) => origin === 'trigger')).toBe(true);
  });

  it(proves('A14')('sees changes in a folder, and survives its deletion'), async () => {
    const path = join(folder(), 'inbox');
    mkdirSync(path);
    const rig = await agentRig(['1', 'still here'], { triggers: [onFileChange(path, (changed) => `new: ${changed}`)] });
    writeFileSync(join(path, 'mail'), 'x');
    await waitForEvent(rig, ({ type }) => type === 'turn_ended');
    expect(prompts(rig)).toEqual(['new: mail']);
    rmSync(path, { recursive: true });
    expect(existsSync(path)).toBe(false);
    await rig.agent.stop();
  });

  it(proves('A14')('reports a missing path or a prompt that throws, and the agent keeps running'), async () => {
    const path = join(folder(), 'here');
    writeFileSync(path, '');
    const rig = await agentRig(['hello'], {
      triggers: [onFileChange('/no/such/place', () => 'x'), onFileChange(path, boom)],
    });
    writeFileSync(path, 'changed');
    await waitForEvent(rig, (event) => event.type === 'trigger_failed' && event.message === 'boom');
    expect(eventsOf(rig, 'trigger_failed').map(({ message }) => message)[0]).toContain('ENOENT');
    expect(await rig.agent.chat('hi')).toMatchObject({ text: 'hello' });
    await rig.agent.stop();
  });
});

describe('after the agent has stopped', () => {
  it(proves('A14')('no timer or watcher is left, so the process exits'), async () => {
    const place = folder();
    const program = `
      import { createAgent, every, onFileChange } from 'bridle/agent';
      import { scriptedModel } from 'bridle/testing';
      const agent = createAgent({
        model: scriptedModel(['ok'], { repeat: true }), capabilities: 'none', telemetry: false,
        triggers: [every(5, 'tick'), every(60_000, 'tock'), onFileChange(${JSON.stringify(place)}, () => 'changed')],
      });
      await agent.start();
      await new Promise((resolve) => setTimeout(resolve, 30));
      await agent.stop();
      await new Promise((resolve) => setTimeout(resolve, 200));
      console.log(JSON.stringify(process.getActiveResourcesInfo().filter((each) => /Timeout|FSEvent|Immediate/.test(each))));
    `;
    const { code, stdout, output } = await runNode(['--input-type=module', '-e', program], process.cwd());
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout.trim())).toEqual([]);
  });
});
