import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RpcUnavailable } from '@dexfeed/chain'
import { type Address, type Block, builtInDeployments, type Deployment, type Hex, type Log } from '@dexfeed/dex'
import { id } from 'ethers'
import { expect, test, vi } from 'vitest'
import { emptyBook, verifyingChain } from '../../test/scene/made-values.ts'
import { PoolRegistry } from '../pools/pool-registry.ts'
import { BlockProcessor, watchedTopics } from './process-blocks.ts'

const SWAP = id('Swap(address,uint256,uint256,uint256,uint256,address)') as Hex
const deployment = builtInDeployments.eth
const [dex] = deployment.dexes
const POOL: Address = `0x${'aa'.repeat(20)}`
const TAXED: Address = `0x${'00'.repeat(19)}7a`
const topic: Hex = `0x${'00'.repeat(12)}${'77'.repeat(20)}`
const ELSEWHERE: Address = `0x${'e5'.repeat(20)}`
const TRADER: Address = `0x${'ee'.repeat(20)}`
const TRANSFER = id('Transfer(address,address,uint256)') as Hex
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
  transactions: new Map([[3, { hash: HASH, from: TRADER, value: 0n }]]),
})

const moved = (logIndex: number, token: Address, [from, to]: readonly [Address, Address], amount: bigint): Log => ({
  address: token,
  topics: [TRANSFER, ...[from, to].map((account): Hex => `0x${account.slice(2).padStart(64, '0')}`)],
  data: `0x${amount.toString(16).padStart(64, '0')}`,
  transactionIndex: 3,
  logIndex,
})
/** The trader's purchase was wrapped, as happens with lending tokens. */
const FLOWS = [
  moved(0, TAXED, [TRADER, POOL], 110n),
  moved(2, deployment.wrappedNative, [POOL, ELSEWHERE], 10n),
  moved(3, ELSEWHERE, [`0x${'00'.repeat(20)}`, TRADER], 10n),
]

function scene(
  transactionLogs: (places: readonly { hash: Hex; blockHash: Hex }[]) => Promise<Log[][]>,
  changes: Partial<Deployment> = {},
) {
  if (dex === undefined) throw new Error('no dex')
  const pool = { address: POOL, dex, token0: TAXED, token1: deployment.wrappedNative, fee: 3000, tickSpacing: null }
  const tokens = [{ address: TAXED, symbol: 'TAX', name: 'Taxed', decimals: 18 }]
  // The nodes respond, but not for this token.
  const chain = verifyingChain({
    async callMany(calls) {
      if (calls.some(({ to }) => to === ELSEWHERE)) throw new RpcUnavailable({ what: '', reasons: [], cause: null })
      return calls.map(() => null)
    },
  })
  const registry = new PoolRegistry(chain, deployment, { pools: [pool], tokens })
  const asked = vi.fn(transactionLogs)
  const processor = new BlockProcessor({ ...deployment, ...changes }, registry, { transactionLogs: asked })
  const book = emptyBook()
  return { asked, registry, processor, process: (...blocks: Block[]) => processor.process(blocks, book, 'latest') }
}

test('the receipts of transactions with hops are requested, for all blocks together', async () => {
  const { asked, process } = scene(async (places) => places.map(() => []))
  await process(block())
  expect(asked).not.toHaveBeenCalled()
  const twice = block(sale(1, 100n), sale(2, 900n))
  const { trades } = await process(twice, { ...block(sale(1, 50n)), number: 9, hash: `0x${'09'.repeat(32)}` })
  expect(asked.mock.calls).toEqual([
    [
      [
        { hash: HASH, blockHash: twice.hash, logs: twice.logs },
        { hash: HASH, blockHash: `0x${'09'.repeat(32)}`, logs: [sale(1, 50n)] },
      ],
      'bulk',
    ],
  ])
  expect(trades.map(({ sell }) => sell.amount)).toEqual([1_000n, 50n])
})

test('an order that no pool filled is a row: its event is watched, and its receipt requested', async () => {
  const settlement: Address = `0x${'00'.repeat(19)}c0`
  const [usdc = '0x'] = deployment.stablecoins
  const order = id('Trade(address,address,address,uint256,uint256,uint256,bytes)') as Hex
  const words = [BigInt(usdc), BigInt(TAXED), 5_000_000n, 7n, 0n, 0xe0n, 0n]
  const told: Log = {
    address: settlement,
    topics: [order, `0x${TRADER.slice(2).padStart(64, '0')}`],
    transactionIndex: 3,
    data: `0x${words.map((value) => value.toString(16).padStart(64, '0')).join('')}`,
    logIndex: 1,
  }
  const settlements = [{ kind: 'cow', address: settlement }] as const
  expect(watchedTopics({ dexes: [], settlements })).toEqual([order])
  const flows = [moved(0, usdc, [TRADER, settlement], 5_000_000n), told, moved(2, TAXED, [settlement, TRADER], 7n)]
  const { process, asked } = scene(async (places) => places.map(() => flows), { settlements })
  const { trades } = await process(block(told))
  expect(asked).toHaveBeenCalledOnce()
  expect(trades).toMatchObject([{ settledFor: TRADER, hops: [], sell: { amount: 5_000_000n }, buy: { amount: 7n } }])
  const elsewhere = await process(block({ ...told, address: POOL }))
  expect(elsewhere.trades).toEqual([])
})

test('a receipt that came with its block is not requested', async () => {
  const { asked, process } = scene(async () => Promise.reject(new Error('asked')))
  const logs = [sale(1, 100n)]
  const { trades } = await process({ ...block(...logs), receipts: { logsOf: (index) => (index === 3 ? logs : null) } })
  expect(trades).toHaveLength(1)
  expect(asked).not.toHaveBeenCalled()
})

test('without the receipt no rows are made; on the next attempt they are', async () => {
  let isThere = false
  const { process } = scene(async (places) => {
    if (!isThere) throw new Error('the receipt is not there')
    return places.map(() => [])
  })
  await expect(process(block(sale(1, 100n)))).rejects.toThrow('the receipt is not there')
  isThere = true
  expect((await process(block(sale(1, 100n)))).trades).toHaveLength(1)
})

test('a token that only the account names is read', async () => {
  const { process, registry } = scene(async (places) => places.map(() => [sale(1, 100n), ...FLOWS]))
  const { trades } = await process(block(sale(1, 100n)))
  expect(trades).toMatchObject([{ sell: { token: TAXED, amount: 110n }, buy: { token: ELSEWHERE, amount: 10n } }])
  // The call for its metadata got no response, so it is still listed as missing.
  expect(registry.known.tokens.missing()).toContain(ELSEWHERE)
})

test('a block that waits for its price holds none of the responses that it was read from', async () => {
  const { processor } = scene(async () => [])
  const read: WeakRef<object>[] = []
  const answer = () => {
    const logs = [sale(1, 100n)]
    const receipts = { logsOf: () => [...logs, ...FLOWS] }
    read.push(new WeakRef(logs), new WeakRef(receipts))
    return { ...block(), logs, receipts }
  }
  const prepared = await processor.prepare([answer()], 'latest')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await new Promise(setImmediate)
  collect()
  expect(prepared.unpriced[0]?.trades).toHaveLength(1)
  expect(read.map((weakRef) => weakRef.deref())).toEqual([undefined, undefined])
})
