/** The forms in which a known secret may occur in a text: plain, escaped, percent-encoded, hex, base64. */

export interface SecretEncoding {
  readonly text: string;
  /** True if the form is part of a longer base64 or hex run; the whole run is then masked. */
  readonly inRun: boolean;
}

/** Shorter secrets would match harmless texts. */
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
  // Encoders disagree about these characters.
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

/** The base64 characters that any longer encoded text must contain, at any offset and in both alphabets. */
function base64Cores(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const shifted = Buffer.alloc(offset + bytes.length);
    bytes.copy(shifted, offset);
    const text = shifted.toString('base64');
    // The first characters contain bits of the preceding text, the last ones bits of the following text.
    const core = text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
