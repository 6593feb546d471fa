/** A `0x`-prefixed lower-case hex string. */
export type Hex = `0x${string}`

/** A 20-byte account or contract address in lower-case hex. Checksums exist at the edges only. */
export type Address = Hex

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000'

/** What most contracts call the native coin where a token's address is wanted. */
export const NATIVE_PLACEHOLDER: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** A slice keeps the whole text that it was cut of in memory: what stays longer is copied, by joining two parts. */
export function copyOf<T extends string>(slice: T): T {
  return [slice.slice(0, 2), slice.slice(2)].join('') as T
}
