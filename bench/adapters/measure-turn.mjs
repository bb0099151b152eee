/** Measures one framework in this process: `node measure-turn.mjs <folder of its driver> <pace>`. Prints a row. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { neutralTools } from '../../test/frameworks/rig.mjs';
import { compare, toRow, warmCalls } from '../measure.mjs';

const [folder, pace] = process.argv.slice(2);
const { driver } = await import(pathToFileURL(join(folder, 'driver.mjs')).href);
const [{ allow }, adapter] = await Promise.all(['bridle', `bridle/${driver.entry}`].map((each) => driver.load(each)));

/** The model calls a tool and then says that it is done, again and again. */
function endlessScript() {
  let answers = 0;
  return {
    next: () =>
      answers++ % 2 === 0
        ? { toolCalls: [{ id: `c${answers}`, tool: 'add', args: { a: 1, b: 2 } }] }
        : { text: 'done' },
  };
}

async function contestant(name, guard) {
  const record = { ran: [] };
  const tools = neutralTools(driver.z, record).filter((tool) => tool.name === 'add');
  const agent = await driver.open({ guard, adapter, tools, script: endlessScript(), record });
  const call = async () => {
    record.ran.length = 0;
    // Drivers whose runs begin without a history have nothing to reset.
    agent.reset?.();
    const { text } = await agent.run('What is 1 + 2?');
    if (text !== 'done' || record.ran.length !== 1) throw new Error(`the turn of ${name} did not run: ${text}`);
  };
  return { name, call };
}

const guard = adapter.createGuard({ policy: [allow('add')], journal: { append: () => undefined } });
const contestants = [await contestant('bridle', guard), await contestant('limit', undefined)];
await warmCalls(contestants, 300);
console.log(JSON.stringify(toRow('adapters', driver.name, await compare(contestants, JSON.parse(pace)))));
process.exit(0);
