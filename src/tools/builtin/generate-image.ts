import { BridleError } from '../../kernel/errors.ts';
import type { Media } from '../../kernel/hooks/points/payloads.ts';
import type { JsonValue } from '../../kernel/json.ts';
import type { ToolContext } from '../definition/runnable-tool.ts';
import { argsSchema, kib, seconds, type BuiltinToolSpec } from '../definition/builtin-tool-spec.ts';

/** Generates an image with a service of your choice. */
export type ImageGenerator = (prompt: string, options: { readonly signal: AbortSignal }) => Promise<Media> | Media;

export const generateImageTool: BuiltinToolSpec = {
  name: 'generate_image',
  description: 'Generates an image from a description.',
  tier: 'confirm',
  touches: {},
  schema: argsSchema(
    { prompt: { type: 'string', minLength: 1, maxLength: 8000, description: 'What the image shows.' } },
    ['prompt'],
  ),
  aliases: { names: ['GENERATE_IMAGE'], args: { Prompt: 'prompt' } },
  grant: { timeoutMs: 300 * seconds, outputBytes: 16 * kib },
};

export function generateImage(
  generate: ImageGenerator,
): (args: { readonly prompt: string }, context: ToolContext) => Promise<JsonValue> {
  return async ({ prompt }, context) => {
    const media = await generate(prompt, { signal: context.signal });
    if (typeof media?.mediaType !== 'string' || !media.mediaType.startsWith('image/'))
      throw new BridleError('TOOL_FAILED', 'The provider did not return an image.');
    return { media_type: media.mediaType, media: context.attach(media) };
  };
}
