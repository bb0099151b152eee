/** `bridle/terminal`: ask a person at the terminal, and show there what an agent does. Needs Node. */

export { makeVisible } from '../kernel/guard/calls/show-call.ts';
export { openTerminal, type OpenTerminal, type TerminalOptions } from './open-terminal.ts';
export { type Paint, paintWith, type Tone } from './output/paint.ts';
export { Screen } from './output/screen.ts';
export { JsonRenderer } from './renderer/json-renderer.ts';
export type { Renderer } from './renderer/renderer.ts';
export { TextRenderer } from './renderer/text-renderer.ts';
