/**
 * Decodes base64 strictly: undefined unless the text is the canonical encoding of its bytes. `Buffer.from` ignores missing
 * padding, stray characters, the other alphabet and unused bits, so one signature would have many encodings.
 */
export function decodeStrictBase64(text: string, encoding: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
