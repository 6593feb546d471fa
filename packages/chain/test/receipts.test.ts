import type { Log } from '@dexfeed/dex'
import { describe, expect, it } from 'vitest'
import { ChainInconsistent } from '../src/errors/chain-error.ts'
import { bloomOf, memoryChain, POOL, SWAP, SYNC } from './memory-chain.ts'
import { client, failure, node } from './scene.ts'
import type { Answer } from './scripted-node.ts'

type Shown = Record<string, unknown> & { logs: Record<string, unknown>[] }

/** A block whose first transaction has three logs, and whose second has one. */
function world() {
  const chain = memoryChain(1, 3)
  const block = chain.mine([{}, { topic: SYNC }, { data: '0x02' }, { transaction: 1 }])
  return { chain, hash: block.transactions[0]?.hash as `0x${string}`, blockHash: block.hash }
}

const receiptsWith =
  (change: (receipt: Shown) => object): Answer =>
  ({ method }, honest) =>
    method === 'eth_getTransactionReceipt' ? { ...(honest() as Shown), ...change(honest() as Shown) } : honest()

const CUTS: [string, Answer][] = [
  ['no logs', receiptsWith(() => ({ logs: [] }))],
  ['the last log left out', receiptsWith(({ logs }) => ({ logs: logs.slice(0, -1) }))],
  ['other amounts', receiptsWith(({ logs }) => ({ logs: logs.map((log) => ({ ...log, data: '0x09' })) }))],
]

describe.each(CUTS)('a receipt with %s', (_, cut) => {
  it('is no receipt of a transaction whose logs are known, and asked for elsewhere', async () => {
    const { chain: made, hash, blockHash } = world()
    const [a, b] = [await node(made), await node(made)]
    const [block] = await client([b.url]).chain.readBlocks(4, 4)
    const logs = (block?.logs ?? []).filter(({ transactionIndex }) => transactionIndex === 0) as Log[]
    expect(logs).toHaveLength(3)
    a.answer = cut
    const places = [{ hash, blockHash, logs }]
    expect(await failure(client([a.url]).chain.transactionLogs(places))).toBeInstanceOf(ChainInconsistent)
    expect(await client([a.url, b.url]).chain.transactionLogs(places)).toMatchObject([
      logs.map(({ logIndex, data }) => ({ logIndex, data })),
    ])
  })
})

it('a receipt that is explained lacks no log of its own bloom', async () => {
  const { chain: made, hash } = world()
  const a = await node(made)
  const logsBloom = bloomOf([POOL, SWAP, SYNC])
  a.answer = receiptsWith(() => ({ logsBloom, transactionIndex: '0x0', status: '0x1' }))
  const transactions: Answer = ({ method }, honest) =>
    method === 'eth_getTransactionByHash'
      ? { ...made.blocks[4]?.transactions[0], blockHash: made.blocks[4]?.hash }
      : honest()
  const whole = a.answer
  a.answer = (request, honest) => transactions(request, () => whole(request, honest))
  const { chain } = client([a.url])
  expect((await chain.transactions([hash]))[0]?.logs).toHaveLength(3)
  const cut = receiptsWith(({ logs }) => ({ logs: logs.slice(0, 1) }))
  a.answer = (request, honest) => transactions(request, () => cut(request, () => whole(request, honest)))
  expect((await failure(chain.transactions([hash]))).message).toContain('lacks logs that its bloom has')
})
