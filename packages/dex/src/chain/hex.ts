/** A `0x`-prefixed lower-case hex string. */
export type Hex = `0x${string}`

/** A 20-byte account or contract address in lower-case hex. Checksums exist at the edges only. */
export type Address = Hex

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000'

/** What most contracts call the native coin where a token's address is wanted. */
export const NATIVE_PLACEHOLDER: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
