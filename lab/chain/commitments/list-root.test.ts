import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { loadKeccak } from './keccak.ts'
import { listRoot } from './list-root.ts'

it('the root of any list equals that of a library, also with short values and for an empty list', async () => {
  const keccak = await loadKeccak()
  const lists = fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 150 })
  await fc.assert(
    fc.asyncProperty(lists, async (values) => {
      const trie = await createMPT()
      for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value)
      expect(Buffer.from(listRoot(values, keccak))).toEqual(Buffer.from(trie.root()))
    }),
    { numRuns: 40 * inject('scale') },
  )
})
