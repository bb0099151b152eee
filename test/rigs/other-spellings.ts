/** Other texts that Node decodes to the same bytes: a lenient reader would accept each as the original. */
export function otherSpellings(text: string, encoding: 'base64' | 'base64url'): readonly string[] {
  const bytes = Buffer.from(text, encoding);
  const bare = text.replace(/=+$/, '');
  const lastUnit = alphabet.indexOf(bare.at(-1) ?? 'A');
  const spellings = [
    bare,
    `${bare}=`,
    `${bare}==`,
    `${bare}===`,
    `${text}\n`,
    ` ${text}`,
    `${text.slice(0, 8)} ${text.slice(8)}`,
    `${text.slice(0, 8)}!${text.slice(8)}`,
    bytes.toString('base64'),
    bytes.toString('base64url'),
    // In the base64 text of 64 bytes, the last character has four unused bits.
    bare.slice(0, -1) + alphabet[lastUnit ^ 1] + text.slice(bare.length),
  ].filter((each) => each !== text);
  const isSame = spellings.every((each) => Buffer.from(each, encoding).equals(bytes));
  if (!isSame || spellings.length < 8) throw new RangeError(`${text} is not a good sample`);
  return spellings;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
