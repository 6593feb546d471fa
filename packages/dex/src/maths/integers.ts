export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** Both must be positive. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}

export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value
  const near = Math.sqrt(Number(value))
  // Start slightly above the root, from where Newton's method descends. Some values exceed floating point.
  let root = Number.isFinite(near)
    ? BigInt(Math.floor(near * (1 + 1e-12))) + 2n
    : 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (value / root + root) >> 1n
    if (next >= root) return root
    root = next
  }
}
