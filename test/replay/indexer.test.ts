import type { PricedTrade } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { openReplay, readRecording } from './replay-node.ts'

const unpriced = ({ hops, ...trade }: PricedTrade) => {
  const logs = hops.map(({ logIndex }) => logIndex)
  return { ...trade, logs, usdE8: null, hopsUsdE8: [], source: null, flags: 0 }
}

test.each(['eth', 'polygon', 'bsc'] as const)('blocks of %s give the same rows as explain', async (network) => {
  const { explain, index } = await openReplay(readRecording(network))
  const indexed = await index()
  const explained = (await explain()).flatMap(({ trades }) => trades)
  expect(indexed.map(unpriced)).toEqual(explained.map(unpriced))
  expect(indexed.length).toBeGreaterThan(0)
})
