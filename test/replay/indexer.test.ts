import { openChain } from '@dexfeed/chain'
import { builtInDeployments, emittersOf, type NetworkName, type PricedTrade } from '@dexfeed/dex'
import { openExplainer } from '@dexfeed/indexer/explain-transactions'
import { openNetworkContext } from '@dexfeed/indexer/network-context'
import { watchedTopics } from '@dexfeed/indexer/process-blocks'
import { expect, onTestFinished, test } from 'vitest'
import { readRecording, serveRecording } from './replay-node.ts'

const NO_STORE = { loadPools: async () => [], loadTokens: async () => [] }
const withoutPools = ({ hops, ...trade }: PricedTrade) => ({ ...trade, logs: hops.map(({ logIndex }) => logIndex) })

test.each(['eth', 'polygon', 'bsc'] as const)(
  'blocks of %s give the same rows as explain',
  async (network: NetworkName) => {
    const recording = readRecording(network)
    const deployment = builtInDeployments[network]
    const options = { network, urls: [await serveRecording(recording)], pollMs: 1_000, log: silent }
    const chain = openChain({ ...options, topics: watchedTopics(deployment), emitters: emittersOf(deployment.dexes) })
    onTestFinished(() => chain.close())

    // Like the indexer: each block by its own logs, but without prices, as the day before is not recorded.
    const context = await openNetworkContext(chain, NO_STORE, deployment)
    const indexed: PricedTrade[] = []
    for (const { number } of recording.blocks) {
      const blocks = await chain.readBlocks(number, number)
      indexed.push(...(await context.processor.process(blocks, context.emptyBook(), 'latest')).trades)
    }

    const explainer = await openExplainer(chain, deployment)
    const explained: PricedTrade[] = []
    for await (const each of explainer.explain(
      recording.blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)),
    )) {
      if ('trades' in each) explained.push(...each.trades)
    }
    const unpriced = (trades: readonly PricedTrade[]) =>
      trades.map((trade) => ({ ...withoutPools(trade), usdE8: null, hopsUsdE8: [], source: null, flags: 0 }))
    expect(unpriced(indexed)).toEqual(unpriced(explained))
    expect(indexed.length).toBeGreaterThan(0)
  },
)

const silent = { trace: none, debug: none, info: none, warn: none, error: none, fatal: none }

function none(): void {}
