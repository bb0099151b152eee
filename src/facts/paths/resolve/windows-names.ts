/** Rejects unsafe names in Windows paths, by their text alone. */

/** Devices in every folder, with any extension and with superscript digits. */
const devices = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])$/i;
/** `PROGRA~1`: only that machine knows the long name. */
const shortName = /^(?=[^.]{1,8}(?:\.|$))[^.]*~\d+(?:\.[^.]{0,3})?$/;
// eslint-disable-next-line no-control-regex
const illegal = /[\x00-\x1f<>"|?*]/;
const maxNameLength = 255;

/** Returns why a name in a Windows path is refused, or undefined. */
export function windowsNameProblem(name: string): string | undefined {
  if (name.includes(':')) return 'names an alternate data stream, or contains a colon';
  if (illegal.test(name)) return 'contains a character that Windows names cannot contain';
  if (name.length > maxNameLength) return `contains a name longer than ${maxNameLength} characters`;
  const stem = name.split('.', 1)[0] ?? '';
  if (devices.test(stem.replace(/ +$/, ''))) return 'names a device';
  if (shortName.test(name)) return 'may be a short (8.3) name, whose long name only that machine knows';
  return undefined;
}

/**
 * Converts to upper case as NTFS compares names: one UTF-16 unit for one. Letters whose lower case is another letter
 * (long s, dotless i, the micro sign) stay unchanged: names that Windows treats as different must never become equal
 * here.
 */
export function foldWindowsName(name: string): string {
  return name.replace(/[a-z\u0080-\uffff]/g, (unit) => {
    const upper = unit.toUpperCase();
    return upper.length === 1 && upper.toLowerCase() === unit ? upper : unit;
  });
}
