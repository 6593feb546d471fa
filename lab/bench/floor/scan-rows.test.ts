import { loadKeccak } from '@dexfeed/fake-node/commitments/keccak'
import { expect, it } from 'vitest'
import { makeChain } from '../world/make-chain.ts'
import { worldView } from '../world/serve-chain.ts'
import { makeWorld } from '../world/world.ts'
import { rowsOfLogs, rowsOfReceipts } from './scan-rows.ts'

const PLAN = {
  ...{ seed: 3, swaps: 300, swapsPerBlock: 100, otherTransactions: 30 },
  ...{ firstTime: 1_700_000_000, blockTime: 60, keepStates: 4 },
}

interface RpcLog {
  address: string
  topics: string[]
  data: string
  logIndex: string
}

async function chainOf(receipts: boolean) {
  return makeChain(makeWorld('eth', 400), { ...PLAN, receipts }, await loadKeccak())
}

it('returns a row for each swap event, the same from logs and from receipts, as the parsed responses show', async () => {
  const [byLogs, byReceipts] = [await chainOf(false), await chainOf(true)]
  const [{ blocks, tally }, others] = [byLogs, byReceipts.blocks]
  const batch = JSON.stringify(blocks.map(({ full }) => ({ result: JSON.parse(String(full)) })))
  const logs = worldView(byLogs, () => 2)
    .logs({ fromBlock: '0x0', toBlock: '0x2' })
    .join('')
  const receipts = `[${others.map((block) => `{"result":${block.receipts}}`).join(',')}]`
  const expected = others.flatMap((block) => {
    const time = new Date(block.timestamp * 1000).toISOString()
    const list = JSON.parse(String(block.receipts)) as { from: string; transactionHash: string; logs: RpcLog[] }[]
    return list.flatMap(({ from, transactionHash, logs }) =>
      logs.flatMap(({ address, topics, data, logIndex }) => {
        if (!/^0x(d78ad95f|c42079f9)/.test(topics[0] ?? '')) return []
        const word = (index: number) => BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`)
        const amounts = topics[0]?.startsWith('0xd78ad95f')
          ? [word(0) - word(2), word(1) - word(3)]
          : [0, 1].map((index) => BigInt.asIntN(256, word(index)))
        const hex = [transactionHash, from, address].map((one) => `\\\\x${one.slice(2)}`)
        return [[block.number, Number(logIndex), time, ...hex, ...amounts].join('\t')]
      }),
    )
  })
  expect(expected).toHaveLength(tally.swapEvents)
  expect(rowsOfReceipts(receipts, batch).trimEnd().split('\n')).toEqual(expected)
  expect(rowsOfLogs(`[{"result":${logs}}]`, batch).trimEnd().split('\n')).toEqual(expected)
})
