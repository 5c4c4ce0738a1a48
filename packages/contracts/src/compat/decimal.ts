/** Exact decimals: `digits * 10 ** exponent`. Binary fractions would call 0.3 no multiple of 0.1. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The decimal that a JSON number writes. */
export function decimalOf(value: number): Decimal {
  const [mantissa = '0', power = '0'] = String(value).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

/** The JSON number nearest to a decimal. */
export function numberOf(value: Decimal): number {
  return Number(`${value.digits}e${value.exponent}`);
}

/** Both as whole numbers of one unit. */
export function aligned(a: Decimal, b: Decimal): { readonly a: bigint; readonly b: bigint; readonly exponent: number } {
  const exponent = Math.min(a.exponent, b.exponent);
  return {
    a: a.digits * 10n ** BigInt(a.exponent - exponent),
    b: b.digits * 10n ** BigInt(b.exponent - exponent),
    exponent,
  };
}

export function isMultipleOf(value: Decimal, of: Decimal): boolean {
  const both = aligned(value, of);
  return both.a % both.b === 0n;
}

/** The smallest positive decimal that is a multiple of both. */
export function leastCommonMultiple(first: Decimal, second: Decimal): Decimal {
  const { a, b, exponent } = aligned(first, second);
  return { digits: (a / greatestCommonDivisor(a, b)) * b, exponent };
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

/** The largest whole number k with `k * of <= value`. */
export function floorQuotient(value: Decimal, of: Decimal): bigint {
  const { a, b } = aligned(value, of);
  const quotient = a / b;
  return a % b !== 0n && a < 0n ? quotient - 1n : quotient;
}
