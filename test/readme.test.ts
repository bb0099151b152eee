import { expect, it } from 'vitest';
import { read } from './source.ts';

it('the tour in the README is the program that npm start runs', () => {
  expect(read('README.md')).toContain(`\`\`\`ts\n${read('examples/tour/main.ts')}\`\`\``);
});
