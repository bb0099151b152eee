/** Runs the programs of a framework's guide where the framework is installed, and compares what they print. They have no network. */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isolation } from './run-suite.mjs';

const here = fileURLToPath(new URL('./', import.meta.url));
const guides = fileURLToPath(new URL('../../docs/guides/frameworks/', import.meta.url));
const fence = /^```\w+ (?:no-policy )?(?<flag>framework|printed|file=\S+)\n(?<text>[^]*?)^```$/gm;

/** A row like that of a case: passed, failed, or skipped if the framework has no guide of its own. */
export function runGuide(name, node) {
  const guide = join(guides, `${name}.md`);
  const model = join(here, name, 'guide-model.mjs');
  if (!existsSync(guide) || !existsSync(model)) return [];
  const blocks = [...readFileSync(guide, 'utf8').matchAll(fence)].map(({ groups }) => groups);
  const place = join(here, name, 'node_modules', '.guide');
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  cpSync(model, join(place, 'model.mjs'));
  for (const { flag, text } of blocks) if (flag.startsWith('file=')) writeFileSync(join(place, flag.slice(5)), text);
  const problems = blocks.flatMap(({ flag, text }, index) => {
    if (flag !== 'framework') return [];
    const program = join(place, `program-${index}.mjs`);
    writeFileSync(program, text);
    const [command, ...args] = [...isolation(), node, program];
    const { stdout, stderr } = spawnSync(command, args, { cwd: place, encoding: 'utf8', timeout: 60_000 });
    const next = blocks[index + 1];
    const shown = next?.flag === 'printed' ? next.text : '';
    return stdout === shown ? [] : [`${name}.md shows\n${shown}but it prints\n${stdout}${stderr}`];
  });
  const reason = problems.join('\n');
  return [{ case: 'guide', result: reason === '' ? 'passed' : 'failed', reason }];
}
