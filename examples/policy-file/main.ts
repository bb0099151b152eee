import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from 'bridle/agent';
import { lintPolicy, loadPolicy, testPolicy } from 'bridle/policy-files';
import { scriptedModel } from 'bridle/testing';
import { builtinTools } from 'bridle/tools';

const cwd = mkdtempSync(join(tmpdir(), 'policy-file-'));
const file = join(cwd, 'bridle.yaml');

function write(text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

const rules = `version: 1
default: ask
rules:
  - allow: [view_file, list_directory]
  - allow: run_command
    name: harmless
    when: runsOnly("git status", "ls", "echo")
  - deny: run_command
    name: no deleting
    when: runs("rm")
tests:
  - call: run_command
    args: { command_line: git status && ls }
    expect: allow
  - call: run_command
    args: { command_line: sudo sh -c "rm -rf build" }
    expect: deny
    rule: no deleting
`;
write(rules);

console.log('# What it decides about some lines');
const policy = loadPolicy(file, { cwd, tools: builtinTools });
for (const line of ['git status', 'git status; "r"m x', 'xargs -I{} rm {} < list', '"$TOOL" x', 'make', 'ls > list']) {
  const { effect, rule, reason } = await policy.decide({ tool: 'run_command', args: { command_line: line } });
  console.log(`${line}: ${effect} by ${rule?.at ?? 'the default'} ${reason}`.trimEnd());
}

console.log('\n# Its own tests, and what looks odd about it');
const { cases } = await testPolicy(policy);
for (const { passed, got, at } of cases) console.log(`line ${at.line}: ${passed ? 'passed' : 'failed'}, ${got.effect}`);
const findings = await lintPolicy(policy);
console.log(`${findings.filter(({ severity }) => severity !== 'note').length} findings, not counting notes`);

console.log('\n# An agent under it, and a change while it runs');
const echo = { toolCalls: [{ tool: 'run_command', args: { command_line: 'echo hello' } }] };
const agent = createAgent({
  model: scriptedModel([echo, 'Said hello.', echo, 'I may not.']),
  cwd,
  policy: 'bridle.yaml',
  approver: () => false,
});
await agent.start();
for (const prompt of ['Say hello', 'Say it again']) {
  for await (const event of agent.stream(prompt)) {
    if (event.type === 'tool_settled') console.log(`${event.tool}: ${event.outcome}`);
    if (event.type === 'tool_denied') console.log(`${event.tool}: denied, ${event.reason} (${event.rule?.at})`);
  }
  write(rules.replace('rules:', 'rules:\n  - forbid: run_command\n    reason: Not while we are at lunch'));
}
await agent.stop();
rmSync(cwd, { recursive: true });
