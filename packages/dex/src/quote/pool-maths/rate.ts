/** An exact positive rate in base units: units of the token bought for one unit of the token sold. */
export interface Rate {
  numerator: bigint
  denominator: bigint
}

export function compareRates(a: Rate, b: Rate): number {
  const left = a.numerator * b.denominator
  const right = b.numerator * a.denominator
  return left > right ? 1 : left < right ? -1 : 0
}
