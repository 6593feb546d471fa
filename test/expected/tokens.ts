import type { DevnetChain } from '@dexfeed/devnet'
import { decodeBytes32String } from 'ethers'
import { readContracts } from './chain-reader.ts'
import type { VerifiedPool } from './pool-events.ts'

export interface TokenFacts {
  name: string
  symbol: string
  decimals: number
}

const READS = [
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function name() view returns (bytes32)',
  'function symbol() view returns (bytes32)',
]

/** Old tokens return their name and symbol as bytes32 words. */
export async function readTokens(
  chain: DevnetChain,
  pools: ReadonlyMap<string, VerifiedPool>,
): Promise<Map<string, TokenFacts>> {
  const addresses = [...new Set([...pools.values()].flatMap(({ token0, token1 }) => [token0, token1]))]
  const reads = addresses.flatMap((to) => READS.map((signature) => ({ to, signature })))
  const results = await readContracts(chain, reads)
  const tokens = addresses.map((address, at): [string, TokenFacts] => {
    const [name, symbol, decimals, nameWord, symbolWord] = results.slice(READS.length * at, READS.length * (at + 1))
    if (!decimals) throw new Error(`${address} does not return its decimals`)
    return [address, { name: text(name, nameWord), symbol: text(symbol, symbolWord), decimals: Number(decimals[0]) }]
  })
  return new Map(tokens)
}

function text(string: readonly unknown[] | null | undefined, word: readonly unknown[] | null | undefined): string {
  return string ? String(string[0]) : decodeBytes32String(String(word?.[0]))
}
