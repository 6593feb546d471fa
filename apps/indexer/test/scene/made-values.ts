import {
  type Address,
  builtInDeployments,
  type Deployment,
  type Dex,
  type Hex,
  type Pool,
  type PoolEvent,
  ReferenceBook,
  referenceBlocks,
} from '@dexfeed/dex'
import { madePool } from '@dexfeed/dex/test/made-hop'
import type { ContractCaller } from '../../src/pools/contract-calls.ts'
import type { SearchedChain } from '../../src/pools/manager-search.ts'

type VerifyingChain = ContractCaller & SearchedChain

export const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** Returns the address that consists of 20 times this byte, such as `a1`. */
export const addressOf = (byte: string): Address => `0x${byte.repeat(20)}`

export function addressesOf<const Bytes extends readonly string[]>(...bytes: Bytes): { [K in keyof Bytes]: Address } {
  return bytes.map(addressOf) as { [K in keyof Bytes]: Address }
}

/** Returns a value or an address as 32 bytes. */
export const word = (value: Hex | bigint | number): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`

export const tokenOf = (address: Address) => ({ address, symbol: 'T', name: 'T', decimals: 18 })

export const pairDex = (factory: Address): Dex => ({ name: 'v2', kind: 'uniswap-v2', factory, feeBps: 30 })

export const pairPool = (address: Address, dex: Dex, token0: Address, token1: Address): Pool =>
  madePool(address, [token0, token1], { dex })

/** Returns a swap in the first log of a block. */
export const swapIn = (pool: PoolEvent['pool'], family: 'pair' | 'concentrated' | 'managed' = 'pair'): PoolEvent => ({
  type: 'swap',
  family,
  pool,
  transactionIndex: 0,
  logIndex: 0,
  amount0: 1n,
  amount1: -1n,
  state: null,
})

/** Returns a deployment on Ethereum with these parts, and defaults for the others. */
export const madeDeployment = (parts: Partial<Deployment> & Pick<Deployment, 'wrappedNative'>): Deployment => ({
  network: 'eth',
  stablecoins: [],
  anchors: [],
  dexes: [],
  tokens: [],
  finalityDepth: 1,
  ...parts,
})

/** Returns the calls of a chain that verify pools. Calls that are not given must not happen. */
export function verifyingChain(given: Partial<VerifyingChain>): VerifyingChain {
  const none = () => Promise.reject(new Error('no such call expected'))
  return { callMany: none, callElsewhere: none, head: none, logsOf: none, hasCode: none, ...given }
}

/** Returns the reference prices of an Ethereum without pools, on which nothing has a price. */
export function emptyBook(): ReferenceBook {
  const { wrappedNative } = builtInDeployments.eth
  return new ReferenceBook(
    { wrappedNative, stablecoins: [], anchors: [], decimals: new Map(), ...referenceBlocks('eth') },
    [],
  )
}
