/** The shapes in which a known secret may stand in a text: as it is, escaped, percent-encoded, in hex, in base64. */

export interface SecretForm {
  readonly text: string;
  /** The text is part of a longer run of base64 or hex, all of which is covered. */
  readonly inRun: boolean;
}

/** Shorter secrets would be found in harmless texts. */
export const shortestKnown = 8;

export function formsOf(secret: string): readonly SecretForm[] {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(secret.toWellFormed());
  // Encoders do not agree on these.
  const wide = percent.replaceAll(/[!'()*]/g, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`);
  const encoded = [percent, wide].flatMap((text) => [
    text,
    text.replaceAll(/%../g, (code) => code.toLowerCase()),
    text.replaceAll('%20', '+'),
  ]);
  const plain = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...encoded,
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    secret.replaceAll("'", `'\\''`),
  ];
  const hex = bytes.toString('hex');
  const runs = [hex, hex.toUpperCase(), ...base64Cores(bytes)];
  const forms = [...plain.map((text) => ({ text, inRun: false })), ...runs.map((text) => ({ text, inRun: true }))];
  const seen = new Set<string>();
  return forms.filter(({ text }) => text.length >= shortestKnown && !seen.has(text) && seen.add(text));
}

/** What base64 of a longer text must hold, wherever in it the secret begins; in both alphabets. */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    // The first characters hold bits of what stands before, the last ones of what follows.
    const core = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
