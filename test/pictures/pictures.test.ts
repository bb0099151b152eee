/** The pictures of the README show what runs today: each is drawn again and compared. `npm run pictures` rewrites them. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noTerminals } from '../cli/terminal-rig.ts';
import { read, root } from '../source.ts';
import { benchmarkChart } from './benchmark-chart.ts';
import { drawTour } from './tour-session.ts';

const isWriting = process.env['PICTURES'] === 'write';

function expectPicture(path: string, drawn: string): void {
  if (isWriting) writeFileSync(join(root, path), drawn);
  expect(drawn, `${path} is out of date: run npm run pictures`).toBe(read(path));
}

describe('the pictures of the README', () => {
  it('show the benchmarks as in bench/RESULTS.md', () => {
    expectPicture('docs/pictures/benchmarks.svg', benchmarkChart(read('bench/RESULTS.md')));
  });

  it.skipIf(noTerminals !== undefined)('show bridle tour as it runs today', async () => {
    const path = 'docs/pictures/tour.svg';
    expectPicture(path, await drawTour(isWriting || !existsSync(join(root, path)) ? undefined : read(path)));
  });

  it.each(['benchmarks', 'tour'])('contain text, and use nothing from elsewhere: %s', (name) => {
    const svg = read(`docs/pictures/${name}.svg`);
    expect(svg).toMatch(/^<svg xmlns="[^"]+" .*role="img">\n<title>[^<]+<\/title>/);
    expect(svg).toContain('</text>');
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /https?:|href|@import|@font-face|url\(|<script|<image/,
    );
  });
});
