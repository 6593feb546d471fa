import { quantity } from '@dexfeed/fake-node/abi'
import { loadKeccak } from '@dexfeed/fake-node/commitments/keccak'
import { answer } from '@dexfeed/fake-node/rpc/answer'
import { expect, it } from 'vitest'
import { MadeChain } from '../chain/made-chain.ts'
import { PLAIN } from '../chain/shapes.ts'
import { madeView } from '../node/serve-chain.ts'
import { rowsOfLogs, rowsOfReceipts } from './scan-rows.ts'

const SHAPE = { ...PLAIN, transactions: 130, swaps: 100, logs: 450, blockBytes: 100_000, pools: 100, cycle: 3 }

interface RpcLog {
  address: string
  topics: string[]
  data: string
  logIndex: string
}

interface RpcReceipt {
  from: string
  transactionHash: string
  logs: RpcLog[]
}

it('returns a row for each swap event, the same from logs and from receipts, as the parsed responses show', async () => {
  const chain = new MadeChain({ network: 'eth', seed: 3, shape: SHAPE, history: 2 }, await loadKeccak())
  chain.link(1_700_000_000)
  const view = madeView(chain, true)
  const numbers = [chain.first, chain.first + 1, chain.firstHead]
  const request = (method: string, ...params: unknown[]) => answer(view, method, params).join('')
  const listed = (method: string, ...more: unknown[]) =>
    `[${numbers.map((number) => `{"result":${request(method, quantity(number), ...more)}}`).join()}]`
  const batch = listed('eth_getBlockByNumber', true)
  const receipts = listed('eth_getBlockReceipts')
  const [fromBlock, toBlock] = [quantity(chain.first), quantity(chain.firstHead)]
  const logs = request('eth_getLogs', { fromBlock, toBlock })
  const blocks = (JSON.parse(batch) as { result: { number: string; timestamp: string } }[]).map(({ result }) => result)
  const lists = JSON.parse(receipts) as { result: RpcReceipt[] }[]
  const expected = blocks.flatMap(({ number, timestamp }, i) => {
    const time = new Date(Number(timestamp) * 1000).toISOString()
    return (lists[i]?.result ?? []).flatMap(({ from, transactionHash, logs }) =>
      logs.flatMap(({ address, topics, data, logIndex }) => {
        if (!/^0x(d78ad95f|c42079f9|19b47279)/.test(topics[0] ?? '')) return []
        const word = (index: number) => BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`)
        const amounts = topics[0]?.startsWith('0xd78ad95f')
          ? [word(0) - word(2), word(1) - word(3)]
          : [0, 1].map((index) => BigInt.asIntN(256, word(index)))
        const hex = [transactionHash, from, address].map((one) => `\\\\x${one.slice(2)}`)
        return [[Number(number), Number(logIndex), time, ...hex, ...amounts].join('\t')]
      }),
    )
  })
  expect(expected).toHaveLength(SHAPE.swaps * numbers.length)
  expect(rowsOfReceipts(receipts, batch).trimEnd().split('\n')).toEqual(expected)
  expect(rowsOfLogs(`[{"result":${logs}}]`, batch).trimEnd().split('\n')).toEqual(expected)
})
