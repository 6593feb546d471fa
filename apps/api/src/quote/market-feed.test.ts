import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { createLogger } from '@dexfeed/service'
import { expect, test } from 'vitest'
import type { ChangeFeed } from '../service/change-feed.ts'
import { type MarketFeedOptions, startMarketFeed } from './market-feed.ts'

type Listener = Parameters<ChangeFeed['subscribe']>[0]

/** Starts a feed over an empty database. `change` reports a change, and returns the networks that were then read. */
async function scene(failing?: NetworkName) {
  const asked: NetworkName[] = []
  const listeners: Listener[] = []
  const reader = {
    unreadPools: async (network: NetworkName) => {
      asked.push(network)
      if (network === failing) throw new Error('no database')
      return []
    },
    market: async () => false,
  } as unknown as MarketFeedOptions['reader']
  const subscribe = (listener: Listener) => {
    listeners.push(listener)
    return () => {}
  }
  const feed = startMarketFeed({ reader, changes: { subscribe }, log: createLogger({ name: 'test', level: 'silent' }) })
  await feed.firstRound
  const change = async (network: NetworkName | null) => {
    asked.length = 0
    for (const listener of listeners) listener({ network } as Parameters<Listener>[0])
    await feed.stop()
    return asked
  }
  return { change }
}

test('a change of one network reads only that network', async () => {
  const { change } = await scene()
  expect(await change('bsc')).toEqual(['bsc'])
})

test('a change of an unknown network reads all networks', async () => {
  const { change } = await scene()
  expect(await change(null)).toEqual(NETWORK_NAMES)
})

test('a network that could not be read is read again with every change', async () => {
  const { change } = await scene('polygon')
  expect((await change('bsc')).sort()).toEqual(['bsc', 'polygon'])
})
