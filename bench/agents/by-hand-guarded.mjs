/**
 * The limit: a loop for one tool with what Bridle does for each call, written without a library. The args are copied,
 * frozen and checked, the policy is a Map, there is a hook before and after the tool, and two hash-chained records.
 */

import { hash } from 'node:crypto';
import { schema } from '../turn/script.mjs';

export function createHost({ script, run }) {
  const seen = { before: 0, after: 0 };
  const journal = new Journal();
  const parts = {
    model: async () => script.next(),
    tools: { lookup: { schema, run } },
    policy: new Map([['lookup', 'allow']]),
    before: async () => void seen.before++,
    after: async () => void seen.after++,
    journal,
  };
  let sessions = 0;
  return {
    open: () => new Session(parts, `session-${sessions++}`),
    check(calls) {
      const kept = journal.records.length;
      if (seen.before !== calls || seen.after !== calls || kept !== 2 * calls) {
        throw new Error(`limit: ${calls} calls, hooks ran ${seen.before} and ${seen.after} times, ${kept} records`);
      }
    },
  };
}

class Session {
  constructor(parts, id) {
    this.parts = parts;
    this.id = id;
    this.messages = [];
  }

  async turn(prompt) {
    this.messages.push({ role: 'user', content: prompt });
    for (;;) {
      const { calls, text } = await this.parts.model(this.messages);
      this.messages.push({ role: 'assistant', content: calls ?? text });
      if (calls === undefined) return text;
      const results = await Promise.all(calls.map((call) => this.guard(call)));
      this.messages.push({ role: 'tool', content: results });
    }
  }

  async guard({ id, name, input }) {
    const { tools, policy, before, after, journal } = this.parts;
    const tool = tools[name];
    if (tool === undefined) return 'There is no such tool.';
    const args = Object.freeze(JSON.parse(input));
    const checked = tool.schema['~standard'].validate(args);
    if (checked.issues !== undefined) return 'The args do not fit the schema.';
    const call = Object.freeze({ session: this.id, id, tool: name, args });
    const status = policy.get(name) === 'allow' ? 'allowed' : 'denied';
    if (status === 'allowed') await before(call);
    journal.append({ at: Date.now(), kind: 'decided', status, ...call });
    if (status === 'denied') return 'The policy denies it.';
    const result = await tool.run(args);
    await after(Object.freeze({ call, result }));
    journal.append({ at: Date.now(), kind: 'settled', session: this.id, id, tool: name, result });
    return result;
  }
}

class Journal {
  records = [];
  last = '0'.repeat(64);

  append(entry) {
    const text = JSON.stringify(entry);
    const { last: prev, records } = this;
    this.last = hash('sha256', `${prev}\n${text}`, 'hex');
    records.push(Object.freeze({ prev, text, hash: this.last }));
  }
}
