/** Damaged payloads: no crash, and no call runs that the policy does not allow. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerPayload } from '../../src/hosts/handler/hook-process.ts';
import { testedHosts, HookRig, letsRun } from '../rigs/hook-rig.ts';
import { mutatedPayloads } from '../hosts/mutated-payloads.ts';
import { recordedEvents } from '../hosts/recorded-events.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { proves } from '../contract/cite.ts';

/** Nothing that a payload can ask for is allowed, except reading one file. */
const strict = `version: 1
default: deny
rules:
  - allow: view_file
    when: args.file_path.endsWith("/project/readme.md")
`;

describe.each(testedHosts.map(({ name }) => name))('%s', (host) => {
  it(proves('C02')('1,000 damaged payloads never lead to a call that the policy denies'), async () => {
    const rig = new HookRig().policy(strict);
    const env = rig.env(host);
    const flags = { host, limit: 60, observes: false, installed: undefined, home: rig.home };
    const context = { env, hosts: testedHosts, folder: rig.project, deadline: AbortSignal.timeout(600_000) };
    const payloads = recordedEvents(host)
      .map(({ input }) => JSON.parse(JSON.stringify(input.payload).replaceAll('/home/user/project', rig.project)))
      .filter((payload: JsonObject) => /"(?:tool_name|toolName|tool)"/.test(JSON.stringify(payload))) as JsonObject[];
    const names = [
      'tool_name',
      'toolName',
      'tool_input',
      'toolArgs',
      'hook_event_name',
      'Bash',
      'bash',
      'Read',
      'event',
    ];
    try {
      const check = async (payload: JsonObject): Promise<void> => {
        const output = await answerPayload(JSON.stringify(payload), flags, context).catch(() => undefined);
        if (output === undefined || output.exitCode === 2) return;
        expect(output.exitCode).toBe(0);
        const isBefore = host === 'opencode' ? payload['event'] === 'tool.execute.before' : isPreTool(payload);
        if (isBefore) expect(letsRun({ ...output, code: output.exitCode, signal: null })).toBe(false);
      };
      await fc.assert(fc.asyncProperty(mutatedPayloads(payloads, names), check), { numRuns: 1000, seed: 15 });
    } finally {
      rig.remove();
    }
  });
});

/** True for an event that still is the one before a tool call. */
function isPreTool(payload: JsonObject): boolean {
  const name = payload['hook_event_name'];
  if (name === undefined) {
    return (
      typeof payload['toolName'] === 'string' && !['toolResult', 'error', 'hookName'].some((key) => key in payload)
    );
  }
  return name === 'PreToolUse' || name === 'BeforeTool';
}
