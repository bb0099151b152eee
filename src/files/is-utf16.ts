/** True if the bytes look like UTF-16: they start with a byte order mark, or with an ASCII character and a zero byte. */
export function isUtf16(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (bytes.length > 1 && (first === 0) !== (second === 0));
}
