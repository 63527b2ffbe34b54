const MINUS = '\u2212';
const PARTS = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * `minuend` − `subtrahend`, exactly, with the decimals of the longer one: amounts are decimal text, never a double.
 * @throws when one is no plain decimal text
 */
export function subtractAmounts(minuend: string, subtrahend: string): string {
  const decimals = Math.max(decimalsOf(minuend), decimalsOf(subtrahend));
  return textOf(minorOf(minuend, decimals) - minorOf(subtrahend, decimals), decimals);
}

/** The sum, exactly; "0" of nothing. */
export function sumAmounts(amounts: readonly string[]): string {
  return runningSums(amounts).at(-1) ?? '0';
}

/** The sum up to each of them, exactly. */
export function runningSums(amounts: readonly string[]): readonly string[] {
  const decimals = Math.max(0, ...amounts.map(decimalsOf));
  let total = 0n;
  return amounts.map((amount) => textOf((total += minorOf(amount, decimals)), decimals));
}

/** As people read it: `1,234.50`, its minus as a character. No double holds each amount: the text is grouped and not rounded. */
export function readableAmount(amount: string): string {
  const [whole = '', ...fraction] = amount.replace('-', MINUS).split('.');
  return [whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.');
}

function decimalsOf(amount: string): number {
  return PARTS.exec(amount)?.[3]?.length ?? 0;
}

function minorOf(amount: string, decimals: number): bigint {
  const [, sign, whole, fraction = ''] = PARTS.exec(amount) ?? [];
  if (whole === undefined) throw new Error(`No amount: ${amount}`);
  const minor = BigInt(whole + fraction.padEnd(decimals, '0'));
  return sign === '-' ? -minor : minor;
}

function textOf(minor: bigint, decimals: number): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  const sign = minor < 0n ? '-' : '';
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
