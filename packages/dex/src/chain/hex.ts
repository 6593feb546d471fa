/** In lower case. */
export type Hex = `0x${string}`

/** A 20-byte address in lower-case hex. Only inputs and outputs use checksums. */
export type Address = Hex

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000'

/** Most contracts use this address for the native coin. */
export const NATIVE_PLACEHOLDER: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Copies a slice, which would otherwise keep the whole original string in memory. */
export function copyOf<T extends string>(slice: T): T {
  return [slice.slice(0, 2), slice.slice(2)].join('') as T
}
