import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { denialOf, emittersOf, type FixtureCase, forged, readCases, replayCase } from '../../test/replay-fixture.ts'
import type { Address } from '../chain.ts'
import { builtInDeployments } from '../deployments/dex-config.ts'
import { NETWORK_NAMES } from '../deployments/networks.ts'
import type { Hop } from '../trades/trade.ts'

/**
 *   logs of venues/<name>/fixtures/*.json --decode--> events --prove--> pools --toHops--> hops
 *                                                               ^
 *                                           the results of calls; any other call reverts
 */
const cases = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => /fixtures.+\.json$/.test(file))
  .sort()
  .flatMap(readCases)

/** A hop as text, without its pool's coins: these may differ if a contract does not return them. */
const summaryOf = ({ pool, tokenIn, amountIn, tokenOut, amountOut }: Hop) =>
  [pool.address, pool.dex.name, pool.fee, pool.tickSpacing, tokenIn, amountIn, tokenOut, amountOut].join(' ')
const transferOf = (token: Address, value: bigint, by: object = {}) => expect.objectContaining({ token, value, ...by })
const hopsOf = (fixtureCase: FixtureCase) => replayCase(fixtureCase).hops

test.each(NETWORK_NAMES)('each deployment on %s has a swap in the fixtures of its venue', (network) => {
  const shown = cases
    .filter((fixtureCase) => fixtureCase.network === network)
    .flatMap(({ hops }) => hops.map(({ dex }) => dex))
  const missing = builtInDeployments[network].dexes.filter(({ name }) => !shown.includes(name))
  expect(missing.map(({ name, kind }) => `${name} (${kind})`)).toEqual([])
})

describe.each(cases.map((fixtureCase) => [fixtureCase.name, fixtureCase] as const))('%s', (_, fixtureCase) => {
  const { hops, swaps, transfers } = replayCase(fixtureCase)

  test('has the hops of its events, whose amounts moved', () => {
    expect(hops).toHaveLength(fixtureCase.hops.length)
    for (const [index, { dex, receiver, payer, ...fields }] of fixtureCase.hops.entries()) {
      const [amountIn, amountOut] = [BigInt(fields.amountIn), BigInt(fields.amountOut)]
      expect(hops[index]).toMatchObject({ ...fields, amountIn, amountOut })
      expect(hops[index]?.pool.dex.name).toBe(dex)
      if (receiver) expect(transfers).toContainEqual(transferOf(fields.tokenIn, amountIn, { to: receiver }))
      if (payer) expect(transfers).toContainEqual(transferOf(fields.tokenOut, amountOut, { from: payer }))
    }
    if (!fixtureCase.isRecorded) return
    const coins = fixtureCase.hops.flatMap(({ nativeIn, tokenIn, nativeOut, tokenOut, payer }) => {
      return [...(nativeIn ? [tokenIn] : []), ...(nativeOut || payer === null ? [tokenOut] : [])]
    })
    const ends = swaps.flatMap((swap) => [
      [swap.sold, swap.soldAmount] as const,
      [swap.bought, swap.boughtAmount] as const,
    ])
    for (const [token, amount] of ends) {
      if (!coins.includes(token)) expect(transfers).toContainEqual(transferOf(token, amount))
    }
  })

  test('has none of another contract that emits and returns the same', () => {
    expect(hopsOf(forged(fixtureCase, hops))).toEqual([])
  })

  test('has none that the verifying contracts deny, or do not confirm', () => {
    const emitters = emittersOf(hops)
    const own = fixtureCase.known.filter(({ to }) => emitters.has(to))
    for (const { pool } of hopsOf({ ...fixtureCase, known: own })) expect([...emitters]).toContain(pool.dex.factory)
    for (const call of fixtureCase.known) {
      const others = fixtureCase.known.filter((other) => other !== call)
      const left = hopsOf({ ...fixtureCase, known: others }).map(summaryOf)
      expect(left.filter((hop) => !hops.map(summaryOf).includes(hop))).toEqual([])
      const denial = denialOf(call, emitters)
      if (denial === null) continue
      const denied = hopsOf({ ...fixtureCase, known: [...others, { ...call, result: denial }] })
      expect(denied.length, call.abi).toBeLessThan(hops.length)
    }
  })
})
