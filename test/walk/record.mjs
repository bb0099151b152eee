/** Records the files that instrumented functions report; with WALK_FILE set, from start to exit, into that file. */

import { writeFileSync } from 'node:fs';

let visits;

globalThis.bridleWalk = (file) => {
  if (visits !== undefined && visits.at(-1) !== file) visits.push(file);
};

/** Starts over; several visits to a file in a row count once. */
export function startRecording() {
  visits = [];
}

export function stopRecording() {
  const recorded = visits;
  visits = undefined;
  return recorded;
}

const { WALK_FILE } = process.env;
if (WALK_FILE !== undefined) {
  startRecording();
  process.on('exit', () => writeFileSync(WALK_FILE, JSON.stringify(stopRecording())));
}
