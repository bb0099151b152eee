/** Whether a session has begun in this process. The approver of the host process is opened before, or not at all. */

let begun = false;

export function noteSession(): void {
  begun = true;
}

export function hasSession(): boolean {
  return begun;
}
