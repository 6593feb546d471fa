import {
  type BlockPoint,
  decode,
  decodersOf,
  type NetworkName,
  ReferenceBook,
  referenceBlocks,
  referenceEventOf,
} from '@dexfeed/dex'
import { referencePrices } from '@dexfeed/test/expected/reference-prices'
import { expect, test } from 'vitest'
import { poolsOf, recordedBlock } from '../expected.ts'
import { scriptedChain, scriptedMarket } from '../index.ts'

test.each([
  ['eth', 1, 12],
  ['eth', 2, 900],
  ['bsc', 3, 3],
  ['polygon', 4, 2],
] as [NetworkName, number, number][])(
  'the product and docs/internals/usd.md give the same prices of %s (%d)',
  (network, seed, blockTimeS) => {
    const market = scriptedMarket(network, 4)
    const chain = scriptedChain({ market, chainId: 1, seed, startTime: 1_700_000_000, blockTimeS })
    chain.mine(150)
    const { deployment, tokens } = market
    const pools = poolsOf(market)
    const facts = new Map(
      tokens.map(({ address, symbol, decimals }) => [address as string, { name: '', symbol, decimals }]),
    )
    const oracle = referencePrices({
      network,
      deployment,
      tokens: facts,
      pools,
      blocks: chain.blocks.map(recordedBlock),
    })

    const { wrappedNative, stablecoins, anchors } = deployment
    const decimals = new Map(tokens.map((token) => [token.address, token.decimals]))
    const config = { wrappedNative, stablecoins, anchors, decimals, ...referenceBlocks(network) }
    const book = new ReferenceBook(config, [])
    for (const { address, token0, token1, tickSpacing } of market.pools) {
      const pool = { address, token0: token0.address, token1: token1.address, tickSpacing: tickSpacing ?? 1 }
      if (book.isReference(pool)) book.addPool(pool, 0)
    }
    const decoders = decodersOf(deployment.dexes.map(({ kind }) => kind))
    let priced = 0
    for (const { number, timestamp, transactions } of chain.blocks) {
      const at: BlockPoint = { number, timestamp }
      const prices = book.pricesAt(at)
      for (const [token, price] of [...prices.native, ...prices.stablecoins]) {
        expect([number, oracle.usd(token, at)]).toEqual([number, price.priceE18])
      }
      if (prices.native.size === 0) expect(oracle.usd(wrappedNative, at)).toBeNull()
      else priced += 1
      const logs = transactions.flatMap(({ index, placed }) =>
        placed.map(({ address, topics, data, logIndex }) => ({
          address,
          topics,
          data,
          logIndex,
          transactionIndex: index,
        })),
      )
      for (const event of decode({ ...at, hash: '0x', parentHash: '0x', transactions: new Map(), logs }, decoders)
        .events) {
        const recorded = book.has(event.pool) ? referenceEventOf(event) : null
        if (recorded !== null) book.record(event.pool, recorded, at)
      }
    }
    expect(priced).toBeGreaterThan(100)
  },
)
