/** Whether a session has begun in this process. The approver of the host process is opened before, or not at all. */

let begun = false;

export function markSessionStarted(): void {
  begun = true;
}

export function hasSessionStarted(): boolean {
  return begun;
}
