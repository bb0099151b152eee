/** The policy of most cases, and how they check what happened. */

import assert from 'node:assert/strict';

const reason = 'Files with this name are never made.';
/** The model is told the reason. */
export const says = /Files with this name are never made\./;

/** Everything is allowed, except what names a file `no-…`. */
export const noFiles = `  - allow: '*'
  - name: no such commands
    deny: run_command
    when: args.command_line.contains("no-")
    reason: ${reason}
  - name: no such files
    deny: [create_file, edit_file]
    when: writes("**/no-*")
    reason: ${reason}
  - name: no such touches
    deny: lab/touch
    when: args.name.startsWith("no-")
    reason: ${reason}
`;

/** Which of the files exist in the project. A case names those that must exist, and all others must not. */
export function assertFiles(lab, { made = [], missing = [] }) {
  const found = [...made, ...missing].filter((name) => lab.exists(name));
  assert.deepEqual(found, made, 'files in the project');
}

export function assertTold(session, place, pattern) {
  assert.match(session.told[place] ?? '(nothing)', pattern, `what the model was told about call ${place}`);
}
