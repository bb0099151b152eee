/**
 * The bytes behind a text, if the text is their canonical form. `Buffer.from` ignores missing padding, stray characters,
 * the other alphabet and unused bits, so one signature would have many spellings.
 */
export function decodeStrictBase64(text: string, encoding: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}
