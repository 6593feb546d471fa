import { expect, it } from 'vitest'
import { BlocksUnavailable, WrongChainId } from '../src/errors/chain-error.ts'
import { memoryChain, POOL, SWAP } from './memory-chain.ts'
import { client, failure, node } from './scene.ts'

//  A    0 - 1 - .. - 9      known: block 3 of this chain
//  X    0'- 1'- .. - 9'     what a proxy returns from then on, over open connections
it('reads no history from another chain that appears over an open connection', async () => {
  const [right, wrong] = [memoryChain(1, 0), memoryChain(56, 0)]
  for (const chain of [right, wrong]) for (let i = 0; i < 9; i++) chain.mine([{}])
  const a = await node(right)
  const { chain } = client([a.url])
  const range = await chain.readRange(1, 9)
  chain.knowFinal({ number: 3, hash: range.blocks[2]?.hash ?? '0x' })
  a.chain = wrong
  expect(await failure(chain.readRange(1, 9))).toBeInstanceOf(WrongChainId)
  const b = await node(right)
  const two = client([a.url, b.url]).chain
  two.knowFinal({ number: 3, hash: range.blocks[2]?.hash ?? '0x' })
  expect(await two.readRange(1, 9)).toEqual(range)
})

it('reads no history from another branch of this chain', async () => {
  const right = memoryChain(1, 2)
  const wrong = right.fork(2)
  for (const chain of [right, wrong]) for (let i = 0; i < 6; i++) chain.mine([{}])
  const a = await node(wrong)
  const { chain } = client([a.url])
  chain.knowFinal({ number: 4, hash: right.blocks[4]?.hash ?? '0x' })
  expect(await failure(chain.readRange(1, 8))).toMatchObject({ name: 'ChainInconsistent', retryable: true })
  a.chain = right.fork(3)
  expect(await failure(chain.readRange(1, 3))).toBeInstanceOf(BlocksUnavailable)
})

it('does not look back in history of another branch of this chain', async () => {
  const right = memoryChain(1, 2)
  const wrong = right.fork(2)
  for (let i = 0; i < 6; i++) right.mine([{}])
  for (let i = 0; i < 6; i++) wrong.mine()
  const a = await node(wrong)
  const { chain } = client([a.url])
  chain.knowFinal({ number: 8, hash: right.blocks[8]?.hash ?? '0x' })
  const filter = { addresses: [POOL], topics: [SWAP], from: 1, to: 8 }
  expect(await failure(chain.logsOf(filter))).toMatchObject({ name: 'ChainInconsistent', retryable: true })
  a.chain = right
  expect(await chain.logsOf(filter)).toHaveLength(6)
})

//  0 - 1 - .. - 4 - 5 - .. - 8      known: 3 and 7
//               \
//                5'- .. - 8'        what the node has
it('blocks below the lowest known block are checked by it, blocks above by the last one', async () => {
  const right = memoryChain(1, 4)
  const wrong = right.fork(4)
  for (const chain of [right, wrong]) for (let i = 0; i < 4; i++) chain.mine([{}])
  const { chain } = client([(await node(wrong)).url])
  for (const number of [3, 7]) chain.knowFinal({ number, hash: right.blocks[number]?.hash ?? '0x' })
  expect((await chain.readRange(1, 3)).to).toBe(3)
  expect(await failure(chain.readRange(1, 6))).toMatchObject({ name: 'ChainInconsistent' })
})

//  0 - 1 - 2 - 3 - .. - 6      known: 4
//           \
//            3'- .. - 8'       the chain from then on, as repaired: 6' is known, too
it('reads history again after a repaired deep reorg, but not from a node that has neither known block', async () => {
  const old = memoryChain(1, 2)
  const now = old.fork(2)
  const other = old.fork(2)
  for (const [index, chain] of [old, now, other].entries()) for (let i = 0; i < 6 + index; i++) chain.mine([{}])
  const a = await node(old)
  const { chain } = client([a.url])
  chain.knowFinal({ number: 4, hash: old.blocks[4]?.hash ?? '0x' })
  expect((await chain.readRange(1, 3)).to).toBe(3)
  a.chain = now
  expect(await failure(chain.readRange(1, 3))).toMatchObject({ name: 'ChainInconsistent' })
  chain.knowFinal({ number: 6, hash: now.blocks[6]?.hash ?? '0x' })
  a.chain = other
  expect(await failure(chain.readRange(1, 3))).toMatchObject({ name: 'ChainInconsistent' })
  a.chain = now
  expect((await chain.readRange(1, 3)).to).toBe(3)
  // The old branch is no longer this chain.
  a.chain = old
  expect(await failure(chain.readRange(1, 3))).toMatchObject({ name: 'ChainInconsistent' })
})

it('an endpoint on another branch does not remove the lowest known block', async () => {
  const right = memoryChain(1, 4)
  const wrong = right.fork(2)
  for (let i = 0; i < 8; i++) wrong.mine([{}])
  const a = await node(wrong)
  const { chain } = client([a.url])
  chain.knowFinal({ number: 3, hash: right.blocks[3]?.hash ?? '0x' })
  // The right chain's node does not have the new known block yet.
  chain.knowFinal({ number: 7, hash: `0x${'77'.repeat(32)}` })
  expect(await failure(chain.readRange(1, 3))).toMatchObject({ name: 'ChainInconsistent' })
  a.chain = right
  expect((await chain.readRange(1, 3)).to).toBe(3)
})
