import type { Address, Deployment, Dex } from '@dexfeed/dex'

/** A log that drops everything. */
export const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** Returns the address of 20 times this byte, such as `a1`. */
export const addressOf = (byte: string): Address => `0x${byte.repeat(20)}`

/** Returns the addresses of these bytes. */
export function addressesOf<const Bytes extends readonly string[]>(...bytes: Bytes): { [K in keyof Bytes]: Address } {
  return bytes.map(addressOf) as { [K in keyof Bytes]: Address }
}

export const tokenOf = (address: Address) => ({ address, symbol: 'T', name: 'T', decimals: 18 })

/** A fork of Uniswap V2 with a factory. */
export const pairDex = (factory: Address): Dex => ({ name: 'v2', kind: 'uniswap-v2', factory, feeBps: 30 })

/** A deployment on Ethereum of which only some parts matter. */
export const madeDeployment = (parts: Partial<Deployment> & Pick<Deployment, 'wrappedNative'>): Deployment => ({
  ...{ network: 'eth', stablecoins: [], anchors: [], dexes: [], tokens: [], finalityDepth: 1 },
  ...parts,
})
