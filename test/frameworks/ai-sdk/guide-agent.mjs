import { tool } from 'ai';
import { z } from 'zod';

/** The agent of the pages for all frameworks. */
export { model } from './model.mjs';
export const tools = {
  get_weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `rain in ${city}` }),
  send_mail: tool({ inputSchema: z.object({ to: z.string() }), execute: async ({ to }) => `sent to ${to}` }),
};
