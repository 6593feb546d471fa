import { loadKeccak } from '@dexfeed/fake-node/commitments/keccak'
import { bloomOf, hashOf, rootOf } from '@dexfeed/fake-node/test/commitments'
import { expect, it } from 'vitest'
import { makeChain } from './make-chain.ts'
import { makeWorld } from './world.ts'

const PLAN = {
  ...{ seed: 5, swaps: 400, swapsPerBlock: 100, otherTransactions: 40, receipts: true },
  ...{ firstTime: 1_700_000_000, blockTime: 60, keepStates: 4 },
}

it('headers link, have the hash of their fields, and commit to the receipts that are served', async () => {
  const { blocks } = makeChain(makeWorld('eth', 400), PLAN, await loadKeccak())
  expect(blocks).toHaveLength(4)
  for (const [i, block] of blocks.entries()) {
    const shown = JSON.parse(String(block.full))
    const receipts = JSON.parse(String(block.receipts))
    expect(shown.receiptsRoot).toBe(await rootOf(receipts))
    expect(shown.logsBloom).toBe(bloomOf(receipts.flatMap(({ logs }: { logs: [] }) => logs)))
    expect([shown.hash, block.hash]).toEqual([hashOf(shown), hashOf(shown)])
    if (i > 0) expect(shown.parentHash).toBe(blocks[i - 1]?.hash)
    const hashes = receipts.map(({ transactionHash }: { transactionHash: string }) => transactionHash)
    expect(hashes).toEqual(shown.transactions.map(({ hash }: { hash: string }) => hash))
  }
})
