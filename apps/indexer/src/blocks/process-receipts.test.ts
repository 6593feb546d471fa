import { type Address, type Block, builtInDeployments, type Hex, type Log, ReferenceBook } from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, test, vi } from 'vitest'
import { PoolRegistry } from '../pools/pool-registry.ts'
import { BlockProcessor } from './process-blocks.ts'

const SWAP = id('Swap(address,uint256,uint256,uint256,uint256,address)') as Hex
const deployment = builtInDeployments.eth
const [dex] = deployment.dexes
const POOL: Address = `0x${'aa'.repeat(20)}`
const TAXED: Address = `0x${'00'.repeat(19)}7a`
const topic: Hex = `0x${'00'.repeat(12)}${'77'.repeat(20)}`
const HASH: Hex = `0x${'be'.repeat(32)}`

/** A sale of the token. */
const sale = (logIndex: number, amount: bigint): Log => ({
  address: POOL,
  topics: [SWAP, topic, topic],
  data: `0x${[amount, 0n, 0n, amount / 10n].map((word) => word.toString(16).padStart(64, '0')).join('')}`,
  transactionIndex: 3,
  logIndex,
})
const block = (...logs: Log[]): Block => ({
  number: 7,
  hash: `0x${'07'.repeat(32)}`,
  parentHash: `0x${'06'.repeat(32)}`,
  timestamp: 1_000,
  logs,
  transactions: new Map([[3, { hash: HASH, from: `0x${'ee'.repeat(20)}`, value: 0n }]]),
})

function scene(transactionLogs: (places: readonly { hash: Hex; blockHash: Hex }[]) => Promise<Log[][]>) {
  if (dex === undefined) throw new Error('no dex')
  const pool = { address: POOL, dex, token0: TAXED, token1: deployment.wrappedNative, fee: 3000, tickSpacing: null }
  const tokens = [{ address: TAXED, symbol: 'TAX', name: 'Taxed', decimals: 18 }]
  const unasked = async () => Promise.reject(new Error('everything is known'))
  const chain = { callMany: unasked, callElsewhere: unasked, head: unasked, logsOf: unasked, hasCode: unasked }
  const registry = new PoolRegistry(chain, deployment, { pools: [pool], tokens })
  const asked = vi.fn(transactionLogs)
  const processor = new BlockProcessor(deployment, registry, { transactionLogs: asked })
  const { wrappedNative } = deployment
  const book = new ReferenceBook({ wrappedNative, stablecoins: [], anchors: [], decimals: new Map() }, [])
  return { asked, process: (...blocks: Block[]) => processor.process(blocks, book, 'latest') }
}

test('a receipt is asked for only where the events leave open whose swaps they are, for all blocks at once', async () => {
  const { asked, process } = scene(async (places) => places.map(() => []))
  await process(block(sale(1, 100n)))
  expect(asked).not.toHaveBeenCalled()
  const twice = block(sale(1, 100n), sale(2, 900n))
  const { trades } = await process(twice, block(sale(1, 100n)), { ...twice, number: 9, hash: `0x${'09'.repeat(32)}` })
  expect(asked.mock.calls).toEqual([
    [
      [
        { hash: HASH, blockHash: twice.hash, logs: twice.logs },
        { hash: HASH, blockHash: `0x${'09'.repeat(32)}`, logs: twice.logs },
      ],
    ],
  ])
  expect(trades.map(({ sell }) => sell.amount)).toEqual([1_000n, 100n, 1_000n])
})

test('without the receipt there are no rows, and the next time there are', async () => {
  let isThere = false
  const { process } = scene(async (places) => {
    if (!isThere) throw new Error('the receipt is not there')
    return places.map(() => [])
  })
  const twice = block(sale(1, 100n), sale(2, 900n))
  await expect(process(twice)).rejects.toThrow('the receipt is not there')
  isThere = true
  expect((await process(twice)).trades).toHaveLength(1)
})
