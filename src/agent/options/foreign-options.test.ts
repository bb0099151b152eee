/** Options as other SDKs name them: the error names the Bridle option. */

import { createAgent } from 'bridle/agent';
import { scriptedModel } from 'bridle/testing';
import { describe, expect, it } from 'vitest';
import { agentRig } from '../../../test/rigs/agent-rig.ts';
import { bridleOptionFor } from './foreign-options.ts';

const model = scriptedModel([]);
const run = (): string => 'x';

function problemOf(options: object): string {
  try {
    createAgent({ model, capabilities: 'none', ...options });
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('an option of another SDK', () => {
  it.each([
    ['policies', '"policy"'],
    ['responseSchema', 'chat(prompt, { schema })'],
    ['response_schema', 'chat(prompt, { schema })'],
    ['enableSubagents', '"capabilities": { subagents: false }'],
    ['systemPrompt', '"instructions"'],
    ['system_instructions', '"instructions"'],
    ['llm', '"model"'],
    ['tools_list', '"tools"'],
    ['provider', '"model"'],
    ['mcp_servers', '"mcpServers"'],
    ['max_steps', '"maxSteps"'],
    ['maxTurns', '"maxSteps"'],
    ['allowedTools', 'enabledTools'],
    ['conversation_id', '"session": { id }'],
    ['save_dir', '"session": { store }'],
    ['max_tokens', 'maxOutputTokens'],
    ['temperature', '"settings": { temperature }'],
    ['ask_user', '"approver"'],
    ['callbacks', '"hooks"'],
    ['runtime_policy', '"policy"'],
    ['tool', '"tools"'],
    ['instrutions', '"instructions"'],
  ])('%s is refused with %s', (name, bridle) => {
    const problem = problemOf({ [name]: 1 });
    expect(problem).toContain(`option "${name}" is not known; `);
    expect(problem).toContain(bridle);
  });

  it.each([
    [{ capabilities: { enable_subagents: false } }, 'use "subagents"'],
    [{ capabilities: { allowedTools: [] } }, 'use "enabledTools"'],
    [{ subagents: { a: { systemPrompt: 'x' } } }, 'use "instructions"'],
    [{ subagents: { a: { callbacks: [] } } }, 'use "hooks" of createAgent'],
    [{ session: { threadId: 'x' } }, 'use "id"'],
    [{ settings: { maxTokens: 1 } }, 'use "maxOutputTokens"'],
    [{ budget: { perTurn: { maxCost: 1 } } }, 'use "cost"'],
    [{ tools: { weather: {} } }, 'such as [defineTool('],
    [{ mcpServers: { github: {} } }, 'such as [{ name'],
    [{ loop: { name: 'x', run, init: () => undefined } }, 'use "start"'],
    [{ loop: { name: 'x', run_turn: run } }, 'use "run"'],
    [{ loop: { name: 'x', run, start: 1 } }, 'start that is not a function'],
  ])('is also found inside others: %j', (options, hint) => {
    expect(problemOf(options)).toContain(hint);
  });

  it('is found in the methods of a loop that is a class', () => {
    class Remote {
      readonly name = 'remote';
      run(): string {
        return 'x';
      }
      shutdown(): void {
        // Never called.
      }
    }
    expect(problemOf({ loop: new Remote() })).toContain('"shutdown", which is never called; use "stop"');
    class Whole extends Remote {
      stop(): void {
        this.shutdown();
      }
    }
    expect(problemOf({ loop: new Whole() })).toBe('none');
  });

  it.each([
    ['parameters', '"schema"'],
    ['input_schema', '"schema"'],
    ['inputSchema', '"schema"'],
    ['execute', '"run"'],
    ['handler', '"run"'],
    ['needsApproval', 'ask(tool)'],
  ])('is refused in a tool: %s', (field, bridle) => {
    const tool = { name: 't', ...(bridle === '"run"' ? {} : { run }), [field]: {} };
    const problem = problemOf({ tools: [tool] });
    expect(problem).toContain(`"${field}", which Bridle ignores; use`);
    expect(problem).toContain(bridle);
  });

  it('is accepted on a tool that also has the Bridle field', () => {
    const schema = { type: 'object' };
    expect(problemOf({ default: 'deny', tools: [{ name: 't', run, schema, inputSchema: schema, handler: run }] })).toBe(
      'none',
    );
  });

  it('is also refused in the options of a turn', async () => {
    const { agent } = await agentRig([]);
    await expect(agent.chat('go', { responseSchema: {} } as never)).rejects.toThrow('use "schema"');
    await expect(agent.chat('go', { abortSignal: {} } as never)).rejects.toThrow('use "signal"');
    await agent.stop();
  });

  it('is never a name that Bridle uses itself', () => {
    for (const name of ['model', 'instructions', 'policy', 'hooks', 'budget', 'maxSteps', 'loop', 'store']) {
      expect(bridleOptionFor('agent', name)).toBeUndefined();
    }
  });
});
