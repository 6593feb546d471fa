import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { builtInDeployments } from '../src/deployments/dex-config.ts'
import type { Pool } from '../src/pool.ts'
import { provePools } from '../src/rpc-receipt/prove-pools.ts'
import { receiptTrades } from '../src/rpc-receipt/receipt-trades.ts'
import type { RpcReceipt } from '../src/rpc-receipt/rpc-receipt.ts'
import realLogs from '../src/venues/uniswap-v4/real-logs.json' with { type: 'json' }
import { type PlainLog, type RecordedReceipt, readReceipts } from './trades/recorded-receipts.ts'

/** Maximum number of receipts to compare, because all of them would take seconds. */
const MAX_RECEIPTS = 60
const RECORDED = 'ether-moves/transactions'
const { transactions, tradesOf } = readReceipts<RecordedReceipt>(RECORDED)
const file = new URL(`./fixtures/${RECORDED}.json.gz`, import.meta.url)
const recordedPools: Pool[] = JSON.parse(gunzipSync(readFileSync(file)).toString()).pools
const pools = new Map(recordedPools.map((pool) => [pool.address, pool]))

/** Returns a receipt in the form of JSON-RPC. */
function rpcReceipt({ hash, from, logs }: Pick<RecordedReceipt, 'hash' | 'from' | 'logs'>): RpcReceipt {
  return {
    transactionHash: hash,
    transactionIndex: '0x0',
    blockHash: '0x01',
    blockNumber: '0x1',
    from,
    logs: logs.map(([address, topics, data], index) => ({
      address,
      topics,
      data,
      logIndex: `0x${index.toString(16)}`,
    })),
  }
}

const contextOf = ({ network = 'eth', value }: RecordedReceipt) => {
  return { deployment: builtInDeployments[network], value: `0x${BigInt(value).toString(16)}`, timestamp: '0x1' }
}

describe('receiptTrades', () => {
  test('reads recorded receipts as the indexer does', () => {
    let count = 0
    for (const recorded of transactions.slice(0, MAX_RECEIPTS)) {
      const trades = receiptTrades(rpcReceipt(recorded), { ...contextOf(recorded), pools })
      expect(trades, recorded.hash).toEqual(tradesOf(recorded))
      count += trades.length
    }
    expect(count).toBeGreaterThan(MAX_RECEIPTS / 2)
  })

  test('reads addresses with checksums, and ignores contracts that are not among the pools', () => {
    const [recorded] = transactions
    if (recorded === undefined) throw new Error('nothing is recorded')
    const upper = (text: string) => `0x${text.slice(2).toUpperCase()}`
    const logs = recorded.logs.map(([address, topics, data]) => [upper(address), topics, data] as unknown as PlainLog)
    const receipt = rpcReceipt({ ...recorded, logs })
    expect(receiptTrades(receipt, { ...contextOf(recorded), pools })).toEqual(tradesOf(recorded))
    expect(receiptTrades(receipt, { ...contextOf(recorded), pools: new Map() })).toEqual([])
  })

  test('refuses what is not hex text', () => {
    const receipt = rpcReceipt({ hash: '0x01', from: '0x02', logs: [['not hex' as '0x', [], '0x']] })
    const context = { deployment: builtInDeployments.eth, value: '0x0', timestamp: '0x0' }
    expect(() => receiptTrades(receipt, { ...context, pools })).toThrow('"not hex" is not 0x-prefixed hex')
  })
})

describe('provePools', () => {
  const { eth } = builtInDeployments
  const swapping = rpcReceipt(transactions.find((recordedReceipt) => tradesOf(recordedReceipt).length > 0) ?? raise())

  test('finds no pool if no contract confirms one', async () => {
    expect((await provePools(swapping, eth, async () => null)).pools.size).toBe(0)
  })

  test('throws the error of the node instead of rejecting a pool', async () => {
    const call = async () => raise('the node is down')
    await expect(provePools(swapping, eth, call)).rejects.toThrow('the node is down')
  })

  const { address, topics, data } = realLogs.eth.swap
  const managed = rpcReceipt({ hash: '0x01', from: '0x02', logs: [[address, topics, data] as unknown as PlainLog] })
  const inManager = `${address}${topics[1]?.slice(2)}`

  test('verifies a pool of a manager by the key that a contract returns', async () => {
    const { pools: found, unknownPools } = await provePools(managed, eth, async () => realLogs.eth.poolKeys)
    expect([...found]).toMatchObject([[inManager, { dex: { name: 'uniswap-v4' }, fee: 500 }]])
    expect(unknownPools).toEqual([])
  })

  test('reports pools of a manager whose tokens no contract returns', async () => {
    const { pools: found, unknownPools } = await provePools(managed, eth, async () => null)
    expect(found.size).toBe(0)
    expect(unknownPools).toEqual([inManager])
  })
})

function raise(message = 'no recorded receipt has a trade'): never {
  throw new Error(message)
}
