import type { DevnetChain } from '@dexfeed/devnet'
import { formatUnits, getAddress } from 'ethers'
import fc from 'fast-check'
import { expect } from 'vitest'
import { bestOutputs } from './expected/brute-force.ts'
import type { ChainFacts } from './expected/chain-facts.ts'
import { openMarginalPrices } from './expected/marginal-prices.ts'
import type { Programs } from './programs.ts'

/** For an output of fewer base units, the rounding error is too large. */
const COARSE = 1000n
const MAX_HOPS = 3

export interface Comparison {
  chain: DevnetChain
  facts: ChainFacts
  get: Programs['get']
  count: number
  seed: number
}

/** Expects the prices of random pairs to be those of the best of all routes on the chain at the same block. */
export async function expectPrices({ chain, facts, get, count, seed }: Comparison): Promise<void> {
  const { network, tokens } = facts
  const pairs = randomPairs([...tokens.keys()], count, seed)
  const block = facts.blocks.at(-1)?.number ?? 0
  const pools = [...facts.pools.values()]
  const decimals = (token: string) => tokens.get(token)?.decimals ?? 0
  const requests = pairs.map(([sell, buy]) => {
    return { sell, buy, amountIn: 10n ** BigInt(decimals(sell)), maxHops: MAX_HOPS }
  })
  const [outputs, marginalPrice] = await Promise.all([
    bestOutputs(chain, pools, requests, block),
    openMarginalPrices(chain, pools, block),
  ])
  const seen = new Set<string>()
  for (const [at, [sell, buy]] of pairs.entries()) {
    const { amountOut, routes } = outputs[at] ?? { amountOut: null, routes: [] }
    const path = `/api/quote?network=${network}&sellToken=${written(sell, at, facts)}&buyToken=${written(buy, at + 1, facts)}`
    const { status, headers, body } = await get(path)
    const where = `${path} at block ${block}, seed ${seed}`
    if (amountOut === null) {
      expect({ status, body }, where).toEqual({ status: 404, body: { error: expect.any(String) } })
      continue
    }
    const basis = amountOut < COARSE ? 'marginal' : 'exact'
    const exact = formatUnits(amountOut, decimals(buy)).replace(/\.0$/, '')
    const price = basis === 'exact' ? exact : marginalPrice(routes, decimals(sell), decimals(buy))
    const found = { basis: headers.get('x-price-basis'), indexed: headers.get('x-indexed-block'), body }
    const result = { network, sell_token: metadataOf(sell, facts), buy_token: metadataOf(buy, facts), price }
    expect(found, where).toEqual({ basis, indexed: `${network}=${block}`, body: { result } })
    seen.add(basis)
  }
  expect(seen).toContain('exact')
}

function randomPairs(tokens: readonly string[], count: number, seed: number): [string, string][] {
  const all = tokens.flatMap((sell) => tokens.filter((buy) => buy !== sell).map((buy): [string, string] => [sell, buy]))
  const some = Math.min(count, all.length)
  return fc.sample(fc.shuffledSubarray(all, { minLength: some, maxLength: some }), { seed, numRuns: 1 })[0] ?? []
}

/** Returns a token in a spelling that the API accepts. */
function written(token: string, at: number, { tokens }: ChainFacts): string {
  return [tokens.get(token)?.symbol ?? '', token, getAddress(token)][at % 3] ?? token
}

function metadataOf(token: string, { tokens }: ChainFacts) {
  const { name, symbol, decimals } = tokens.get(token) ?? {}
  return { name, symbol, decimals: String(decimals), address: getAddress(token) }
}
