import type { Hex } from '@dexfeed/dex'
import { NodeError } from '@dexfeed/lab/node/rpc/answer'
import { expect, it } from 'vitest'
import { memoryChain } from '../../test/memory-chain.ts'
import { client, failure, node } from '../../test/scene.ts'
import { refusing, type ScriptedNode } from '../../test/scripted-node.ts'
import { BlocksUnavailable, RpcUnavailable } from '../errors/chain-error.ts'

const CODE = '0x600160005360016000f3'
/** Init code whose output is read as a number. */
const code = {
  data: CODE,
  gas: 10_000_000,
  read: (response: Hex) => (response.startsWith('0x00') ? Number(response) : null),
} as const

/** Starts a node that returns `response` to calls without a recipient, and a byte to others. */
async function nodeThat(response: () => unknown) {
  const world = memoryChain(1, 5)
  const at = world.blocks[5]?.hash ?? '0x'
  const scripted = await node(world)
  scripted.respond = ({ method, params }, honest) => {
    if (method !== 'eth_call') return honest()
    return (params[0] as { to?: Hex }).to === undefined ? response() : '0x11'
  }
  const hashes = world.blocks.map(({ hash }) => hash)
  return { scripted, at, hashes, url: scripted.url }
}

const codeRequested = (scripted: ScriptedNode) =>
  scripted.requested('eth_call').filter(({ params }) => (params[0] as { to?: Hex }).to === undefined)

it('runs code without a recipient, at the block by its hash and with the gas', async () => {
  const { scripted, at, url } = await nodeThat(() => '0x0007')
  const { chain } = client([url])
  expect(chain.runsInitCode()).toBe(false)
  expect(await chain.runInitCode(code, at)).toBe(7)
  expect(chain.runsInitCode()).toBe(true)
  expect(codeRequested(scripted).map(({ params }) => params)).toEqual([
    [{ data: CODE, gas: '0x989680' }, { blockHash: at }],
  ])
})

const says = (code: number, message: string) => () => {
  throw new NodeError(code, message)
}
const refusals: [string, () => unknown][] = [
  ['nothing', () => '0x'],
  ['nonsense', () => '0x1234'],
  ['null', () => null],
  ['no hex', () => 'yes'],
  ['a word about the recipient', says(-32602, "invalid argument 0: missing field 'to'")],
  ['that it does not know that', says(-32601, 'method not supported')],
  ['that it ran out of gas', says(-32000, 'out of gas')],
  ['that the code is too large', says(-32000, 'max code size exceeded')],
  ['that it has no right', says(-32000, 'forbidden')],
]

it.each(refusals)(
  'gives null if a node reports %s, and after three blocks stops trying and logs it once',
  async (_, response) => {
    const { scripted, at, hashes, url } = await nodeThat(response)
    const { chain, lines } = client([url])
    // Several requests at one block may fail for the same temporary reason.
    for (let i = 0; i < 4; i++) expect(await chain.runInitCode(code, at)).toBeNull()
    expect(codeRequested(scripted)).toHaveLength(4)
    for (const hash of hashes.slice(0, 4)) {
      const together = [chain.runInitCode(code, hash), chain.runInitCode(code, hash)]
      expect(await Promise.all(together)).toEqual([null, null])
    }
    expect(codeRequested(scripted).map(({ params }) => params[1])).toEqual(
      [at, at, at, at, ...hashes.slice(0, 2).flatMap((hash) => [hash, hash])].map((blockHash) => ({ blockHash })),
    )
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([
      { level: 'warn', text: expect.stringMatching(/^rpc endpoint does not run undeployed code/) },
    ])
    // Ordinary calls still work there, by hash.
    expect(await chain.callMany([{ to: `0x${'aa'.repeat(20)}`, data: '0x01' }], at)).toEqual(['0x11'])
    expect(scripted.requested('eth_call').at(-1)?.params[1]).toEqual({ blockHash: at })
  },
)

it('keeps trying if refusals are temporary', async () => {
  let requested = 0
  const { scripted, hashes, url } = await nodeThat(() => (requested++ % 3 === 2 ? '0x0007' : '0x'))
  const { chain, lines } = client([url])
  const reported: (number | null)[] = []
  for (let i = 0; i < 9; i++) {
    reported.push(await chain.runInitCode(code, hashes[i % 5] ?? '0x'))
    expect(chain.runsInitCode()).toBe(reported.at(-1) === 7)
  }
  expect(reported).toEqual([null, null, 7, null, null, 7, null, null, 7])
  expect(codeRequested(scripted)).toHaveLength(9)
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

it('an endpoint that fails on the code alone refuses it; one that fails on all calls is unavailable', async () => {
  const { scripted, at, url } = await nodeThat(() => '0x0007')
  let isDown = false
  scripted.exchange = (requests, response) => {
    const isCode = requests.some(({ method, params }) => method === 'eth_call' && !('to' in (params[0] as object)))
    const fails = isCode || (isDown && requests.some(({ method }) => method === 'eth_call'))
    if (fails) response.writeHead(500).end('trouble')
    return fails
  }
  const { chain, lines } = client([url])
  expect(await chain.runInitCode(code, at)).toBeNull()
  isDown = true
  for (let i = 0; i < 3; i++) expect(await failure(chain.runInitCode(code, at))).toBeInstanceOf(RpcUnavailable)
  scripted.exchange = () => false
  expect(await chain.runInitCode(code, at)).toBe(7)
  expect(lines.filter(({ text }) => text.includes('runs no code'))).toEqual([])
})

it('a block that is missing or pruned does not count as a refusal', async () => {
  const { scripted, url } = await nodeThat(says(-32000, 'header not found'))
  const { chain } = client([url])
  for (let i = 0; i < 3; i++) {
    expect(await failure(chain.runInitCode(code, `0x${'99'.repeat(32)}`))).toBeInstanceOf(BlocksUnavailable)
  }
  const requested = codeRequested(scripted).length
  expect(requested).toBeGreaterThan(3)
  scripted.respond = refusing('eth_call', -32000, 'missing trie node')
  expect(await failure(chain.runInitCode(code, `0x${'99'.repeat(32)}`))).toBeInstanceOf(RpcUnavailable)
  expect(codeRequested(scripted).length).toBeGreaterThan(requested)
})
