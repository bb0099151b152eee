/** `bridle/terminal`: talk with an agent at the terminal, ask a person there, and show what an agent does. Needs Node. */

export { makeVisible } from '../kernel/guard/calls/show-call.ts';
export { interactiveLoop, type InteractiveLoopOptions } from './interactive-loop.ts';
export type { LoopControl, SlashCommand } from './loop-commands.ts';
export { openTerminal, type OpenTerminal, type TerminalListener, type TerminalOptions } from './open-terminal.ts';
export { type Paint, paintWith, type Tone } from './output/paint.ts';
export { Screen } from './output/screen.ts';
export { JsonRenderer } from './renderer/json-renderer.ts';
export type { Renderer, TurnOutcome } from './renderer/renderer.ts';
export { TextRenderer } from './renderer/text-renderer.ts';
