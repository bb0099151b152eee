/** Runs the programs of a framework's guide where the framework is installed, and compares what they print. They have no network. */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isolation } from './run-suite.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
/** Pages for all frameworks, whose programs use one of them. */
const shared = { 'ai-sdk': ['docs/guides/frameworks/overview.md', 'README.md'] };
const fence = /^```\w+ (?:no-policy )?(?<flag>framework|printed|approves|file=\S+)\n(?<text>[^]*?)^```$/gm;
const bridle = join(root, 'dist/cli/main.cjs');

/** A row like that of a case: passed, failed, or skipped if the framework has no guide of its own. */
export function runGuide(name, node) {
  const guide = `docs/guides/frameworks/${name}.md`;
  const model = join(here, name, 'guide-model.mjs');
  if (!existsSync(join(root, guide)) || !existsSync(model)) return [];
  const place = join(here, name, 'node_modules', '.guide');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  cpSync(model, join(place, 'model.mjs'));
  cpSync(join(here, 'mcp-server.mjs'), join(place, 'files-server.mjs'));
  if (existsSync(join(here, name, 'guide-agent.mjs')))
    cpSync(join(here, name, 'guide-agent.mjs'), join(place, 'agent.mjs'));
  const reason = [guide, ...(shared[name] ?? [])].flatMap((page) => runPage(page, place, node)).join('\n');
  return [{ case: 'guide', result: reason === '' ? 'passed' : 'failed', reason }];
}

/** Runs the programs of a page in a folder with its files, and returns where it shows something else than they print. */
function runPage(page, place, node) {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(fence)].map(({ groups }) => groups);
  for (const { flag, text } of blocks) if (flag.startsWith('file=')) writeFileSync(join(place, flag.slice(5)), text);
  return blocks.flatMap(({ flag, text }, index) => {
    if (flag === 'approves') approve(place, text);
    if (flag !== 'framework') return [];
    const program = join(place, `program-${index}.mjs`);
    writeFileSync(program, text);
    const [command, ...args] = [...isolation(), node, program];
    const { stdout, stderr, status } = run(place, command, args);
    const next = blocks[index + 1];
    const shown = next?.flag === 'printed' ? next.text : '';
    return stdout === shown && status === 0 ? [] : [`${page} shows\n${shown}but it prints\n${stdout}${stderr}`];
  });
}

/** Runs a command that answers the question `<id>`, as a person with a key. */
function approve(place, text) {
  run(place, process.execPath, [bridle, 'approvals', 'key', 'ann', '--no-passphrase']);
  const { stdout } = run(place, process.execPath, [bridle, 'approvals', 'list', '--json']);
  const [{ id }] = JSON.parse(stdout).approvals;
  const [, ...args] = text.trim().replace('<id>', id).replace('npx bridle', 'bridle').split(' ');
  const { status, stderr } = run(place, process.execPath, [bridle, ...args]);
  if (status !== 0) throw new Error(`${text}${stderr}`);
}

function run(place, command, args) {
  const env = { ...process.env, HOME: place };
  return spawnSync(command, args, { cwd: place, env, encoding: 'utf8', timeout: 60_000 });
}
