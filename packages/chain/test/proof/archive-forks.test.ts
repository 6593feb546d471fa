import { expect, it } from 'vitest'
import type { Chain } from '../../src/chain.ts'
import { madePortal } from '../made-portal.ts'
import { hashOf, memoryChain, SWAP } from '../memory-chain.ts'
import { client, node } from '../scene.ts'

const BLOCKS = 60
const OTHER = hashOf('Other')

/** A chain with a log in each block, whose headers have a fork's new fields from some block on. */
async function scene(fork: number) {
  const made = memoryChain(1, 0)
  for (let i = 1; i <= BLOCKS; i++) made.mine([{}])
  for (const { number, header } of made.blocks) {
    if (number >= fork) Object.assign(header, { blockAccessListHash: hashOf(number), slotNumber: '0x1' })
  }
  const [portal, own] = [await madePortal(made), await node(made)]
  const options = { topics: [SWAP], proveHistory: 0 }
  const { chain, lines } = client([own.url], { ...options, archive: { url: portal.url, key: null } })
  const warnings = () => lines.filter(({ level }) => level === 'warn').map(({ text }) => text)
  return { portal, node: own, chain, warnings, expected: () => readAll(client([own.url], options).chain) }
}

async function readAll(chain: Chain) {
  const { blocks } = await chain.readRange(1, BLOCKS)
  return blocks.map(({ number, hash, logsEther, logs }) => ({
    number,
    hash,
    logsEther,
    logs: logs.map(({ logIndex }) => logIndex),
  }))
}

it.each([
  ['before', 1, 2],
  ['within', 31, 7],
  ['at the end of', 60, 7],
  ['after', 61, 1],
])('blocks log ether from a fork on %s a range, as the node’s headers say', async (_, fork, requests) => {
  const each = await scene(fork)
  const blocks = await readAll(each.chain)
  expect(each.node.requested().filter(({ method }) => method === 'eth_getBlockByNumber')).toHaveLength(requests)
  expect(each.warnings()).toEqual([])
  expect(blocks.filter(({ logsEther }) => logsEther).map(({ number }) => number)).toEqual(
    blocks.map(({ number }) => number).filter((number) => number >= fork),
  )
  expect(blocks).toEqual(await each.expected())
})

it('a hash that the node’s header at a fork does not have is refused', async () => {
  const each = await scene(0)
  each.portal.lie = (lines) =>
    lines.map(({ header, ...line }) => ({
      ...line,
      header: {
        ...header,
        ...(header.number === 1 ? { hash: OTHER } : {}),
        ...(header.number === 2 ? { parentHash: OTHER } : {}),
      },
    }))
  expect(await readAll(each.chain)).toEqual(await each.expected())
  expect(each.warnings()[0]).toContain('shows a false block 1')
})
