import { expect, test } from 'vitest'
import { showBlock, showReceipts } from '../../node/hostile/show-block.ts'
import { hashOf, type Receipt, rootOf } from '../test/commitments.ts'
import { scriptedChain } from './scripted-chain.ts'
import { scriptedMarket } from './scripted-market.ts'

test.each([
  ['eth', 'before Amsterdam', undefined],
  ['eth', 'across its fork', 20],
  ['polygon', 'before Amsterdam', undefined],
] as const)(
  'blocks of %s, %s, have the hash of the fields that nodes show, and the root of the receipts',
  async (network, _, amsterdamFrom) => {
    const market = scriptedMarket(network, 24)
    const fork = amsterdamFrom === undefined ? {} : { amsterdamFrom }
    const chain = scriptedChain({ market, chainId: 1, seed: 9, startTime: 1_700_000_000, blockTimeS: 12, ...fork })
    chain.mine(40)
    for (const block of chain.blocks) {
      const shown = showBlock(block, { proofs: 'receipts', showsStateSync: false }, false)
      expect(hashOf(shown)).toBe(block.hash)
      const receipts = showReceipts(block, { proofs: 'block-receipts', showsStateSync: true })
      expect(shown.receiptsRoot).toBe(
        await rootOf(receipts.slice(0, shown.transactions.length) as unknown[] as Receipt[]),
      )
    }
  },
)
