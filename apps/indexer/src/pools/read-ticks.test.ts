import { type Chain, openChain } from '@dexfeed/chain'
import type { Hex, NetworkName, Pool } from '@dexfeed/dex'
import { closeAfter } from '@dexfeed/test-setup'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ALGEBRA_KINDS } from '../../test/scene/algebra-contracts.ts'
import { openAlgebraScene } from '../../test/scene/algebra-scene.ts'
import { quiet } from '../../test/scene/made-values.ts'
import { testDevnet } from '../../test/scene/test-devnet.ts'
import { snapshotPools } from './pool-snapshot.ts'

/** Opens a client of a node with pools of real contracts. */
async function openAt(network: NetworkName, url: string) {
  const chain = openChain({ network, urls: [url], topics: [], pollMs: 100, log: quiet })
  closeAfter(() => chain.close())
  const head = await chain.head()
  const singly = { callMany: chain.callMany, runInitCode: async () => null }
  /** Returns the pools' ticks and the number of calls for them. */
  const read = async (pools: readonly Pool[], reading: Partial<Chain>) => {
    const asked = { calls: 0, codes: 0 }
    const counted: Pick<Chain, 'callMany' | 'runInitCode'> = {
      callMany: (calls, ...how) => {
        asked.calls += calls.length
        return (reading.callMany ?? chain.callMany)(calls, ...how)
      },
      runInitCode: (...code) => {
        asked.codes++
        return (reading.runInitCode ?? chain.runInitCode)(...code)
      },
    }
    return { asked, found: await snapshotPools(counted, pools, head) }
  }
  return { chain, singly, read }
}

/** Returns a client that changes the responses to code. */
function changing(chain: Chain, change: (answer: Hex) => Hex): Partial<Chain> {
  return {
    runInitCode: (code, at) => chain.runInitCode({ ...code, read: (answer) => code.read(change(answer)) }, at),
  }
}

test.each(ALGEBRA_KINDS)('pools of %s are read by code as by single calls', async (kind) => {
  const { chain: node, pool, deployment, tokens } = await openAlgebraScene(kind)
  const { singly, read } = await openAt('polygon', node.url)
  const [dex] = deployment.dexes
  const [token0, token1] = tokens.map(({ address }) => address)
  if (!dex || !token0 || !token1) throw new Error('no deployment')
  const tickSpacing = kind === 'algebra-v1' ? 60 : 0
  const pools = [{ address: pool.address, dex, token0, token1, fee: 0, tickSpacing }]
  const byCode = await read(pools, {})
  expect(byCode.found.states).toHaveLength(1)
  expect(byCode.found.ticks.length).toBeGreaterThan(8)
  expect(byCode.found).toEqual((await read(pools, singly)).found)
  // Only the state is read by calls.
  expect(byCode.asked.calls).toBeLessThanOrEqual(3)
})

describe('pools of Uniswap V3 and PancakeSwap V3 with liquidity', () => {
  let url: string
  let pools: Pool[]
  let at: Awaited<ReturnType<typeof openAt>>
  let right: Awaited<ReturnType<typeof snapshotPools>>
  /** The number of calls for the state, which code does not read. */
  let ofStates: number

  beforeAll(async () => {
    const devnet = await testDevnet({ networks: ['bsc'], historyBlocks: 4 })
    const { rpcUrl, contracts, deployment } = devnet.chains.bsc
    const { singly, read } = await openAt('bsc', rpcUrl)
    url = rpcUrl
    pools = contracts.pools.flatMap(({ dex: name, ...pool }) => {
      const dex = deployment.dexes.find((each) => each.name === name)
      return dex === undefined ? [] : [{ ...pool, dex }]
    })
    expect(new Set(pools.map(({ dex }) => dex.kind))).toContain('pancakeswap-v3')
    ofStates = pools.reduce((sum, { tickSpacing }) => sum + (tickSpacing === null ? 1 : 2), 0)
    right = (await read(pools, singly)).found
    expect(right.ticks.length).toBeGreaterThan(20)
  })

  // Opened each time, because a client remembers endpoints that refused it.
  beforeEach(async () => {
    at = await openAt('bsc', url)
  })

  test('are read by code as by single calls, many in one request', async () => {
    const { found, asked } = await at.read(pools, {})
    expect(found).toEqual(right)
    const withTicks = pools.filter(({ tickSpacing }) => tickSpacing !== null)
    expect(asked).toEqual({ calls: ofStates, codes: expect.any(Number) })
    expect(asked.codes).toBeLessThan(withTicks.length)
  })

  test('are read by single calls if code does not run, or stops running', async () => {
    const refused = await at.read(pools, { runInitCode: async () => null })
    expect(refused.found).toEqual(right)
    expect(refused.asked.calls).toBeGreaterThan(1_000)
    let asked = 0
    const { runInitCode } = at.chain
    const once: Chain['runInitCode'] = async (...code) => (asked++ === 0 ? runInitCode(...code) : null)
    expect((await at.read(pools, { runInitCode: once })).found).toEqual(right)
  })

  test.each<[string, (answer: Hex) => Hex]>([
    ['leaves out a tick', (answer) => answer.slice(0, -2 * RECORD) as Hex],
    ['changes the liquidity of one', (answer) => changed(answer, -33)],
    ['leaves out all ticks', (answer) => answer.slice(0, 2 + 2 * HEADER) as Hex],
    ['returns nothing', () => '0x'],
    ['returns zeros', (answer) => `0x${'0'.repeat(answer.length - 2)}`],
  ])('are read by single calls where a node %s', async (_, lie) => {
    let lies = 0
    const lying = changing(at.chain, (answer) => {
      lies++
      return lie(answer)
    })
    const { found, asked } = await at.read(pools, lying)
    expect(lies).toBeGreaterThan(0)
    expect(asked.calls).toBeGreaterThan(ofStates)
    expect(sorted(found.ticks)).toEqual(sorted(right.ticks))
    expect(found.states).toEqual(right.states)
  })

  test('a request that stops at the gas limit of the node continues from there', async () => {
    const { found, asked } = await at.read(pools, {
      runInitCode: (code, block) => at.chain.runInitCode({ ...code, gas: 1_000_000 }, block),
    })
    expect(found).toEqual(right)
    expect(asked.calls).toBe(ofStates)
    expect(asked.codes).toBeGreaterThan((await at.read(pools, {})).asked.codes)
  })

  test('a node whose many calls bring next to nothing is given up after some', async () => {
    const { found, asked } = await at.read(pools, {
      runInitCode: (code, block) => at.chain.runInitCode({ ...code, gas: 450_000 }, block),
    })
    expect(sorted(found.ticks)).toEqual(sorted(right.ticks))
    expect(asked.codes).toBeLessThan(300)
  })
})

/** Sizes of a response's parts, in bytes. */
const HEADER = 10
const RECORD = 39

/** Changes one hex digit of the response, at a place counted from its end. */
function changed(answer: Hex, place: number): Hex {
  const digit = answer.at(place) === '1' ? '2' : '1'
  return `${answer.slice(0, place)}${digit}${place === -1 ? '' : answer.slice(place + 1)}` as Hex
}

function sorted(ticks: Awaited<ReturnType<typeof snapshotPools>>['ticks']) {
  const keyOf = ({ pool, tick }: { pool: string; tick: number }) => `${pool} ${tick + 1_000_000}`
  return [...ticks].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}
