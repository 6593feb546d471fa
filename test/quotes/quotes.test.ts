import { LiveMarketFollower } from '@dexfeed/api/live-market'
import type { Devnet, DevnetChain } from '@dexfeed/devnet'
import {
  type Address,
  bestRoute,
  type Market,
  NETWORK_NAMES,
  type NetworkName,
  type QuotedHop,
  quotePrice,
  type Route,
} from '@dexfeed/dex'
import { deploymentOf, type RunningIndexer, runIndexer } from '@dexfeed/indexer/test/run-indexer'
import { testDevnet } from '@dexfeed/indexer/test/test-devnet'
import { openDatabase, openReader } from '@dexfeed/store'
import { closeAfter, testDatabase } from '@dexfeed/test-setup'
import { parseUnits } from 'ethers'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { bestOutputs, quoteRoutes } from '../expected/brute-force.ts'
import { type QuoteRequest, randomQuotes } from './random-quotes.ts'

const QUOTES = 20 * inject('scale')
/** For an output of fewer base units, the rounding error is too large. */
const COARSE = 1000n
/** bsc has pools with both kinds of maths. */
const CHECKED: readonly NetworkName[] = inject('scale') > 1 ? NETWORK_NAMES : ['bsc']
let devnet: Devnet
let indexers: Record<NetworkName, RunningIndexer>
let markets: Record<NetworkName, LiveMarketFollower>

beforeAll(async () => {
  devnet = await testDevnet({ networks: CHECKED, historyBlocks: 12 })
  const databaseUrl = await testDatabase()
  const database = await openDatabase(databaseUrl, { applicationName: 'test-quotes', readOnly: true })
  closeAfter(() => database.close())
  const reader = openReader(database)
  indexers = await byNetwork((network) => {
    const { rpcUrl } = devnet.chains[network]
    return runIndexer({ databaseUrl, network, rpcUrl, deployment: deploymentOf(devnet, network) })
  })
  markets = await byNetwork(async (network) => new LiveMarketFollower(network, reader))
})

async function byNetwork<T>(make: (network: NetworkName) => Promise<T>): Promise<Record<NetworkName, T>> {
  const made = CHECKED.map(async (network) => [network, await make(network)] as const)
  return Object.fromEntries(await Promise.all(made)) as Record<NetworkName, T>
}

async function marketNow({ network, provider }: DevnetChain): Promise<{ market: Market; block: number }> {
  const head = await provider.getBlock('latest')
  if (head?.hash == null) throw new Error('no head')
  await indexers[network].caughtUp({ number: head.number, hash: head.hash })
  await markets[network].refresh()
  const live = markets[network].current
  expect(live?.network.head?.number).toBe(head.number)
  return { market: live?.market ?? expect.fail('no market'), block: head.number }
}

async function compare(chain: DevnetChain, seed: number): Promise<Route[]> {
  const { market, block } = await marketNow(chain)
  const quotes = randomQuotes(chain, QUOTES, seed)
  const best = await bestOutputs(chain, chain.contracts.pools, quotes, block)
  const routes: Route[] = []
  for (const [at, request] of quotes.entries()) {
    const { sell, buy, amountIn, maxHops } = request
    const where = `${chain.network}: ${amountIn} of ${sell} for ${buy} over ${maxHops}, seed ${seed}, block ${block}`
    const amountOut = best[at]?.amountOut ?? 0n
    const route = bestRoute(market, { sell, buy, amountIn, maxHops })
    expect(route?.amountOut ?? 0n, where).toBe(amountOut)
    const isPrice = maxHops === 3 && amountIn === 10n ** BigInt(decimalsOf(chain, sell))
    if (isPrice) comparePrice(chain, market, request, amountOut, where)
    if (route) routes.push(route)
  }
  const hops = routes.flatMap((route) => route.hops)
  await compareHops(chain, hops, block, seed)
  return routes
}

async function compareHops(chain: DevnetChain, hops: readonly QuotedHop[], block: number, seed: number) {
  const requests = hops.map(({ pool: { address }, tokenIn, tokenOut, amountIn }) => {
    return { route: [{ pool: poolOf(chain, address), tokenIn, tokenOut }], amountIn }
  })
  const paid = await quoteRoutes(chain, requests, block)
  for (const [at, { pool, amountIn, amountOut }] of hops.entries()) {
    const where = `${chain.network}: ${amountIn} through ${pool.address}, seed ${seed}, block ${block}`
    expect(amountOut, where).toBe(paid[at])
  }
}

function comparePrice(
  chain: DevnetChain,
  market: Market,
  { sell, buy }: QuoteRequest,
  amountOut: bigint,
  where: string,
) {
  const token = (address: Address) => ({ address, decimals: decimalsOf(chain, address) })
  const quote = quotePrice(market, { sell: token(sell), buy: token(buy) })
  expect(quote?.basis, where).toBe(amountOut < COARSE ? 'marginal' : 'exact')
  if (quote?.basis === 'exact') expect(parseUnits(quote.price, decimalsOf(chain, buy)), where).toBe(amountOut)
}

function decimalsOf({ contracts }: DevnetChain, token: Address): number {
  return contracts.tokens.find(({ address }) => address === token)?.decimals ?? expect.fail(token)
}

function poolOf({ contracts }: DevnetChain, pool: Address) {
  return contracts.pools.find(({ address }) => address === pool) ?? expect.fail(pool)
}

describe.each(CHECKED)('quotes on %s match the best of all routes on the chain to the wei', (network) => {
  let seed = inject('seed')
  const kinds = new Set<string>()
  const lengths = new Set<number>()

  const compared = async () => {
    for (const { hops } of await compare(devnet.chains[network], seed++)) {
      lengths.add(hops.length)
      for (const { pool } of hops) kinds.add(poolOf(devnet.chains[network], pool.address).kind)
    }
  }

  test('from a market that was just loaded', compared)

  test('from one that followed blocks with swaps and changes of liquidity', async () => {
    await devnet.chains[network].trade(8)
    await compared()
  })

  test('from one whose last blocks were rolled back', async () => {
    await devnet.chains[network].rpc.send('anvil_reorg', [6, []])
    await devnet.chains[network].trade(7)
    await compared()
  })

  test('through every kind of pool, alone and one after the other', () => {
    expect([...kinds].sort()).toEqual(
      [...new Set(devnet.chains[network].contracts.pools.map(({ kind }) => kind))].sort(),
    )
    expect([...lengths].sort()).toEqual([1, 2, 3])
  })
})
