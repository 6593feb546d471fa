import type { Address, UsdValue } from '@dexfeed/dex'
import { madeRow } from '@dexfeed/dex/test/made-hop'
import { testDatabase } from '@dexfeed/test-setup'
import { expect, test } from 'vitest'
import {
  addressesOf,
  addressOf,
  madeDeployment,
  pairDex,
  pairPool,
  quiet,
  tokenOf,
  word,
} from '../../../test/scene/made-values.ts'
import { openStore } from '../../../test/scene/open-store.ts'
import { PoolCache } from '../pool-cache.ts'
import { readLateTokens } from './late-tokens.ts'

const [WRAPPED, A, B, NAMED, KNOWN] = addressesOf('ee', '0a', '0b', '0c', '0d')
const deployment = madeDeployment({ wrappedNative: WRAPPED })
const POOL = pairPool(addressOf('aa'), pairDex(addressOf('fa')), A, B)
const hash = word(0x11)
const NOON = Date.UTC(2026, 10, 20, 12) / 1000
const VALUE: UsdValue = { usdE8: 100_000_000n, source: 'stablecoin', flags: 0 }

/** Makes a trade whose route starts in the pool and ends in a token that no pool has. */
const tradeFor = (bought: Address, blockNumber: number) =>
  madeRow([], {
    blockNumber,
    timestamp: NOON,
    txHash: hash,
    trader: WRAPPED,
    sell: { token: A, amount: 1n, native: false },
    buy: { token: bought, amount: 1n, native: false },
    awaited: VALUE,
  })

//   before   a row names a token that no pool has, before the token can be read; the process ends
//   now      the process knows only the stored pools and tokens
test('tokens that only stored rows name are read, whichever process stored them', async () => {
  const { store } = await openStore(await testDatabase())
  const trades = [tradeFor(NAMED, 5), tradeFor(KNOWN, 6)]
  const range = { from: 1, to: 9, fromTime: NOON, toTime: NOON }
  await store.commitHistory({ ...range, trades, pools: [POOL], tokens: [A, B].map(tokenOf) })

  const known = new PoolCache(deployment, { pools: [POOL], tokens: await store.loadTokens() })
  // This process has named the token in rows that are not committed yet.
  known.tokens.add(tokenOf(KNOWN))
  const ended = new AbortController()
  const clock = { sleep: async () => undefined }
  const reader = {
    read: async (addresses: readonly Address[]) => addresses.map(tokenOf).forEach(known.tokens.add, known.tokens),
  }
  const chain = { head: async () => ({ number: 9, hash, parentHash: hash, timestamp: NOON }) }
  let rounds = 0
  const settling: typeof store.settleAwaitedValues = async (late) => {
    const left = await store.settleAwaitedValues(late)
    if (left === 0 || ++rounds === 5) ended.abort()
    return left
  }
  const settled = { ...store, settleAwaitedValues: settling }
  await readLateTokens({ chain, store: settled, tokens: known.tokens, reader, log: quiet, clock }, ended.signal)
  expect(await store.settleAwaitedValues([])).toBe(0)
  expect((await store.loadTokens()).map(({ address }) => address).sort()).toEqual([A, B, NAMED, KNOWN])
})
