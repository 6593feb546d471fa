import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { keccak256 } from 'ethers'
import { expect, test } from 'vitest'
import { showBlock, showReceipts } from '../show-block.ts'
import { scriptedChain } from './scripted-chain.ts'
import { scriptedMarket } from './scripted-market.ts'

const NUMBERS = /^(difficulty|number|gasLimit|gasUsed|timestamp|baseFeePerGas|blobGasUsed|excessBlobGas|slotNumber)$/
const bytes = (text: unknown) => Buffer.from(String(text).slice(2), 'hex')

// Fields are shown in the order of the Yellow Paper, then those that forks appended.
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
      const { hash, transactions, ...fields } = showBlock(block, { proofs: 'receipts', showsStateSync: false }, false)
      const values = Object.entries(fields).map(([name, value]) => {
        return NUMBERS.test(name) ? BigInt(String(value)) : bytes(value)
      })
      expect(keccak256(RLP.encode(values))).toBe(hash)
      const trie = await createMPT()
      const covered = showReceipts(block, { proofs: 'block-receipts', showsStateSync: true }).slice(
        0,
        transactions.length,
      )
      for (const [index, { type, status, cumulativeGasUsed, logsBloom, logs }] of covered.entries()) {
        const list = logs.map(({ address, topics, data }) => [bytes(address), topics.map(bytes), bytes(data)])
        const encoded = RLP.encode([Number(status), Number(cumulativeGasUsed), bytes(logsBloom), list])
        await trie.put(RLP.encode(index), Buffer.concat([Buffer.from([Number(type)]), encoded]))
      }
      expect(fields.receiptsRoot).toBe(`0x${Buffer.from(trie.root()).toString('hex')}`)
    }
  },
)
