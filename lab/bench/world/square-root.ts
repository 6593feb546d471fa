/** Integer square root, rounded down (Newton). */
export function sqrt(value: bigint): bigint {
  let root = BigInt(Math.floor(Math.sqrt(Number(value))))
  for (;;) {
    const better = (root + value / root) >> 1n
    if (better === root || better === root + 1n) return better
    root = better
  }
}
