import { readFileSync } from 'node:fs'
import type { Address, Hex } from '@dexfeed/dex'
import { AbiCoder, Interface } from 'ethers'
import { expect, test } from 'vitest'
import type { Recording } from './recording.ts'
import { openReplay } from './replay-node.ts'

/** A recorded transaction with two swaps of Ekubo's core, and the much earlier events with the keys of both pools. */
const receipt = JSON.parse(
  readFileSync(new URL('../../packages/dex/src/venues/ekubo/fixtures/ekubo.json', import.meta.url), 'utf8'),
) as { blockNumber: number; hash: Hex; from: Address; to: Address; logs: (RecordedLog | MadeLog)[] }
type RecordedLog = { address: Address; topics: Hex[]; data: Hex; logIndex: number }
type MadeLog = { address: Address; event: string; args: unknown[] }

const WBTC = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

/** Returns a recording of that transaction, after a made-up one that creates the pools. */
function recording(): Recording {
  const hash = (byte: string): Hex => `0x${byte.repeat(32)}`
  const made = receipt.logs.flatMap((log, index) => {
    if (!('event' in log)) return []
    const { topics, data } = new Interface([`event ${log.event}`]).encodeEventLog('PoolInitialized', log.args)
    return [{ address: log.address, topics: topics as Hex[], data: data as Hex, index }]
  })
  const { from, to } = receipt
  const swapped = receipt.logs.flatMap((log, index) => {
    if ('event' in log) return []
    const { address, topics, data } = log
    return [{ address, topics, data, index }]
  })
  const transactions = [
    { hash: hash('a1'), from, to, value: '0x0' as Hex, index: 0, status: 1, logs: made },
    { hash: receipt.hash, from, to, value: '0x0' as Hex, index: 1, status: 1, logs: swapped },
  ]
  const block = { number: receipt.blockNumber, hash: hash('b1'), parentHash: hash('b0'), timestamp: 1_774_000_000 }
  const decimals = (value: bigint) => AbiCoder.defaultAbiCoder().encode(['uint256'], [value]) as Hex
  const calls = { [WBTC]: { '0x313ce567': decimals(8n) }, [USDC]: { '0x313ce567': decimals(6n) } }
  return { network: 'eth', blocks: [{ ...block, transactions }], calls: calls as Recording['calls'] }
}

test('swaps that are logged without a topic are hops, in the indexer and in explain', async () => {
  const { explain, index } = await openReplay(recording())
  const explained = (await explain()).flatMap(({ trades }) => trades)
  for (const trades of [await index(), explained]) {
    const hops = trades.flatMap((trade) => trade.hops).filter(({ pool }) => pool.dex.kind === 'ekubo')
    expect(hops).toMatchObject([
      { tokenIn: WBTC, amountIn: 2374n, amountOut: 786_479_563_922_702n },
      { tokenOut: USDC, amountIn: 786_479_563_922_702n, amountOut: 1_606_980n },
    ])
  }
})
