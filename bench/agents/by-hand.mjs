/** The unguarded limit: the loop somebody would write for one tool, with nothing around it. */

export function createHost({ script, run }) {
  const tools = { lookup: run };
  const model = async () => script.next();
  return { open: () => new Session(model, tools) };
}

class Session {
  constructor(model, tools) {
    this.model = model;
    this.tools = tools;
    this.messages = [];
  }

  async turn(prompt) {
    this.messages.push({ role: 'user', content: prompt });
    for (;;) {
      const { calls, text } = await this.model(this.messages);
      this.messages.push({ role: 'assistant', content: calls ?? text });
      if (calls === undefined) return text;
      const results = await Promise.all(calls.map((call) => this.tools[call.name](call.args)));
      this.messages.push({ role: 'tool', content: results });
    }
  }
}
