/** Whether a session has started in this process. The approver of the host process can only be opened before that. */

let begun = false;

export function markSessionStarted(): void {
  begun = true;
}

export function hasSessionStarted(): boolean {
  return begun;
}
