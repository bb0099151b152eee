/** The shapes in which a known secret may stand in a text: as it is, escaped, percent-encoded, in hex, in base64. */

export interface SecretEncoding {
  readonly text: string;
  /** The text is part of a longer run of base64 or hex, all of which is covered. */
  readonly inRun: boolean;
}

/** Shorter secrets would be found in harmless texts. */
export const minKnownLength = 8;

export function encodingsOf(secret: string): readonly SecretEncoding[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const written = new Set(/^[\w.~-]*$/.test(secret) ? [secret] : escapedForms(secret));
  const coded = new Set([hex, hex.toUpperCase(), ...base64Cores(bytes)]);
  const forms = [
    ...Array.from(written, (text) => ({ text, inRun: false })),
    ...Array.from(coded, (text) => ({ text, inRun: true })),
  ];
  return forms.filter(({ text }) => text.length >= minKnownLength);
}

function escapedForms(secret: string): readonly string[] {
  const percent = encodeURIComponent(secret.toWellFormed());
  // Encoders do not agree on these.
  const wide = percent.replaceAll(/[!'()*]/g, (unit) => `%${unit.charCodeAt(0).toString(16).toUpperCase()}`);
  const encoded = [percent, wide].flatMap((text) => [
    text,
    text.replaceAll(/%../g, (code) => code.toLowerCase()),
    text.replaceAll('%20', '+'),
  ]);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    ...encoded,
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    secret.replaceAll("'", `'\\''`),
  ];
}

/** What base64 of a longer text must hold, wherever in it the secret begins; in both alphabets. */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.alloc(offset + bytes.length);
    bytes.copy(shifted, offset);
    const text = shifted.toString('base64');
    // The first characters hold bits of what stands before, the last ones of what follows.
    const core = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
